"""Files of a site beside its pages: images and downloads, listed, uploaded and deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from aiohttp import BodyPartReader, web
from msgspec import Struct

from builder.errors import RevisionMismatch
from server.authoring.open_site import OpenSite
from server.authoring.site_key_limits import site_size
from server.control.hosted_sites import HostedSite
from server.dashboard.bodies import take_file, take_parts
from server.dashboard.forms import form
from server.dashboard.site_visit import address, author, own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure
from server.http.limits import AtOnce
from server.sites.active_files import is_active
from server.sites.archive_limits import ArchiveLimits

FILES = "/pages/files"
MOST_BYTES = 20 * 1024 * 1024
"""Of one file that is uploaded."""
SECONDS = 300.0
AT_ONCE, ALL_AT_ONCE = 4, 40
"""Uploads of one account, and of all, at a time: each is on the disk, and in memory when it has come."""
SITE = ArchiveLimits()
"""Of the files of a site together: as many, and as large, as one that is imported."""
SHOWN = 1_000
KINDS = frozenset(
    {
        *("avif", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"),
        *("csv", "json", "pdf", "txt", "xlsx", "yaml", "yml", "zip"),
        *("m4a", "mp3", "mp4", "ogg", "vtt", "webm"),
        *("otf", "ttf", "woff", "woff2"),
    }
)
"""Types of files by the ends of their names: nothing that a browser would run."""
_AWKWARD = frozenset('<>:"|?*\\')
_LONGEST_FIELD, _LONGEST_NAME = 1024, 255
_UPLOADS = AtOnce()


class _Upload(Struct):
    """A form with a folder and a file."""

    file: BinaryIO
    folder: str = "static"
    name: str = ""
    size: int = 0


class _File(Struct, frozen=True):
    file: str


async def files(visit: Visit) -> web.StreamResponse:
    """Show the files of a site."""
    return await _page(visit, own_site(visit))


class _Refused(Exception):
    """The file cannot be taken; the text says why."""


async def upload(visit: Visit) -> web.StreamResponse:
    """Take a file into a folder of the site, over one of the same name."""
    site, edited = own_site(visit), author(visit)
    with _place(visit), TemporaryFile(dir=visit.desk.sites.opened.root("")) as spooled:
        given = await _read(visit.request, spooled)
        file = f"{given.folder.strip().strip('/')}/{given.name}"

        def write(opened: OpenSite) -> bool:
            spooled.seek(0)
            data = spooled.read()
            _check(given, data, opened.root)
            before = opened.bytes_of(file)
            opened.store.replace_file(file, data, expected=before, note=edited.note, permit=edited.permit)
            opened.parts.changed(file)
            return before is not None

        try:
            replaced = await use(visit, site, write)
        except _Refused as refused:
            return await _page(visit, site, given={"folder": given.folder}, errors={"file": str(refused)})
        except RevisionMismatch:
            raise Failure("TOO_BUSY", "somebody is just saving this file: try again") from None
        except Failure as failure:
            if failure.code not in {"INVALID_PATH", "PATH_CONFLICT"}:
                raise
            errors = {"folder": sentence(failure)}
            return await _page(visit, site, given={"folder": given.folder}, errors=errors)
    return visit.did(address(site, FILES), f"{file} is {'replaced' if replaced else 'there'}.")


@contextmanager
def _place(visit: Visit) -> Iterator[None]:
    """A place among those who upload. Raises Failure."""
    with _UPLOADS.one(visit.who.id, AT_ONCE, "person"), _UPLOADS.one("", ALL_AT_ONCE, "service"):
        yield


async def delete(visit: Visit) -> web.StreamResponse:
    """Delete a file."""
    site, edited, given = own_site(visit), author(visit), await form(visit.request, _File)

    def remove(opened: OpenSite) -> None:
        before = opened.bytes_of(given.file)
        if before is None:
            raise Failure("NOT_FOUND", "there is no such file")
        opened.store.replace_file(given.file, None, expected=before, note=edited.note, permit=edited.permit)
        opened.parts.changed(given.file)

    try:
        await use(visit, site, remove)
    except RevisionMismatch:
        raise Failure("TOO_BUSY", "somebody is just saving this file: try again") from None
    return visit.did(address(site, FILES), f"{given.file} is deleted. Its history can restore it.")


def _check(given: _Upload, data: bytes, root: Path) -> None:
    """Raise _Refused for a file that cannot be taken, or has no room in the site."""
    if why := _refusal(given, data):
        raise _Refused(why)
    if why := room_fault(root, given.size):
        raise _Refused(why)


def room_fault(root: Path, more: int) -> str:
    """Return the reason why a site cannot take another file of so many bytes, or ""."""
    files, size = site_size(root)
    if files >= SITE.files:
        return f"The site has {files:,} files, and may have no more."
    if size + more > SITE.total_bytes:
        most = SITE.total_bytes // 1024 // 1024
        return f"The files of a site may have {most:,} MB together. Delete some that nobody needs."
    return ""


def _refusal(given: _Upload, data: bytes) -> str:
    """The reason why a file cannot be taken, or ""."""
    if not given.name or not data:
        return "Choose a file that is not empty."
    if set(given.name) & _AWKWARD:
        return f"Its name has a sign that not every system can have in a name: {''.join(sorted(_AWKWARD))}"
    try:
        length = len(given.name.encode())
    except UnicodeEncodeError:
        return "Its name is not valid UTF-8."
    if length > _LONGEST_NAME:
        return "Its name is too long."
    kind = given.name.rpartition(".")[2].lower()
    if kind not in KINDS:
        return f"Files of this type cannot be uploaded. These can: {', '.join(sorted(KINDS))}."
    why = is_active(given.name, data)
    return f"It cannot be taken: {why}." if why else ""


async def _read(request: web.Request, file: BinaryIO) -> _Upload:
    """Read the form into a file. Raises Failure for what no form of ours sends, and for too much."""
    found = _Upload(file)
    await take_parts(request, SECONDS, lambda part: _part(part, found))
    return found


async def _part(part: BodyPartReader, found: _Upload) -> None:
    if part.name == "folder":
        found.folder = (await part.read_chunk(_LONGEST_FIELD)).decode(errors="replace")
    elif part.name == "file":
        found.name = (part.filename or "").rpartition("/")[2]
        found.size = await take_file(part, found.file, MOST_BYTES, "the file")
    else:
        raise Failure("BAD_REQUEST", "this is no form of this page", last=True)


async def _page(visit: Visit, site: HostedSite, **values: object) -> web.Response:
    def look(opened: OpenSite) -> Sequence[str]:
        return sorted(one.file for one in opened.service.view.whole().files)

    found = await use(visit, site, look)
    return visit.show(
        "site-files.html",
        422 if values.get("errors") else 200,
        site=site,
        files=found[:SHOWN],
        more=len(found) - SHOWN,
        most=MOST_BYTES,
        **values,
    )


ROUTES = (
    DashboardRoute("GET", route(FILES), Need.SESSION, files),
    DashboardRoute("POST", route(FILES), Need.SESSION, upload),
    DashboardRoute("POST", route(f"{FILES}/delete"), Need.SESSION, delete),
)
