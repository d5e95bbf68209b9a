"""Keys of a site: create and end them, see what one of them wrote, and undo that."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from aiohttp import web
from msgspec import Struct

from builder.errors import RevisionMismatch
from server import history as past
from server.authoring.open_site import OpenSite
from server.control.errors import InvalidLabel, KeyNotFound
from server.control.hosted_sites import HostedSite
from server.control.keys.key_record import KeyRecord
from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import Created
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.pages import see
from server.dashboard.revision_views import PUT_BACK, FileView, file_views
from server.dashboard.site_visit import DASHBOARD, address, author, by, own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.history import Conflict, TooMuchAtOnce, UnknownKey
from server.http.failure import Failure
from server.prompt import prompt

KEYS = "/keys"


class _New(Struct, frozen=True):
    kind: KeyKind = KeyKind.ONE_OFF
    label: str = ""
    task: str = ""
    navigation: bool = False


class _Typed(Struct, frozen=True):
    name: str = ""


class _Undo(Struct, frozen=True):
    page: str = ""
    leave_conflicts: bool = False


class Writes(Struct, frozen=True):
    """All that a key wrote, `more` files besides those that are shown.

    `conflicts` are pages that somebody else has changed since.
    """

    files: Sequence[FileView]
    more: int
    conflicts: Sequence[Conflict]
    undone: bool


def named(key: KeyRecord) -> str:
    """The label; a key without one goes by the last four signs of its value."""
    return key.label or f"…{key.last_four}"


def typed_name(key: KeyRecord) -> str:
    """Return the signs that delete a key: its name, without the `…` that few keyboards have."""
    return key.label or key.last_four


async def keys(visit: Visit) -> web.StreamResponse:
    """Show the keys of a site, and once the value of one that has just got it."""
    return _page(visit, own_site(visit))


async def create(visit: Visit) -> web.StreamResponse:
    """Create a key; the page that follows shows it once."""
    site = own_site(visit)
    try:
        given = await form(visit.request, _New)
        keys, label = visit.desk.sites.keys, given.label.strip()
        made = keys.create(given.kind, site.id, label, by(visit), navigation=given.navigation)
    except FormError as error:
        return _page(visit, site, errors=error.errors, given=error.given)
    except InvalidLabel as error:
        return _page(
            visit,
            site,
            errors={"label": sentence(error)},
            given={"label": given.label, "navigation": given.navigation},
        )
    return _shown(visit, site, made, given.task)


async def rotate(visit: Visit) -> web.StreamResponse:
    """Give a long-lived key a new value, which the page that follows shows once."""
    await pressed(visit.request)
    site, key = _own(visit)
    if key.kind != KeyKind.LONG_LIVED:
        raise Failure("NOT_FOUND", "a one-off key is not rotated: create another")
    return _shown(visit, site, visit.desk.sites.keys.rotate(key.id, by(visit)))


async def disable(visit: Visit) -> web.StreamResponse:
    """Disable a key: it opens nothing until it is enabled."""
    await pressed(visit.request)
    site, key = _own(visit)
    visit.desk.sites.keys.disable(key.id, by(visit))
    return visit.did(address(site, KEYS), f"{named(key)} is disabled.")


async def enable(visit: Visit) -> web.StreamResponse:
    """Enable a key that was disabled."""
    await pressed(visit.request)
    site, key = _own(visit)
    visit.desk.sites.keys.enable(key.id, by(visit))
    return visit.did(address(site, KEYS), f"{named(key)} is enabled.")


async def end(visit: Visit) -> web.StreamResponse:
    """End a one-off key before its hour is over."""
    await pressed(visit.request)
    site, key = _own(visit)
    if key.kind != KeyKind.ONE_OFF:
        raise Failure("NOT_FOUND", "a long-lived key is disabled or deleted")
    visit.desk.sites.keys.delete(key.id, by(visit))
    return visit.did(address(site, KEYS), f"The one-off key {named(key)} has ended.")


async def ask_delete(visit: Visit) -> web.StreamResponse:
    """Show the form that deletes a key."""
    return _ask_delete(visit, *_own(visit))


async def delete(visit: Visit) -> web.StreamResponse:
    """Delete a key whose name was typed."""
    (site, key), given = _own(visit), await form(visit.request, _Typed)
    if given.name.strip() not in {typed_name(key), named(key)}:
        errors = {"name": f"Type {typed_name(key)} to delete this key."}
        return _ask_delete(visit, site, key, errors)
    visit.desk.sites.keys.delete(key.id, by(visit))
    return visit.did(address(site, KEYS), f"{named(key)} is deleted. What it wrote stays.")


def _ask_delete(
    visit: Visit, site: HostedSite, key: KeyRecord, errors: Mapping[str, str] | None = None
) -> web.Response:
    status, names = 422 if errors else 200, {"name": named(key), "typed": typed_name(key)}
    return visit.show("site-key-delete.html", status, site=site, errors=errors or {}, **names)


async def writes(visit: Visit) -> web.StreamResponse:
    """Show all that a key wrote, as one difference."""
    site, id = own_site(visit), visit.request.match_info["id"]
    found = await use(visit, site, lambda opened: _writes(opened, id))
    known = [key for key in visit.desk.sites.keys.list(site.id) if key.id == id]
    if not known and not found.files and not found.undone:
        raise KeyNotFound("there is no such key here")
    name = named(known[0]) if known else f"key {id}"
    return visit.show("site-key-writes.html", site=site, id=id, name=name, found=found)


async def undo(visit: Visit) -> web.StreamResponse:
    """Undo what a key wrote: all of it, or one page."""
    site, id, given = own_site(visit), visit.request.match_info["id"], await form(visit.request, _Undo)

    edited = author(visit)

    def act(opened: OpenSite) -> tuple[past.Restored, Sequence[Conflict]]:
        edited.permit()
        done, plan = past.undo(
            opened.history,
            opened.store,
            id,
            leave_conflicts=given.leave_conflicts,
            page=given.page,
            label=DASHBOARD,
            most=PUT_BACK,
        )
        return done, plan.conflicts

    try:
        done, conflicts = await use(visit, site, act)
    except TooMuchAtOnce as error:
        return visit.refused(address(site, f"{KEYS}/{id}/writes"), f"Nothing was undone. {sentence(error)}")
    except UnknownKey as error:
        raise KeyNotFound("this key has written nothing here") from error
    except RevisionMismatch as error:
        raise Failure("TOO_BUSY", "somebody else keeps writing these pages: try again") from error
    then, files = address(site, f"{KEYS}/{id}/writes"), len(done.changed) + len(done.removed)
    if not files:
        return visit.refused(then, f"Nothing was undone: {_reason(conflicts, given)}")
    return visit.did(then, f"{files} file{'s are' if files != 1 else ' is'} as before.")


def _reason(conflicts: Sequence[Conflict], given: _Undo) -> str:
    if conflicts and given.page:
        return "somebody else has changed this page since. Its history has the versions before."
    if conflicts and not given.leave_conflicts:
        return "somebody else has changed a page since. Undo the others one by one."
    return "nothing is left that can be undone."


def _writes(opened: OpenSite, id: str) -> Writes:
    opened.history.catch_up()
    revisions = opened.history.revisions()
    changes = {file: pair for file, pair in past.changes_of(revisions, id).items() if pair[0] != pair[1]}
    now = opened.history.files_at(revisions[0].id) if revisions else {}
    conflicts = past.plan(revisions, id, now).conflicts if changes else ()
    undone = any(each.note.act == "undo" and each.note.about == id for each in revisions)
    files = file_views(opened.history, changes)
    return Writes(files, len(changes) - len(files), conflicts, undone)


def _own(visit: Visit) -> tuple[HostedSite, KeyRecord]:
    """The key of the address, if it is of this site. Raises KeyNotFound, also for those of others."""
    site, key = own_site(visit), visit.desk.sites.keys.get(visit.request.match_info["id"])
    if key.site != site.id:
        raise KeyNotFound("there is no such key here")
    return site, key


def _shown(visit: Visit, site: HostedSite, made: Created, task: str = "") -> web.Response:
    return see(address(site, KEYS, new=made.record.id, shown=visit.keep(f"{made.text}\n{task}")))


def _page(visit: Visit, site: HostedSite, **values: object) -> web.Response:
    now, query = int(time.time()), visit.request.query
    every = visit.desk.sites.keys.list(site.id)
    kept = visit.take(query["shown"]) if "shown" in query else None
    text, _, task = (kept or "").partition("\n")
    new = next((key for key in every if text and key.id == query.get("new")), None)
    left = (new.expires_at - now) if new and new.expires_at else None
    choices = visit.desk.sites.choices.of(site.id)
    said = prompt(visit.desk.address.origin, text, left and left // 60, task) if new else ""
    return visit.show(
        "site-keys.html",
        422 if values.get("errors") else 200,
        site=site,
        one_off=[key for key in reversed(every) if key.kind == KeyKind.ONE_OFF],
        long_lived=[key for key in every if key.kind == KeyKind.LONG_LIVED],
        now=now,
        named=named,
        new=new,
        text=text,
        left=left,
        prompt=said,
        task=task,
        publishes_itself=new is not None and choices.publishes(new.kind),
        **values,
    )


def _on(act: str) -> str:
    return route(f"{KEYS}/{{id}}/{act}")


ROUTES = (
    DashboardRoute("GET", route(KEYS), Need.SESSION, keys),
    DashboardRoute("POST", route(KEYS), Need.SESSION, create),
    DashboardRoute("POST", _on("rotate"), Need.SESSION, rotate),
    DashboardRoute("POST", _on("disable"), Need.SESSION, disable),
    DashboardRoute("POST", _on("enable"), Need.SESSION, enable),
    DashboardRoute("POST", _on("end"), Need.SESSION, end),
    DashboardRoute("GET", _on("delete"), Need.SESSION, ask_delete),
    DashboardRoute("POST", _on("delete"), Need.SESSION, delete),
    DashboardRoute("GET", _on("writes"), Need.SESSION, writes),
    DashboardRoute("POST", _on("undo"), Need.SESSION, undo),
)
