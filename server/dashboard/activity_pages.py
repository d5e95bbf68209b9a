"""Activity: who did what with which key, newest first, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from aiohttp import web

from server.control import audit
from server.control.audit import Event
from server.control.keys.key_record import KeyRecord
from server.control.keys.management_key import ManagementKey
from server.control.sign_in.browser_sessions import BrowserSession
from server.dashboard.pages import HEADERS
from server.dashboard.visit import DashboardRoute, Need, Visit
from server.hosting import hosted

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
    "site.publish": "Publishing started",
    "site.roll_back": "Site rolled back",
    "site.return_to_latest": "Returned to the latest release",
    "site.unpublish": "Site taken offline",
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
        named=_actors(visit),
        subjects=_subjects(visit),
    )


async def export(visit: Visit) -> web.StreamResponse:
    """All events as JSON."""
    data = msgspec.json.encode(audit.events(visit.desk.database, visit.who.id, 0))
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="activity.json"'}
    return web.Response(body=data, content_type="application/json", headers=headers)


def _is_of(event: Event, kind: str) -> bool:
    return kind not in KINDS or event.action.partition(".")[0] == kind


def _actors(visit: Visit) -> Callable[[str], str]:
    """Name actors as the owner knows them: by the label of a key, or the browser of a session."""
    keys = {key.id: f"Key {_label(key)}" for key in visit.desk.keys.list(visit.who.id)}
    sessions = {f"session {one.id}": _in(one) for one in visit.desk.sessions.of(visit.who.id)}
    known = {**keys, **sessions, visit.who.id: "You"}

    def name(actor: str) -> str:
        if actor.startswith("operator"):
            return "The operator"
        return known.get(actor) or ("You" if actor.startswith("session ") else actor)

    return name


def _subjects(visit: Visit) -> Mapping[str, str]:
    """The names of all that an event can be about, by id; what is gone has none."""
    desk, account = visit.desk, visit.who.id
    sites = desk.sites.sites.list(account)
    return {
        **{one.id: one.name for one in sites},
        **{key.id: f"{_label(key)} of {one.name}" for one in sites for key in desk.sites.keys.list(one.id)},
        **{key.id: _label(key) for key in desk.keys.list(account)},
        **{one.id: one.name for one in hosted.of_account(desk.database, account, -1)},
        **{one.id: one.client for one in desk.sessions.of(account) if one.client},
        **{one.id: one.label for one in desk.passkeys.of(account) if one.label},
        account: visit.who.email,
    }


def _label(key: ManagementKey | KeyRecord) -> str:
    return key.label or f"…{key.last_four}"


def _in(session: BrowserSession) -> str:
    return f"You, in {session.client}" if session.client else "You"


ROUTES = (
    DashboardRoute("GET", ACTIVITY, Need.SESSION, activity),
    DashboardRoute("GET", f"{ACTIVITY}.json", Need.SESSION, export),
)
