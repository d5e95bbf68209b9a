"""The history of one page: its versions, what each changed, and how to come back to one."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web
from msgspec import Struct

from builder.errors import PageNotFound, RevisionMismatch, TwinpressError
from server import history as past
from server.authoring.open_site import OpenSite
from server.dashboard.forms import form
from server.dashboard.revision_views import (
    PUT_BACK,
    FileView,
    Names,
    RevisionView,
    brought_in,
    changes_in,
    file_views,
    view,
)
from server.dashboard.site_visit import (
    DASHBOARD,
    address,
    asked_path,
    author,
    key_names,
    own_site,
    route,
    use,
)
from server.dashboard.tree_pages import PAGE, PAGES
from server.dashboard.visit import DashboardRoute, Need, Visit
from server.http.failure import Failure

SHOWN = 100


class _Restore(Struct, frozen=True):
    path: str
    revision: str


class Versions(Struct, frozen=True):
    """The last versions of a page, and the one that is shown; none where nothing was ever changed.

    `is_present` says that the page is now as it was after that one, `is_there` that there is a page now.
    """

    all: Sequence[RevisionView]
    shown: RevisionView | None
    files: Sequence[FileView]
    is_present: bool
    is_there: bool


async def history(visit: Visit) -> web.StreamResponse:
    """Show the versions of a page, and what one of them changed: the last one, unless another is named."""
    site, path = own_site(visit), asked_path(visit)
    names, wanted = key_names(visit, site), visit.request.query.get("revision", "")
    found = await use(visit, site, lambda opened: _versions(opened, names, path, wanted))
    return visit.show("site-history.html", site=site, path=path, found=found)


async def restore(visit: Visit) -> web.StreamResponse:
    """Put a page back as it was after a version."""
    site, given = own_site(visit), await form(visit.request, _Restore)
    edited = author(visit)

    def act(opened: OpenSite) -> past.Restored:
        edited.permit()
        opened.service.take_room(0, edited)
        done = past.restore(
            opened.history, opened.store, given.revision, given.path, label=DASHBOARD, most=PUT_BACK
        )
        opened.parts.changed(given.path)
        return done

    try:
        done = await use(visit, site, act)
    except RevisionMismatch as error:
        raise Failure("TOO_BUSY", "somebody is just saving this page: try again") from error
    except TwinpressError as error:
        raise Failure("NOT_FOUND", str(error)) from error
    if done.removed and not done.changed:
        return visit.did(address(site, PAGES), f"{given.path} was not there at that time, and is gone again.")
    new = "That is a new version." if done.changed else "It was so already."
    return visit.did(address(site, PAGE, path=given.path), f"The page is as it was. {new}")


def _versions(opened: OpenSite, names: Names, path: str, wanted: str) -> Versions:
    brought_in(opened.history)
    revisions = opened.history.revisions(path, SHOWN)
    shown = next((each for each in revisions if each.id == wanted), revisions[0] if revisions else None)
    files = file_views(opened.history, changes_in(shown, path)) if shown else ()
    views = [view(each, names) for each in revisions]
    last = view(shown, names) if shown else None
    return Versions(views, last, files, shown in revisions[:1], _is_there(opened, path))


def _is_there(opened: OpenSite, path: str) -> bool:
    try:
        opened.store.read(path, any_size=True)
    except PageNotFound:
        return False
    return True


ROUTES = (
    DashboardRoute("GET", route(f"{PAGES}/history"), Need.SESSION, history),
    DashboardRoute("POST", route(f"{PAGES}/restore"), Need.SESSION, restore),
)
