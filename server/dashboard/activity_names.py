"""Names of what events are about and of who made them, as their owner knows them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from server.control.keys.key_record import KeyRecord
from server.control.keys.management_key import ManagementKey
from server.control.sign_in.browser_sessions import BrowserSession
from server.dashboard.visit import Visit

YOU, OPERATOR = "you", "operator"
"""Actors that are no key."""


class ActivityNames(Struct, frozen=True):
    """The names of ids: of `actors`, and of the `subjects` that are there still.

    `parts` has the ids of what belongs to a site or a database, by its id; `keys` are those of scripts.
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
    actors = {account: "You", **{f"session {one.id}": _in(one) for one in sessions}, **named}
    return ActivityNames(
        actors, subjects, sites, databases, named, {id: tuple(ids) for id, ids in parts.items()}
    )


def _in(session: BrowserSession) -> str:
    return f"You, in {session.client}" if session.client else "You"


def _label(key: ManagementKey | KeyRecord) -> str:
    return key.label or f"…{key.last_four}"
