"""Common to the pages of one site: the site of the address, and in whose name it is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import quote

from builder import paths
from builder.errors import (
    InvalidPath,
    NotAFile,
    PageLimitReached,
    PageNotFound,
    PageTooLarge,
    PathConflict,
    StorageError,
)
from builder.store import ChangeNote
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor
from server.authoring.store_failures import failure_of
from server.control.audit import By
from server.control.errors import SiteGone, SiteNotFound
from server.control.hosted_sites import HostedSite
from server.control.keys.key_text import KeyKind
from server.dashboard.bodies import SENDER
from server.dashboard.visit import Visit
from server.http.failure import Failure
from server.releases.object_store import ReplacedMeanwhile
from server.releases.release import DamagedRelease, ReleaseNotFound

T = TypeVar("T")
SITES, PREVIEW = "/sites", "/preview"
DASHBOARD = "dashboard"
"""The label of changes in a site's history that its owner has made in a browser."""


def route(act: str = "") -> str:
    """The address of a page of a site, as the table of routes has it."""
    return f"{SITES}/{{site:[a-z0-9-]+}}{act}"


def address(site: HostedSite, act: str = "", **query: str) -> str:
    """The address of a page of this site."""
    said = "&".join(f"{name}={quote(text, safe='/')}" for name, text in query.items())
    return f"{SITES}/{site.name}{act}{'?' if said else ''}{said}"


def preview_path(site: HostedSite) -> str:
    """The address below which the owner, signed in, sees the pages of this site as they are now."""
    return address(site, PREVIEW)


def own_site(visit: Visit) -> HostedSite:
    """The site of the address. Raises Failure where there is none, also for those of others.

    One that is to be deleted has no pages here: its owner restores it first.
    """
    try:
        site = visit.desk.sites.sites.named(visit.who.id, visit.request.match_info["site"])
    except SiteNotFound as error:
        raise Failure("NOT_FOUND", "there is no such site here") from error
    if site.delete_at is not None:
        raise Failure("NOT_FOUND", "this site is to be deleted: restore it in the list of sites first")
    return site


def asked_path(visit: Visit) -> str:
    """Return the path of the page that the address asks for. Raises Failure."""
    try:
        return paths.parse(visit.request.query.get("path", ""))
    except InvalidPath as error:
        raise failure_of(error) from error


def by(visit: Visit) -> By:
    """The session, in whose name rows are changed; what its route needs is checked again in the change."""
    return By(visit.actor, visit.request[SENDER].check)


def author(visit: Visit) -> ChangeAuthor:
    """The owner, in whose name files are changed; the same is checked again when it is their turn."""
    return ChangeAuthor(ChangeNote(label=DASHBOARD), visit.request[SENDER].check)


def preview_of(visit: Visit, site: HostedSite, page: str = "/") -> str:
    """The address at which a page, by its own one, or the site is shown as readers would see it, if at all.

    Raises SessionEnded, and Failure for a site that has gone in this moment.
    """
    if visit.desk.previews is None or visit.session is None:
        return ""
    try:
        found = visit.desk.previews.address(visit.session.id, site.id)
    except SiteGone as error:
        raise Failure("NOT_FOUND", "there is no such site here") from error
    return found + page


def key_names(visit: Visit, site: HostedSite) -> dict[str, str]:
    """The names of the keys of a site, by their ids."""
    kinds = {KeyKind.ONE_OFF: "one-off key", KeyKind.LONG_LIVED: "key"}
    keys = visit.desk.sites.keys.list(site.id)
    return {key.id: f"{kinds[key.kind]} {key.label or '…' + key.last_four}" for key in keys}


def actor_name(actor: str, names: Mapping[str, str]) -> str:
    """Return who an actor of the activity is to the owner; `names` are those of keys."""
    if actor.startswith("session "):
        return "you"
    return "the operator" if actor.startswith("operator") else names.get(actor, "a deleted key")


async def use_releases(visit: Visit, work: Callable[[], T]) -> T:
    """Do work on a site's releases, apart from the event loop. Raises Failure where it cannot be done."""
    try:
        return await visit.desk.sites.do(work)
    except (ReleaseNotFound, SiteNotFound) as error:
        raise Failure("NOT_FOUND", str(error)) from error
    except ReplacedMeanwhile as error:
        raise Failure("TOO_BUSY", str(error), {"Retry-After": "1"}) from error
    except (StorageError, DamagedRelease) as error:
        raise failure_of(error) from error


async def use(visit: Visit, site: HostedSite, work: Callable[[OpenSite], T]) -> T:
    """Do work on the site's files, apart from the event loop. Raises Failure where the store refuses."""
    try:
        return await visit.desk.sites.use(site, work)
    except NotAFile as error:
        hint = "whoever runs the service can move it away"
        raise Failure("PATH_CONFLICT", f"{error} ({hint})") from error
    except (StorageError, InvalidPath, PathConflict, PageNotFound, PageTooLarge, PageLimitReached) as error:
        raise failure_of(error) from error
