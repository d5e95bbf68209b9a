"""Activity: who did what with which key, newest first, as a page and as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

import msgspec
from aiohttp import web

from server.control import audit
from server.control.audit import Wanted
from server.dashboard.activity_names import OPERATOR, YOU, ActivityNames, activity_names
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
    """Show the last events, of those that are asked for."""
    names = await activity_names(visit)
    wanted = _wanted(visit, names)
    found = audit.events(visit.desk.database, visit.who.id, SHOWN + 1, wanted)
    asked = {name: text for name in _FIELDS if (text := visit.request.query.get(name, ""))}
    return visit.show(
        "activity.html",
        here=ACTIVITY,
        events=found[:SHOWN],
        more=len(found) > SHOWN,
        asked=asked,
        query=f"?{urlencode(asked)}" if asked else "",
        kinds=KINDS,
        said=SAID,
        names=names,
    )


async def export(visit: Visit) -> web.StreamResponse:
    """All events as JSON, or those that are asked for."""
    wanted = _wanted(visit, await activity_names(visit))
    data = msgspec.json.encode(audit.events(visit.desk.database, visit.who.id, 0, wanted))
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="activity.json"'}
    return web.Response(body=data, content_type="application/json", headers=headers)


_FIELDS = ("about", "by", "kind", "since")


def _wanted(visit: Visit, names: ActivityNames) -> Wanted:
    """The choice that the address says; what it cannot say is no choice."""
    about, by, kind, since = (visit.request.query.get(name, "") for name in _FIELDS)
    actors = {YOU: ((visit.who.id,), "session "), OPERATOR: ((), OPERATOR)}
    who, begin = actors.get(by, ((by,), "") if by in names.keys else ((), ""))
    return Wanted(kind if kind in KINDS else "", who, begin, names.parts.get(about, ()), _seconds(since))


def _seconds(day: str) -> int:
    """The begin of a day such as 2026-11-15; 0 for what is none."""
    try:
        return max(0, int(datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()))
    except ValueError:
        return 0


ROUTES = (
    DashboardRoute("GET", ACTIVITY, Need.SESSION, activity),
    DashboardRoute("GET", f"{ACTIVITY}.json", Need.SESSION, export),
)
