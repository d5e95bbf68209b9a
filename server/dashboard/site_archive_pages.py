"""Import a site from an archive that its owner uploads, and export one as a zip."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO

import msgspec
from aiohttp import BodyPartReader, web
from msgspec import Struct

from builder.errors import PathConflict, StorageError
from server.authoring.site_work import ARCHIVES
from server.authoring.store_failures import failure_of
from server.control.errors import InvalidSiteName, SiteLimitReached, SiteNameTaken
from server.control.hosted_sites import HostedSite
from server.dashboard.bodies import take_file, take_parts
from server.dashboard.pages import HEADERS, see
from server.dashboard.site_visit import address, by, own_site, route
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure
from server.http.limits import AtOnce
from server.sites.archive_limits import ArchiveRefused
from server.sites.export_archive import export_archive
from server.sites.read_archive import ImportReport, import_archive

IMPORT = "/sites/import"
MOST_BYTES = 200 * 1024 * 1024
"""Of an archive."""
SECONDS = 900.0
"""For an upload: those with slow lines have it, too."""
SLOW = 64 * 1024
"""Bytes in a second that a download has at least: a few people could hold all places for days."""
AT_ONCE, ALL_AT_ONCE = 2, ARCHIVES
"""Archives of one account, and of all, at a time: each is on the disk for as long as it takes."""
_ARCHIVES = AtOnce()
_CHUNK = 256 * 1024
_LONGEST_NAME = 1024


class _Upload(Struct):
    """A form with a file, which is read to its beginning again."""

    name: str
    archive: BinaryIO
    size: int


async def ask_import(visit: Visit) -> web.StreamResponse:
    """Show the form for an archive."""
    return visit.show("site-import.html", most=MOST_BYTES)


async def bring(visit: Visit) -> web.StreamResponse:
    """Import a site, and show what was taken and what was left out."""
    with _place(visit), TemporaryFile(dir=visit.desk.sites.opened.root("")) as file:
        upload = await _read(visit.request, file)
        if not upload.size:
            return _refused(visit, upload.name, {"archive": "Choose a zip or a tar of a site's folder."})
        try:
            site, report = await visit.desk.sites.pack(lambda: _imported(visit, upload))
        except (InvalidSiteName, SiteNameTaken, SiteLimitReached) as error:
            return _refused(visit, upload.name, {"name": sentence(error)})
        except ArchiveRefused as error:
            entry = f"{error.path}: " if error.path else ""
            return _refused(visit, upload.name, {"archive": f"{entry}{sentence(error)}"})
        except (StorageError, PathConflict) as error:
            raise failure_of(error) from error
    return see(address(site, "/imported", shown=visit.keep(msgspec.json.encode(report).decode())))


async def imported(visit: Visit) -> web.StreamResponse:
    """Show what an import has taken and left out, once."""
    site, kept = own_site(visit), visit.take(visit.request.query.get("shown", ""))
    if kept is None:
        return see(address(site))
    return visit.show("site-imported.html", site=site, report=msgspec.json.decode(kept, type=ImportReport))


async def export(visit: Visit) -> web.StreamResponse:
    """Send the files of a site as a zip."""
    site, work = own_site(visit), visit.desk.sites
    root = work.opened.root
    with _place(visit), TemporaryFile(dir=root("")) as file:
        await work.pack(lambda: export_archive(root(site.id), work.watched(file)))
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        return await _send(visit.request, f"{site.name}.zip", file, size)


@contextmanager
def _place(visit: Visit) -> Iterator[None]:
    """A place among those who have an archive on the disk. Raises Failure."""
    with _ARCHIVES.one(visit.who.id, AT_ONCE, "person"), _ARCHIVES.one("", ALL_AT_ONCE, "service"):
        yield


def _imported(visit: Visit, upload: _Upload) -> tuple[HostedSite, ImportReport]:
    reports: list[ImportReport] = []
    work = visit.desk.sites
    site = work.created(
        visit.who.id,
        upload.name,
        by(visit),
        lambda folder: reports.append(import_archive(work.watched(upload.archive), folder)),
        "site.import",
    )
    return site, reports[0]


def _refused(visit: Visit, name: str, errors: dict[str, str]) -> web.Response:
    return visit.show("site-import.html", 422, most=MOST_BYTES, given={"name": name}, errors=errors)


async def _read(request: web.Request, file: BinaryIO) -> _Upload:
    """Read the form into a file. Raises Failure for what no form of ours sends, and for too much."""
    upload = _Upload("", file, 0)
    await take_parts(request, SECONDS, lambda part: _part(part, upload))
    file.seek(0)
    return upload


async def _part(part: BodyPartReader, upload: _Upload) -> None:
    if part.name == "name":
        data = await part.read_chunk(_LONGEST_NAME)
        upload.name = data.decode(errors="replace")
    elif part.name == "archive":
        upload.size = await take_file(part, upload.archive, MOST_BYTES, "the archive")
    else:
        raise Failure("BAD_REQUEST", "this is no form of this page", last=True)


async def _send(request: web.Request, name: str, file: BinaryIO, size: int) -> web.StreamResponse:
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    response = web.StreamResponse(headers=headers)
    response.content_type, response.content_length = "application/zip", size
    await response.prepare(request)
    try:
        async with asyncio.timeout(SECONDS + size / SLOW):
            while chunk := await asyncio.to_thread(file.read, _CHUNK):
                await response.write(chunk)
            await response.write_eof()
    except TimeoutError:  # a part of the answer is sent: the connection has to break off
        if request.transport is not None:
            request.transport.abort()
    return response


ROUTES: Sequence[DashboardRoute] = (
    DashboardRoute("GET", IMPORT, Need.SESSION, ask_import),
    DashboardRoute("POST", IMPORT, Need.SESSION, bring),
    DashboardRoute("GET", route("/imported"), Need.SESSION, imported),
    DashboardRoute("GET", route("/export"), Need.SESSION, export),
)
