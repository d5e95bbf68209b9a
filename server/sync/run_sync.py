"""A push or pull from its beginning to its end."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from msgspec import Struct

from builder.category.record import FILES
from builder.errors import StorageError
from builder.paths import DOCS
from builder.site import SIDEBAR_FILE
from builder.store import ContentStore
from builder.store.names import COMPONENTS
from server.control.sqlite.local_database import OUTER, STATE, make_state
from server.history import History
from server.sync import base_file
from server.sync.base_file import Base, BaseKeeper
from server.sync.errors import SyncError
from server.sync.folder_side import FolderSide, read_commit, read_folder
from server.sync.pull import pull
from server.sync.push import push
from server.sync.service_client import Patience, ServiceClient
from server.sync.service_side import ServiceSide, read_service
from server.sync.side import FIELDS, Side
from server.sync.sync_desk import Direction, SyncDesk, Wishes
from server.sync.sync_report import SyncReport
from server.sync.three_way import Choice, Verdict, compare_categories, compare_pages, decided, only

PAGES = "/api/v1/pages"
"""The place of the authoring API below the address of a service."""


def pages_base(address: str, *, insecure: bool) -> str:
    """The base of the authoring API of the service at `address`.

    Raises SyncError for plain http to another machine, unless that is wanted (`insecure`).
    """
    parts = urlsplit(address)
    if parts.scheme != "https" and not insecure and not is_loopback(parts.hostname or ""):
        raise SyncError(
            "plain http to another machine would show the key to whoever is between",
            path=address,
            hint="use https, or --insecure in a network where you trust everybody",
        )
    return address.rstrip("/").removesuffix(PAGES) + PAGES


def is_loopback(host: str) -> bool:
    """Return whether a host name stands for this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def proxy_for(address: str) -> str | None:
    """The proxy that the environment names for an address, for https alone: others would see the key."""
    parts = urlsplit(address)
    if parts.scheme != "https" or proxy_bypass(parts.netloc):
        return None
    return getproxies().get("https")


SETTINGS, THEME = "site.yml", "theme"
Advance = Callable[[str, int, int], None]
"""Told what is being done, how many pages are done, and of how many."""


class SyncRequest(Struct, frozen=True):
    """A run to be made. `address` is empty where the base knows it, `commit` where the base file counts."""

    direction: Direction
    site: Path
    key: str
    address: str = ""
    commit: str = ""
    insecure: bool = False
    wishes: Wishes = Wishes()
    patience: Patience = Patience()


class SyncOutcome(Struct, frozen=True):
    """The service and the site that were reached, and what came of it."""

    service: str
    site: str
    report: SyncReport


async def synchronise(request: SyncRequest, advance: Advance) -> SyncOutcome:
    """Push or pull. Raises SyncError or StorageError; what was done until then is noted in the base."""
    with base_file.alone(request.site):
        return await _synchronise(request, advance)


async def _synchronise(request: SyncRequest, advance: Advance) -> SyncOutcome:
    saved = base_file.load(request.site)
    address = request.address or (saved.service if saved else "")
    if not address:
        option = "--to" if request.direction == "push" else "--from"
        hint = f"name it once: {option} ADDRESS; it is remembered in {base_file.NAME}"
        raise SyncError("the address of the service is not known yet", hint=hint)
    pages = pages_base(address, insecure=request.insecure)
    with _opened(request) as store:
        here = read_folder(store)
        async with ServiceClient(
            pages, request.key, proxy=proxy_for(pages), patience=request.patience
        ) as client:
            listing = await client.site()
            base = _base(request, saved, address, listing.site.id)
            known = {**base.pages, **(saved.pages if saved else {})}
            there = await read_service(client, listing, known, here.side, _told(advance, "Comparing"))
            keeper = BaseKeeper(request.site, base, written=base == saved, rehearsal=request.wishes.rehearsal)
            label = "Pushing" if request.direction == "push" else "Pulling"
            desk = _desk(request, (store, client, keeper), (here, there), _told(advance, label))
            try:
                desk.agree_on_same()
                await (push if request.direction == "push" else pull)(desk)
            finally:
                keeper.write()
    return SyncOutcome(address, base.site, desk.report)


def _told(advance: Advance, label: str) -> Callable[[int, int], None]:
    return lambda done, number: advance(label, done, number)


@contextmanager
def _opened(request: SyncRequest) -> Iterator[ContentStore]:
    """The site's store; what a pull replaces is kept in its history."""
    if request.direction == "push" or request.wishes.rehearsal:
        with ContentStore(request.site) as store:
            yield store
        return
    make_state(request.site)
    with History(request.site / OUTER / STATE) as history, ContentStore(request.site, history) as store:
        yield store


def _base(request: SyncRequest, saved: Base | None, address: str, site: str) -> Base:
    """Return what both sides had last. Raises SyncError when that was another site."""
    if saved is not None and saved.site != site:
        raise SyncError(
            f"the folder goes with the site {saved.site} at {saved.service}, and the key opens {site}",
            path=base_file.NAME,
            hint="use the key of that site; or delete the file, then every page that differs is a conflict",
        )
    if request.commit:
        side = read_commit(request.site, request.commit)
        return Base(address, site, dict(side.pages), dict(side.categories))
    return Base(address, site, saved.pages, saved.categories) if saved else Base(address, site)


def _desk(
    request: SyncRequest,
    tools: tuple[ContentStore, ServiceClient, BaseKeeper],
    sides: tuple[FolderSide, ServiceSide],
    advance: Callable[[int, int], None],
) -> SyncDesk:
    """Both sides on one desk, with conflicts that were decided."""
    (store, client, keeper), (here, there) = tools, sides
    report, choice, base = SyncReport(), request.wishes.choice, keeper.base.side()
    report.unmatched += _unmatched(choice, base, here.side, there.side)
    settled = decided(base, here.side, there.side, choice)
    _note_decisions(keeper, base, settled)
    unread = (here.side.unread, there.side.unread)
    for each in unread:
        report.unread |= {**each.folders, **each.categories, **each.pages}
    if request.direction == "push":
        report.stayed += _staying(request.site, store, here.files)
    report.lacks_settings = request.direction == "pull" and not _has(store, SETTINGS)
    return SyncDesk(
        store, client, keeper, request.wishes, settled, here.side, there.side, dict(there.given), report,
        "ours" if request.direction == "push" else "theirs", advance,
    )  # fmt: skip


def _unmatched(choice: Choice, base: Side, here: Side, there: Side) -> Iterator[str]:
    """The chosen paths at which there is no conflict."""
    conflicts = [each.path for each in only(compare_pages(base, here, there), Verdict.CONFLICT)]
    conflicts += [each.path for each in only(compare_categories(base, here, there), Verdict.CONFLICT)]
    for chosen in (*choice.ours, *choice.theirs):
        single = Choice(ours=(chosen,))
        if all(single.of(path) is Verdict.CONFLICT for path in conflicts):
            yield chosen


def _note_decisions(keeper: BaseKeeper, base: Side, settled: Side) -> None:
    """Have the base say what was decided, so that the other command knows it, too."""
    for path in _changed(base.pages, settled.pages):
        keeper.agree(path, settled.pages.get(path))
    for path in _changed(base.categories, settled.categories):
        for name in FIELDS:
            keeper.agree_field(path, name, getattr(settled.category(path), name))


def _changed(before: Mapping[str, object], after: Mapping[str, object]) -> Iterable[str]:
    return [path for path in {*before, *after} if before.get(path) != after.get(path)]


def _staying(site: Path, store: ContentStore, files: Iterable[str]) -> Iterator[str]:
    """The files that do not travel: settings, the category of `docs` itself, the theme, images, downloads."""
    yield from (file for file in (SETTINGS, SIDEBAR_FILE) if _has(store, file))
    yield from (file for file in (f"{DOCS}/{name}" for name in FILES) if _has(store, file))
    if (site / THEME).is_dir():
        yield f"{THEME}/"
    if (site / COMPONENTS).is_dir():
        yield f"{COMPONENTS}/"
    yield from files


def _has(store: ContentStore, file: str) -> bool:
    try:
        store.open_file(file).close()
    except (FileNotFoundError, StorageError):
        return False
    return True
