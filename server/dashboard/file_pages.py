"""Files of a site beside its pages: images and downloads, listed, uploaded and deleted."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import BodyPartReader, web
from msgspec import Struct

from builder.errors import ConfigError, RevisionMismatch
from server.authoring.open_site import OpenSite
from server.control.hosted_sites import HostedSite
from server.dashboard.bodies import take_parts
from server.dashboard.forms import form
from server.dashboard.site_visit import address, author, own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure
from server.sites.active_files import is_active

FILES = "/pages/files"
MOST_BYTES = 20 * 1024 * 1024
"""Of one file that is uploaded."""
SECONDS = 300.0
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
_LONGEST_FIELD = 1024


class _Upload(Struct):
    """A form with a folder and a file."""

    folder: str = "static"
    name: str = ""
    data: bytes = b""


class _File(Struct, frozen=True):
    file: str


async def files(visit: Visit) -> web.StreamResponse:
    """Show the files of a site."""
    return await _page(visit, own_site(visit))


async def upload(visit: Visit) -> web.StreamResponse:
    """Take a file into a folder of the site, over one of the same name."""
    site, edited = own_site(visit), author(visit)
    given = await _read(visit.request)
    folder = given.folder.strip().strip("/")
    file = f"{folder}/{given.name}"
    if why := _refusal(given):
        return await _page(visit, site, given={"folder": given.folder}, errors={"file": why})

    def write(opened: OpenSite) -> bool:
        before = opened.bytes_of(file)
        opened.store.replace_file(file, given.data, expected=before, permit=edited.permit)
        opened.handlers.changed(file)
        return before is not None

    try:
        replaced = await use(visit, site, write)
    except RevisionMismatch:
        raise Failure("TOO_BUSY", "somebody is just saving this file: try again") from None
    except Failure as failure:
        if failure.code not in {"INVALID_PATH", "PATH_CONFLICT"}:
            raise
        return await _page(visit, site, given={"folder": given.folder}, errors={"folder": sentence(failure)})
    return visit.did(address(site, FILES), f"{file} is {'replaced' if replaced else 'there'}.")


async def delete(visit: Visit) -> web.StreamResponse:
    """Delete a file."""
    site, edited, given = own_site(visit), author(visit), await form(visit.request, _File)

    def remove(opened: OpenSite) -> None:
        before = opened.bytes_of(given.file)
        if before is None:
            raise Failure("NOT_FOUND", "there is no such file")
        opened.store.replace_file(given.file, None, expected=before, permit=edited.permit)
        opened.handlers.changed(given.file)

    try:
        await use(visit, site, remove)
    except RevisionMismatch:
        raise Failure("TOO_BUSY", "somebody is just saving this file: try again") from None
    return visit.did(address(site, FILES), f"{given.file} is deleted.")


def _refusal(given: _Upload) -> str:
    """The reason why a file cannot be taken, or ""."""
    if not given.name or not given.data:
        return "Choose a file that is not empty."
    if set(given.name) & _AWKWARD:
        return f"Its name has a sign that not every system can have in a name: {''.join(sorted(_AWKWARD))}"
    kind = given.name.rpartition(".")[2].lower()
    if kind not in KINDS:
        return f"Files of this type cannot be uploaded. These can: {', '.join(sorted(KINDS))}."
    why = is_active(given.name, given.data)
    return f"It cannot be taken: {why}." if why else ""


async def _read(request: web.Request) -> _Upload:
    """Read the form. Raises Failure for what no form of ours sends, and for too much."""
    found = _Upload()
    await take_parts(request, SECONDS, lambda part: _part(part, found))
    return found


async def _part(part: BodyPartReader, found: _Upload) -> None:
    if part.name == "folder":
        found.folder = (await part.read_chunk(_LONGEST_FIELD)).decode(errors="replace")
    elif part.name == "file":
        found.name = (part.filename or "").rpartition("/")[2]
        data = bytearray()
        while chunk := await part.read_chunk():
            data += chunk
            if len(data) > MOST_BYTES:
                most = MOST_BYTES // 1024 // 1024
                raise Failure("BODY_TOO_LARGE", f"the file has more than {most} MB", last=True)
        found.data = bytes(data)
    else:
        raise Failure("BAD_REQUEST", "this is no form of this page", last=True)


async def _page(visit: Visit, site: HostedSite, **values: object) -> web.Response:
    def look(opened: OpenSite) -> Sequence[str]:
        try:
            return sorted(one.file for one in opened.service.whole().files)
        except ConfigError:
            return ()

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
