"""Names of what events are about and of who made them, as their owner knows them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from server.control.keys.key_record import KeyRecord
from server.control.keys.management_key import ManagementKey
from server.dashboard.visit import Visit

YOU, OPERATOR = "you", "operator"
"""Actors that are no key."""


class ActivityNames(Struct, frozen=True):
    """The names of ids. Of what is deleted, there is the id alone.

    `parts` has the ids of what belongs to a site or a database, by its id; `keys` are those of scripts.
    """

    known: Mapping[str, str]
    sites: Mapping[str, str]
    databases: Mapping[str, str]
    keys: Mapping[str, str]
    parts: Mapping[str, tuple[str, ...]]

    def of(self, id: str) -> str:
        """Name an actor or a subject."""
        return "The operator" if id.startswith(OPERATOR) else self.known.get(id, id)


async def activity_names(visit: Visit) -> ActivityNames:
    """Look up all that the account has."""
    desk, account = visit.desk, visit.who.id
    sites = {site.id: site.name for site in desk.sites.sites.list(account)}
    site_keys = desk.sites.keys.of_account(account)
    keys = {key.id: _key(key) for key in desk.keys.list(account)}
    rows = await desk.databases.list(account) if desk.databases else ()
    databases = {row.id: row.name for row in rows}
    browsers = {one.id: one.client or "A browser" for one in desk.sessions.of(account)}
    parts = {id: [id] for id in (*sites, *databases)}
    for key in site_keys:
        parts[key.site].append(key.id)
    known = {
        account: "You",
        **browsers,
        **{f"session {id}": name for id, name in browsers.items()},
        **{one.id: one.label for one in desk.passkeys.of(account) if one.label},
        **{key.id: f"{_key(key)} of {sites[key.site]}" for key in site_keys},
        **sites,
        **databases,
        **keys,
    }
    return ActivityNames(known, sites, databases, keys, {id: tuple(ids) for id, ids in parts.items()})


def _key(key: ManagementKey | KeyRecord) -> str:
    return f"Key {key.label or '…' + key.last_four}"
