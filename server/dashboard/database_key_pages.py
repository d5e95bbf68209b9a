"""API Keys: the keys with which an account's scripts manage its databases."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web
from msgspec import Struct

from server.control.errors import InvalidLabel, KeyLimitReached, KeyNotFound
from server.control.keys.management_key import ManagementKey
from server.control.keys.management_keys import NewValue
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.pages import see
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence

KEYS = "/databases/keys"


class _New(Struct, frozen=True):
    label: str = ""


class _Typed(Struct, frozen=True):
    name: str = ""


def named(key: ManagementKey) -> str:
    """The label; a key without one goes by the last four signs of its value."""
    return key.label or f"…{key.last_four}"


def typed_name(key: ManagementKey) -> str:
    """Return the signs that delete a key: its name, without the `…` that few keyboards have."""
    return key.label or key.last_four


async def keys(visit: Visit) -> web.StreamResponse:
    """Show all keys, and once the value of one that has just got it."""
    return _page(visit)


async def create(visit: Visit) -> web.StreamResponse:
    """Create a key; the page that follows shows its value once."""
    try:
        given = await form(visit.request, _New)
        made = visit.desk.keys.create(visit.who.id, given.label.strip(), visit.actor)
    except FormError as error:
        return _page(visit, errors=error.errors, given=error.given)
    except InvalidLabel as error:
        return _page(visit, errors={"label": sentence(error)}, given={"label": given.label})
    except KeyLimitReached:
        return _page(visit, refused="The key was not created")
    return _shown(visit, made)


async def rotate(visit: Visit) -> web.StreamResponse:
    """Give a key a new value, which the page that follows shows once."""
    await pressed(visit.request)
    return _shown(visit, visit.desk.keys.rotate(_own(visit).id, visit.actor))


async def disable(visit: Visit) -> web.StreamResponse:
    """Disable a key: it opens nothing, and does not count."""
    await pressed(visit.request)
    return visit.did(KEYS, f"{named(visit.desk.keys.disable(_own(visit).id, visit.actor))} is disabled.")


async def enable(visit: Visit) -> web.StreamResponse:
    """Enable a key, or name those that could be disabled in its place."""
    await pressed(visit.request)
    key = _own(visit)
    try:
        visit.desk.keys.enable(key.id, visit.actor)
    except KeyLimitReached:
        return _page(visit, refused=f"{named(key)} was not enabled")
    return visit.did(KEYS, f"{named(key)} is enabled.")


async def ask_delete(visit: Visit) -> web.StreamResponse:
    """Show the form that deletes a key."""
    return _ask_delete(visit, _own(visit))


async def delete(visit: Visit) -> web.StreamResponse:
    """Delete a key whose name was typed."""
    key, given = _own(visit), await form(visit.request, _Typed)
    if given.name.strip() not in {typed_name(key), named(key)}:
        errors = {"name": f"Type {typed_name(key)} to delete this key."}
        return _ask_delete(visit, key, errors)
    visit.desk.keys.delete(key.id, visit.actor)
    return visit.did(KEYS, f"{named(key)} is deleted.")


def _ask_delete(visit: Visit, key: ManagementKey, errors: Mapping[str, str] | None = None) -> web.Response:
    status, names = 422 if errors else 200, {"name": named(key), "typed": typed_name(key)}
    return visit.show("database-key-delete.html", status, here=KEYS, errors=errors or {}, **names)


def _own(visit: Visit) -> ManagementKey:
    """The key of the address, if it is of this account. Raises KeyNotFound, also for those of others."""
    key = visit.desk.keys.get(visit.request.match_info["id"])
    if key.account != visit.who.id:
        raise KeyNotFound("there is no such key here")
    return key


def _shown(visit: Visit, made: NewValue) -> web.Response:
    return see(f"{KEYS}?new={made.record.id}&shown={visit.keep(made.text)}")


def _page(visit: Visit, *, refused: str = "", **values: object) -> web.Response:
    all_keys = visit.desk.keys.list(visit.who.id)
    active = [key for key in all_keys if not key.disabled]
    query = visit.request.query
    text = visit.take(query["shown"]) if "shown" in query else None
    return visit.show(
        "database-keys.html",
        409 if refused else 422 if values.get("errors") else 200,
        here=KEYS,
        keys=all_keys,
        active=active,
        limits=visit.desk.plans,
        most=visit.desk.plans[visit.who.plan].active_keys,
        refused=refused,
        named=named,
        new=next((key for key in all_keys if text and key.id == query.get("new")), None),
        text=text,
        **values,
    )


def _on(act: str) -> str:
    return f"{KEYS}/{{id}}/{act}"


ROUTES = (
    DashboardRoute("GET", KEYS, Need.SESSION, keys),
    DashboardRoute("POST", KEYS, Need.SESSION, create),
    DashboardRoute("POST", _on("rotate"), Need.SESSION, rotate),
    DashboardRoute("POST", _on("disable"), Need.SESSION, disable),
    DashboardRoute("POST", _on("enable"), Need.SESSION, enable),
    DashboardRoute("GET", _on("delete"), Need.SESSION, ask_delete),
    DashboardRoute("POST", _on("delete"), Need.SESSION, delete),
)
