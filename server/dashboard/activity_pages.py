"""Activity: who did what with which key, newest first, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from aiohttp import web

from server.control import audit
from server.control.audit import Event
from server.dashboard.pages import HEADERS
from server.dashboard.visit import DashboardRoute, Need, Visit

ACTIVITY = "/activity"
SHOWN = 100
KINDS = {
    "site": "Sites",
    "site_key": "Site keys",
    "database": "Databases",
    "key": "API keys",
    "account": "Account",
    "session": "Sessions",
    "passkey": "Passkeys",
}
SAID = {
    "account.create": "Account created",
    "account.plan": "Plan changed",
    "account.suspend": "Account suspended",
    "account.clear": "Suspension cleared",
    "account.email": "Address changed",
    "account.password": "Password changed",
    "account.operator": "Operator's rights changed",
    "account.delete": "Account to be deleted",
    "account.restore": "Account restored",
    "account.export": "Account exported",
    "account.codes.on": "Codes turned on",
    "account.codes.off": "Codes turned off",
    "account.codes.recovery": "Recovery code used",
    "passkey.create": "Passkey added",
    "passkey.delete": "Passkey deleted",
    "session.begin": "Signed in",
    "session.step_up": "Signed in again",
    "session.end": "Session ended",
    "site.create": "Site created",
    "site.import": "Site imported",
    "site.rename": "Site renamed",
    "site.delete": "Site to be deleted",
    "site.restore": "Site restored",
    "site_key.create": "Site key created",
    "site_key.rotate": "Site key rotated",
    "site_key.disable": "Site key disabled",
    "site_key.enable": "Site key enabled",
    "site_key.delete": "Site key deleted",
    "key.create": "API key created",
    "key.rotate": "API key rotated",
    "key.disable": "API key disabled",
    "key.enable": "API key enabled",
    "key.delete": "API key deleted",
    "database.create": "Database created",
    "database.reveal": "Password revealed",
    "database.rotate": "Password rotated",
    "database.delete": "Database deleted",
    "database.recreate": "Database created again",
}


async def activity(visit: Visit) -> web.StreamResponse:
    """Show the last events, of one kind if that is asked for."""
    kind = visit.request.query.get("kind", "")
    found = [event for event in audit.events(visit.desk.database, visit.who.id) if _is_of(event, kind)]
    return visit.show(
        "activity.html",
        here=ACTIVITY,
        events=found[:SHOWN],
        more=len(found) > SHOWN,
        kind=kind if kind in KINDS else "",
        kinds=KINDS,
        said=SAID,
        named=_names(visit),
    )


async def export(visit: Visit) -> web.StreamResponse:
    """All events as JSON."""
    data = msgspec.json.encode(audit.events(visit.desk.database, visit.who.id, 0))
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="activity.json"'}
    return web.Response(body=data, content_type="application/json", headers=headers)


def _is_of(event: Event, kind: str) -> bool:
    return kind not in KINDS or event.action.partition(".")[0] == kind


def _names(visit: Visit) -> Callable[[str], str]:
    """Name actors as the owner knows them: by the label of a key, or the browser of a session."""
    keys = {key.id: f"Key {key.label or '…' + key.last_four}" for key in visit.desk.keys.list(visit.who.id)}
    here = visit.desk.sessions.of(visit.who.id)
    sessions = {f"session {one.id}": one.client or "A browser" for one in here}
    known = {**keys, **sessions, visit.who.id: "You"}
    return lambda actor: "The operator" if actor.startswith("operator") else known.get(actor, actor)


ROUTES = (
    DashboardRoute("GET", ACTIVITY, Need.SESSION, activity),
    DashboardRoute("GET", f"{ACTIVITY}.json", Need.SESSION, export),
)
