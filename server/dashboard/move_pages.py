"""Give a page another path, or delete it.

A move is one change: the page's files go, and come with the same bytes elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from aiohttp import web
from msgspec import Struct

from builder import paths
from builder.config.settings_text import InvalidSettings
from builder.errors import PageNotFound, RevisionMismatch, StorageError, TwinpressError
from builder.paths import TWIN_SUFFIX
from builder.review import Inbound
from builder.store import Replacement
from server.authoring import site_settings
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor
from server.authoring.reviewer import ReviewTooLong
from server.control.hosted_sites import HostedSite
from server.dashboard.forms import form
from server.dashboard.site_visit import address, asked_path, author, own_site, route, use
from server.dashboard.tree_pages import PAGE, PAGES
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.history.restoring import emptied
from server.http.failure import Failure


class _Path(Struct, frozen=True):
    path: str


class _Move(Struct, frozen=True):
    path: str
    to: str = ""
    redirect: bool = False


async def ask_delete(visit: Visit) -> web.StreamResponse:
    """Show the form that deletes a page, with the links that would lead nowhere."""
    site, path = own_site(visit), asked_path(visit)
    source = await use(visit, site, lambda opened: opened.service.source(path, any_size=True))
    links = await _inbound(visit, site, source.path)
    return visit.show("site-page-delete.html", site=site, source=source, links=links)


async def _inbound(visit: Visit, site: HostedSite, path: str) -> Sequence[Inbound] | None:
    """The links to a page, None where they cannot be found out."""
    async with visit.desk.sites.opened.use(site.id, site.plan) as opened:
        try:
            return await asyncio.wrap_future(opened.reviewer.inbound(path))
        except (ReviewTooLong, TwinpressError):
            return None


async def delete(visit: Visit) -> web.StreamResponse:
    """Delete a page; the history keeps it."""
    site, edited, given = own_site(visit), author(visit), await form(visit.request, _Path)

    def remove(opened: OpenSite) -> None:
        opened.store.delete(given.path, note=edited.note, permit=edited.permit)
        opened.parts.changed(given.path)

    await use(visit, site, remove)
    return visit.did(address(site, PAGES), f"{given.path} is deleted. Its history can restore it.")


async def ask_move(visit: Visit) -> web.StreamResponse:
    """Show the form that gives a page another path."""
    site, path = own_site(visit), asked_path(visit)
    source = await use(visit, site, lambda opened: opened.service.source(path, any_size=True))
    links = await _inbound(visit, site, source.path)
    return visit.show("site-page-move.html", site=site, source=source, given={"to": source.path}, links=links)


async def move(visit: Visit) -> web.StreamResponse:
    """Give a page another path, with its twin."""
    site, edited, given = own_site(visit), author(visit), await form(visit.request, _Move)

    try:
        path, fault = await use(visit, site, lambda opened: _move_and_redirect(opened, given, edited))
    except RevisionMismatch:
        message = "There is a page at this path already, or somebody has just saved this one."
    except Failure as failure:
        message = sentence(failure)
    else:
        said = f"But there is no redirect to it: {fault}" if fault else ""
        return visit.did(address(site, PAGE, path=path), f"The page is at {path} now. {said}".strip())
    source = await use(visit, site, lambda opened: opened.service.source(given.path, any_size=True))
    return visit.show(
        "site-page-move.html",
        422,
        site=site,
        source=source,
        given={"to": given.to},
        errors={"to": message},
        links=await _inbound(visit, site, source.path),
    )


def _move_and_redirect(opened: OpenSite, given: _Move, edited: ChangeAuthor) -> tuple[str, str]:
    """Move a page as it is asked for; return its new path, and why no redirect leads there, if so.

    Raises as `_move_page`.
    """
    old = opened.service.view.address(opened.service.source(given.path, any_size=True))
    path = _move_page(opened, given.path, given.to.strip().strip("/"), edited)
    if not given.redirect or path == given.path:
        return path, ""
    try:
        new = opened.service.view.address(opened.service.source(path, any_size=True))
        site_settings.add_redirect(opened, old, new, edited)
    except (InvalidSettings, RevisionMismatch, StorageError) as error:
        return path, sentence(error)  # the page has moved all the same
    return path, ""


def _move_page(opened: OpenSite, path: str, to: str, edited: ChangeAuthor) -> str:
    """Move a page with its twin; return its new path.

    Raises InvalidPath, PageNotFound, RevisionMismatch where there is a page already or somebody saves one of
    both, PathConflict, StorageError; then nothing has changed.
    """
    source, to = opened.store.read(path, any_size=True), paths.parse(to)
    if to == source.path:
        return to
    if _exists(opened, to):
        raise RevisionMismatch("there is a page already", path=to, hint="use another path")
    files = {source.file: f"{to}.{source.format}"}
    twin = f"{source.path}{TWIN_SUFFIX}"
    if source.twin is not None:
        files[twin] = f"{to}{TWIN_SUFFIX}"
    data = {file: opened.store.read_file(file) for file in files}
    expected = {**data, **dict.fromkeys(files.values())}
    wanted = {**dict.fromkeys(files), **{files[file]: each for file, each in data.items()}}
    edited.permit()
    opened.service.take_room(0, edited)
    opened.store.put_back(Replacement(expected, wanted, drop=emptied(files)), note=edited.note)
    opened.parts.changed(source.path)
    opened.parts.changed(to)
    return to


def _exists(opened: OpenSite, path: str) -> bool:
    try:
        opened.store.read(path, any_size=True)
    except PageNotFound:
        return False
    return True


ROUTES = (
    DashboardRoute("GET", route(f"{PAGES}/delete"), Need.SESSION, ask_delete),
    DashboardRoute("POST", route(f"{PAGES}/delete"), Need.SESSION, delete),
    DashboardRoute("GET", route(f"{PAGES}/move"), Need.SESSION, ask_move),
    DashboardRoute("POST", route(f"{PAGES}/move"), Need.SESSION, move),
)
