"""Activity: who did what with which key, newest first, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlencode

import msgspec
from aiohttp import web
from msgspec import Struct

from server.control import audit
from server.control.audit import Event, EventFilter
from server.control.keys.key_record import KeyRecord
from server.control.keys.management_key import ManagementKey
from server.control.sign_in.browser_sessions import BrowserSession
from server.dashboard.pages import HEADERS
from server.dashboard.site_key_pages import KEYS
from server.dashboard.site_visit import SITES
from server.dashboard.visit import DashboardRoute, Need, Visit

YOU, OPERATOR = "you", "operator"
"""Actors that are no key."""


class ActivityNames(Struct, frozen=True):
    """The names of ids: of `actors`, and of the `subjects` that are there still.

    `parts` has the ids of what belongs to a site or a database, by its id.
    """

    actors: Mapping[str, str]
    subjects: Mapping[str, str]
    sites: Mapping[str, str]
    databases: Mapping[str, str]
    keys: Mapping[str, str]
    parts: Mapping[str, tuple[str, ...]]

    def actor(self, id: str) -> str:
        """Name one who did something."""
        if id.startswith(OPERATOR):
            return "The operator"
        return self.actors.get(id) or ("You" if id.startswith("session ") else id)

    def writes(self, event: Event) -> str:
        """Return the address of all that the key of an event has written, "" where it is none of pages."""
        site = self.sites.get(event.subject)
        is_shown = site and event.action.startswith("page.")
        return f"{SITES}/{site}{KEYS}/{event.actor}/writes" if is_shown else ""


async def activity_names(visit: Visit) -> ActivityNames:
    """Look up all that the account has."""
    desk, account = visit.desk, visit.who.id
    sites = {site.id: site.name for site in desk.sites.sites.list(account)}
    site_keys = desk.sites.keys.of_account(account)
    keys = {key.id: _label(key) for key in desk.keys.list(account)}
    rows = await desk.databases.list(account) if desk.databases else ()
    databases = {row.id: row.name for row in rows}
    sessions = desk.sessions.of(account)
    parts = {id: [id] for id in (*sites, *databases)}
    for key in site_keys:
        parts[key.site].append(key.id)
    for domain in desk.publishing.domains.claims.of_account(account):
        parts[domain.site].append(domain.name)
    subjects = {
        account: visit.who.email,
        **{one.id: one.client for one in sessions if one.client},
        **{one.id: one.label for one in desk.passkeys.of(account) if one.label},
        **{key.id: f"{_label(key)} of {sites[key.site]}" for key in site_keys},
        **sites,
        **databases,
        **keys,
    }
    named = {id: f"Key {label}" for id, label in keys.items()}
    named |= {key.id: f"Key {_label(key)} of {sites[key.site]}" for key in site_keys}
    actors = {account: "You", **{f"session {one.id}": _in(one) for one in sessions}, **named}
    return ActivityNames(
        actors, subjects, sites, databases, named, {id: tuple(ids) for id, ids in parts.items()}
    )


def _in(session: BrowserSession) -> str:
    return f"You, in {session.client}" if session.client else "You"


def _label(key: ManagementKey | KeyRecord) -> str:
    return key.label or f"…{key.last_four}"


ACTIVITY = "/activity"
SHOWN = 100
KINDS = {
    "site": "Sites",
    "site_key": "Site keys",
    "domain": "Domains",
    "page": "Pages that keys wrote",
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
    "account.webhook.create": "Webhook created",
    "account.webhook.delete": "Webhook deleted",
    "account.mails.on": "Mails about failures turned on",
    "account.mails.off": "Mails about failures turned off",
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
    "domain.add": "Domain added",
    "domain.remove": "Domain removed",
    "domain.main": "Main host changed",
    "domain.verify": "Domain verified",
    "domain.lose": "Domain moved to another account",
    "site.searches.on": "Searches counted",
    "site.searches.off": "Searches not counted any more",
    "site.vain.hide": "Address hidden",
    "site.vain.show": "Address listed again",
    "site.publish_after.on": "Publishing after writes switched on",
    "site.publish_after.off": "Publishing after writes switched off",
    "site.forget": "Old versions deleted",
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
    "page.write": "Page written",
    "page.delete": "Page deleted",
    "page.category": "Folder changed",
    "page.change": "Pages changed together",
    "page.move": "Page or folder moved",
    "site.redirects": "Redirects changed",
    "site.navigation": "Navigation changed",
    "page.undo": "Changes undone",
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


def _wanted(visit: Visit, names: ActivityNames) -> EventFilter:
    """The choice that the address says; what it cannot say is no choice."""
    about, by, kind, since = (visit.request.query.get(name, "") for name in _FIELDS)
    actors = {YOU: ((visit.who.id,), "session "), OPERATOR: ((), OPERATOR)}
    who, begin = actors.get(by, ((by,), "") if by in names.keys else ((), ""))
    return EventFilter(kind if kind in KINDS else "", who, begin, names.parts.get(about, ()), _seconds(since))


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
