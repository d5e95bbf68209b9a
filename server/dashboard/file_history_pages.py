"""The history of `site.yml` and of files beside pages: versions, what each changed, and how to come back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

from aiohttp import web
from msgspec import Struct

from builder.diagnostics import Diagnostic, Level
from builder.errors import RevisionMismatch, TwinpressError
from builder.site import SIDEBAR_FILE
from builder.store.names import SETTINGS, is_content, other_fault
from server import history as past
from server.authoring import site_settings
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor
from server.control import audit
from server.control.audit import Event
from server.control.hosted_sites import HostedSite
from server.dashboard.differences import Difference
from server.dashboard.file_pages import FILES, room_fault
from server.dashboard.forms import form
from server.dashboard.revision_views import (
    PUT_BACK,
    Names,
    RevisionView,
    brought_in,
    file_views,
    view,
)
from server.dashboard.settings_pages import SETTINGS as SITE_SETTINGS
from server.dashboard.site_visit import DASHBOARD, address, author, by, key_names, own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.history import History, Revision, VersionGone
from server.history.file_versions import KEPT_BYTES, MIB, SMALL, TRASH_SECONDS
from server.http.failure import Failure
from server.site_files.mime import TEXT, content_type

HISTORY, DELETED, RESTORE = f"{FILES}/history", f"{FILES}/deleted", f"{FILES}/restore"
SHOWN = 100
AGES = {
    "365": "Older than a year",
    "90": "Older than 90 days",
    "30": "Older than 30 days",
    "1": "Older than a day",
    "0": "All of them",
}
LOOKED_AT = 2_000
"""Changes of the site in which deleted files are looked for."""


class _Restore(Struct, frozen=True):
    file: str
    revision: str


class _Forget(Struct, frozen=True):
    name: str = ""
    days: Literal["365", "90", "30", "1", "0"] = "90"


class FileSide(Struct, frozen=True):
    """A file at one time: its type and bytes, both empty where there was none; and whether they are kept."""

    kind: str = ""
    size: int = 0
    is_there: bool = False
    is_kept: bool = True


class VersionsView(Struct, frozen=True):
    """The last versions of a file, and the one that is shown, before and after, compared where it is text.

    `is_present` says that the file is now as it was after that one.
    """

    all: Sequence[RevisionView]
    shown: RevisionView | None = None
    before: FileSide = FileSide()
    after: FileSide = FileSide()
    change: Difference | None = None
    is_text: bool = False
    is_present: bool = False


class DeletedFile(Struct, frozen=True):
    """A file that is not there any more, who deleted it, and whether it can be restored."""

    file: str
    by: RevisionView
    is_kept: bool


async def history(visit: Visit) -> web.StreamResponse:
    """Show the versions of a file, and what one of them changed: the last one, unless another is named."""
    site, query = own_site(visit), visit.request.query
    return await _page(visit, site, _named(query.get("path", "")), query.get("revision", ""))


async def settings_history(visit: Visit) -> web.StreamResponse:
    """Show the versions of `site.yml` in the same way."""
    return await _page(visit, own_site(visit), SETTINGS, visit.request.query.get("revision", ""))


async def deleted(visit: Visit) -> web.StreamResponse:
    """List the files that were deleted and can be restored."""
    site = own_site(visit)
    names = key_names(visit, site)
    found = await use(visit, site, lambda opened: _deleted(opened.history, names))
    limits = {"kept": KEPT_BYTES // MIB, "small": SMALL // MIB, "days": TRASH_SECONDS // 86400}
    return visit.show("site-files-deleted.html", site=site, deleted=found, **limits)


async def restore(visit: Visit) -> web.StreamResponse:
    """Put a file back as it was after a version; `site.yml` is checked first."""
    site, given = own_site(visit), await form(visit.request, _Restore)
    edited, file = author(visit), _named(given.file)

    def act(opened: OpenSite) -> past.Restored:
        edited.permit()
        _check(opened, given.revision, file, edited)
        done = past.restore_file(
            opened.history, opened.store, given.revision, file, label=DASHBOARD, most=PUT_BACK
        )
        opened.parts.changed(file)
        return done

    try:
        done = await use(visit, site, act)
    except (_Unfit, VersionGone) as error:
        unfit = error if isinstance(error, _Unfit) else _Unfit(sentence(error))
    except RevisionMismatch as error:
        raise Failure("TOO_BUSY", "somebody is just saving this file: try again") from error
    except Failure as failure:
        if failure.code != "PATH_CONFLICT":
            raise
        unfit = _Unfit(sentence(failure))
    except TwinpressError as error:
        raise Failure("NOT_FOUND", str(error)) from error
    else:
        return _restored(visit, site, file, done)
    return await _page(visit, site, file, given.revision.removesuffix("^"), unfit=unfit)


def _restored(visit: Visit, site: HostedSite, file: str, done: past.Restored) -> web.StreamResponse:
    said = "is gone, as it was at that time" if done.removed else "is as it was"
    new = "That is a new version." if done.removed or done.changed else "It was so already."
    back = address(site, SITE_SETTINGS) if file == SETTINGS else address(site, HISTORY, path=file)
    return visit.did(back, f"{file} {said}. {new}")


async def ask_forget(visit: Visit) -> web.StreamResponse:
    """Show the form that deletes old versions, with the room that the history takes."""
    site = own_site(visit)
    return await _forget_page(visit, site)


async def forget(visit: Visit) -> web.StreamResponse:
    """Delete all versions of pages and settings from before some days."""
    site, given = own_site(visit), await form(visit.request, _Forget)
    if given.name.strip() != site.name:
        errors = {"name": f"Type {site.name} to delete its old versions."}
        return await _forget_page(visit, site, errors=errors, days=given.days)
    by_owner = by(visit)

    def act(opened: OpenSite) -> int:
        with visit.desk.database.change() as change:
            by_owner.check()
            now = time.time()
            audit.note(change, Event(int(now), visit.who.id, by_owner.actor, "site.forget", site.id))
        return opened.history.begin_later(now - int(given.days) * 86400)

    gone = await use(visit, site, act)
    versions = "1 old version is" if gone == 1 else f"{gone:,} old versions are"
    return visit.did(address(site, SITE_SETTINGS), f"{versions} deleted.")


async def _forget_page(visit: Visit, site: HostedSite, **values: object) -> web.Response:
    size = await use(visit, site, lambda opened: opened.history.size())
    most = visit.desk.plans[visit.who.plan].history_bytes
    status = 422 if "errors" in values else 200
    values = {"ages": AGES, "days": "90", **values}
    return visit.show("site-history-delete.html", status, site=site, size=size, most=most, **values)


class _Unfit(Exception):
    """The version cannot be put back; `wrong` says what the settings in it have."""

    def __init__(self, why: str, wrong: Sequence[Diagnostic] = ()) -> None:
        super().__init__(why)
        self.wrong = wrong


def _named(file: str) -> str:
    """Raise Failure for the name of a page, and for what cannot be a file of a site."""
    if is_content(file) or other_fault(file):
        raise Failure("NOT_FOUND", "there is no such file here")
    return file


def _check(opened: OpenSite, revision: str, file: str, edited: ChangeAuthor) -> None:
    """Raise _Unfit for settings that cannot be read, and for a file that has no room in the site.

    Raises Failure where the history has no room; versions of files have a bound of their own.
    """
    data = past.bytes_at(opened.history, revision, file)
    if data is None:
        return
    if file in {SETTINGS, SIDEBAR_FILE}:
        opened.service.take_room(len(data), edited)
        found = site_settings.check(data.decode(errors="replace"), file)
        if wrong := [one for one in found if one.level == Level.ERROR]:
            raise _Unfit(f"This version of {file} has errors, so it is not restored.", wrong)
        return
    grows = len(data) - len(opened.bytes_of(file) or b"")
    if grows > 0 and (why := room_fault(opened.root, grows)):
        raise _Unfit(why)


async def _page(
    visit: Visit, site: HostedSite, file: str, wanted: str, unfit: _Unfit | None = None
) -> web.Response:
    names = key_names(visit, site)
    found = await use(visit, site, lambda opened: _versions(opened, names, file, wanted))
    status = 422 if unfit else 200
    return visit.show(
        "site-file-history.html",
        status,
        site=site,
        file=file,
        found=found,
        is_settings=file == SETTINGS,
        versions=_address(site, file),
        why=str(unfit) if unfit else "",
        wrong=unfit.wrong if unfit else (),
    )


def _address(site: HostedSite, file: str) -> str:
    """The beginning of the address of a version."""
    if file == SETTINGS:
        return f"{address(site, SITE_SETTINGS)}/history?"
    return f"{address(site, HISTORY, path=file)}&"


def _versions(opened: OpenSite, names: Names, file: str, wanted: str) -> VersionsView:
    brought_in(opened.history)
    found = [one for one in opened.history.revisions(file, SHOWN) if _pair(one, file) != (None, None)]
    views = [view(each, names) for each in found]
    shown = next((each for each in found if each.id == wanted), found[0] if found else None)
    if shown is None:
        return VersionsView(views)
    pair = _pair(shown, file)
    gone = opened.history.gone({blob for blob in pair if blob}) if file != SETTINGS else frozenset()
    before, after = (_side(opened.history, file, blob, gone) for blob in pair)
    is_text = file.rpartition(".")[2].lower() in _TEXTS
    compared = is_text and before.is_kept and after.is_kept
    change = file_views(opened.history, {file: pair})[0].change if compared else None
    is_present = shown is found[0]
    return VersionsView(views, view(shown, names), before, after, change, compared, is_present)


_TEXTS = frozenset({*TEXT, "json", "svg", "xml"})


def _pair(revision: Revision, file: str) -> tuple[str | None, str | None]:
    return next(((each.old, each.new) for each in revision.files if each.file == file), (None, None))


def _side(history: History, file: str, blob: str | None, gone: frozenset[str]) -> FileSide:
    kind = content_type(file).partition(";")[0]
    if blob is None:
        return FileSide()
    if blob in gone:
        return FileSide(kind, 0, is_there=True, is_kept=False)
    return FileSide(kind, len(history.contents({blob})[blob]), is_there=True)


def _deleted(history: History, names: Names) -> Sequence[DeletedFile]:
    """Look for files that are gone, the last first."""
    brought_in(history)
    revisions = history.revisions("", LOOKED_AT)
    now = history.files_at(revisions[0].id) if revisions else {}
    found: dict[str, tuple[Revision, str]] = {}
    for revision in revisions:
        for each in revision.files:
            if each.old and each.new is None and each.file not in now and not is_content(each.file):
                found.setdefault(each.file, (revision, each.old))
    shown = dict(list(found.items())[:SHOWN])
    gone = history.gone({old for file, (_, old) in shown.items() if file != SETTINGS})
    return [DeletedFile(file, view(by, names), old not in gone) for file, (by, old) in shown.items()]


ROUTES = (
    DashboardRoute("GET", route(HISTORY), Need.SESSION, history),
    DashboardRoute("GET", route(f"{SITE_SETTINGS}/history"), Need.SESSION, settings_history),
    DashboardRoute("GET", route(f"{SITE_SETTINGS}/history/delete"), Need.STEP_UP, ask_forget),
    DashboardRoute("POST", route(f"{SITE_SETTINGS}/history/delete"), Need.STEP_UP, forget),
    DashboardRoute("GET", route(DELETED), Need.SESSION, deleted),
    DashboardRoute("POST", route(RESTORE), Need.SESSION, restore),
)
