"""The sites of accounts as the service knows them: names, owners, and which of them are to be deleted.

A name is a label of host names, so that a site can be published below it. Their files are in folders; see
`server.authoring.open_sites`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from builder.redaction import redacted
from server.control import audit, base62
from server.control.audit import Action, By, Event
from server.control.errors import (
    AccountNotFound,
    InvalidSiteName,
    SiteLimitReached,
    SiteNameTaken,
    SiteNotFound,
)
from server.control.plans import PLANS, PlanName, Plans
from server.control.sites import ID_LENGTH
from server.control.sqlite.database import ControlDatabase, Row, Transaction, record_of
from server.releases.hosts import PREVIEW_PREFIX
from server.struct_types import prepare

LONGEST_NAME = 40
# A label of DNS (RFC 1035, section 2.3.1; RFC 1123, section 2.1). Two hyphens in a row are left to names in
# other scripts (RFC 5891, section 4.2.3.1), of which we have none: what looks the same is the same.
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = frozenset({
    "about", "abuse", "account", "admin", "administrator", "api", "app", "assets", "autoconfig",
    "autodiscover", "billing", "blog", "cdn", "dashboard", "dev", "docs", "download", "example", "ftp",
    "help", "host", "hostmaster", "imap", "import", "info", "internal", "isatap", "localdomain", "localhost",
    "login", "mail", "metrics", "mx", "new", "news", "noreply", "ns", "ns1", "ns2", "operator", "pop",
    "pop3", "postmaster", "preview", "previews", "root", "security", "service", "site", "sites", "smtp",
    "ssl", "staging", "static", "status", "support", "system", "test", "twinpress", "webmaster",
    "webmail", "wpad", "www",
})  # fmt: skip
"""Names that readers would take for the service's own, and those that networks look for (RFC 2142)."""


def check_site_name(text: str) -> str:
    """The name, without the spaces around it and in small letters. Raises InvalidSiteName."""
    name = text.strip().lower()
    if not _NAME.fullmatch(name) or not 2 <= len(name) <= LONGEST_NAME:
        shown = redacted(name[: LONGEST_NAME + 1])
        hint = (
            f"use 2 to {LONGEST_NAME} of a-z and 0-9, with single hyphens between them, such as `acme-docs`"
        )
        said = f"`{shown}` cannot be the name of a site" if name else "the name is missing"
        raise InvalidSiteName(said, hint=hint)
    if name in _RESERVED or name.startswith(PREVIEW_PREFIX):
        raise InvalidSiteName(f"the name `{name}` is reserved", hint=f"use another, such as `{name}-docs`")
    return name


RESTORABLE = 7 * 24 * 3600
"""Seconds between the wish to delete a site and its end."""
NAME_KEPT = 30 * 24 * 3600
"""Seconds that the former name of a site stays its account's."""
MOST_FORMER = 20
"""Former names of an account at a time: else one could take all good ones by renaming a site on and on."""


class HostedSite(Struct, frozen=True):
    """A site of an account. Times are whole seconds since 1970, UTC. The plan is its owner's."""

    id: str
    account: str
    name: str
    created_at: int
    delete_at: int | None
    plan: PlanName
    suspended: bool


prepare(HostedSite)
_SELECT = """
    SELECT sites.id, sites.account, sites.name, sites.created_at, sites.delete_at, accounts.plan,
        accounts.suspended
    FROM sites JOIN accounts ON accounts.id = sites.account
"""
_INSERT = "INSERT INTO sites (id, account, name, created_at) VALUES (?, ?, ?, ?)"
_KEEP_NAME = """
    INSERT INTO former_site_names (name, account, ends_at) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET account = excluded.account, ends_at = excluded.ends_at
"""


def new_id() -> str:
    """An id for a site; it is no name and no address, and nobody can guess it."""
    return base62.random(ID_LENGTH)


class HostedSites:
    """The sites in a database. `clock` gives the seconds since 1970. Safe to use from several threads."""

    def __init__(
        self, database: ControlDatabase, clock: Callable[[], float] = time.time, plans: Plans = PLANS
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans

    def list(self, account: str) -> Sequence[HostedSite]:
        """All sites of an account by name, those that are to be deleted too."""
        rows = self._database.read(f"{_SELECT} WHERE sites.account = ? ORDER BY sites.name", (account,))
        return [_site(row) for row in rows]

    def get(self, id: str) -> HostedSite:
        """The site with this id. Raises SiteNotFound."""
        return _one(self._database.read(f"{_SELECT} WHERE sites.id = ?", (id,)))

    def every(self) -> Sequence[HostedSite]:
        """All sites of all accounts by name, those that are to be deleted too."""
        return [_site(row) for row in self._database.read(f"{_SELECT} ORDER BY sites.name")]

    def is_known(self, id: str) -> bool:
        """Return whether there is a site with this id."""
        return bool(self._database.read("SELECT 1 FROM sites WHERE id = ?", (id,)))

    def find(self, named: str) -> HostedSite:
        """The site with this name or id, of any account. Raises SiteNotFound."""
        # Other texts cannot even be asked for: a command line may hold bytes that are no text.
        where = f"{_SELECT} WHERE sites.name = ? OR sites.id = ?"
        return _one(self._database.read(where, (named, named)) if named.isascii() else [])

    def named(self, account: str, name: str) -> HostedSite:
        """The site of an account with this name. Raises SiteNotFound, also for those of others."""
        where = "WHERE sites.account = ? AND sites.name = ?"
        return _one(self._database.read(f"{_SELECT} {where}", (account, name)))

    def check_room(self, account: str, name: str) -> str:
        """The name as a new site would have it. Raises what `create` does."""
        name = check_site_name(name)
        with self._database.change() as change:
            self._check_room(change, account)
            self._check_free(change, account, name)
        return name

    def create(
        self, account: str, name: str, by: By, *, id: str = "", action: Action = "site.create"
    ) -> HostedSite:
        """A new site, with the id of a folder that is there.

        Raises InvalidSiteName, SiteNameTaken, SiteLimitReached.
        """
        name, id, now = check_site_name(name), id or new_id(), int(self._clock())
        with self._database.change() as change:
            by.check()
            self._check_room(change, account)
            self._check_free(change, account, name)
            change.write("DELETE FROM former_site_names WHERE name = ?", (name,))
            change.write(_INSERT, (id, account, name, now))
            audit.note(change, Event(now, account, by.actor, action, id))
            return _one(change.read(f"{_SELECT} WHERE sites.id = ?", (id,)))

    def rename(self, id: str, name: str, by: By) -> HostedSite:
        """Give a site another name; the former one stays its account's for a while. Raises as `create`.

        Raises SiteLimitReached where MOST_FORMER are its account's already.
        """
        name = check_site_name(name)
        with self._database.change() as change:
            site = self._changing(change, id, by)
            if site.name == name:
                return site
            self._check_free(change, site.account, name)
            change.write("DELETE FROM former_site_names WHERE name = ?", (name,))
            self._check_former(change, site.account)
            change.write(_KEEP_NAME, (site.name, site.account, int(self._clock()) + NAME_KEPT))
            change.write("UPDATE sites SET name = ? WHERE id = ?", (name, id))
            return self._changed(change, site, by, "site.rename")

    def delete(self, id: str, by: By) -> HostedSite:
        """Have a site deleted in RESTORABLE seconds; its keys open nothing from now on."""
        with self._database.change() as change:
            site = self._changing(change, id, by)
            until = int(self._clock()) + RESTORABLE
            sql = "UPDATE sites SET delete_at = ? WHERE id = ? AND delete_at IS NULL"
            if not change.write(sql, (until, id)):
                return site
            return self._changed(change, site, by, "site.delete")

    def restore(self, id: str, by: By) -> HostedSite:
        """Keep a site that was to be deleted, if its time is not over."""
        with self._database.change() as change:
            site = self._changing(change, id, by)
            sql = "UPDATE sites SET delete_at = NULL WHERE id = ? AND delete_at > ?"
            if not change.write(sql, (id, int(self._clock()))):
                return site
            return self._changed(change, site, by, "site.restore")

    def due(self) -> Sequence[HostedSite]:
        """List the sites whose time is over, and those of accounts whose time is over."""
        now = int(self._clock())
        where = "WHERE sites.delete_at <= ? OR accounts.delete_at <= ?"
        return [_site(row) for row in self._database.read(f"{_SELECT} {where}", (now, now))]

    def forget(self, id: str) -> None:
        """Forget a site whose files are gone, with its keys; its name stays its account's for a while."""
        with self._database.change() as change:
            site = _one(change.read(f"{_SELECT} WHERE sites.id = ?", (id,)))
            change.write(_KEEP_NAME, (site.name, site.account, int(self._clock()) + NAME_KEPT))
            change.write("DELETE FROM sites WHERE id = ?", (id,))

    def forget_old_names(self) -> None:
        """Let everybody have names that were given up long ago."""
        self._database.write("DELETE FROM former_site_names WHERE ends_at <= ?", (int(self._clock()),))

    def _check_room(self, change: Transaction, account: str) -> None:
        found = change.read("SELECT plan FROM accounts WHERE id = ?", (account,))
        if not found:
            raise AccountNotFound("there is no such account")
        plan: PlanName = msgspec.convert(found[0][0], PlanName)
        most = self._plans[plan].sites
        ((count,),) = change.read("SELECT COUNT(*) FROM sites WHERE account = ?", (account,))
        if int(str(count)) >= most:
            hint = "delete one to create another; a deleted one counts until its seven days are over"
            raise SiteLimitReached(f"the {plan} plan has {most} sites, and all are in use", hint=hint)

    def _check_free(self, change: Transaction, account: str, name: str) -> None:
        own = change.read("SELECT delete_at FROM sites WHERE name = ? AND account = ?", (name, account))
        if own and own[0][0] is None:
            raise SiteNameTaken(f"you have a site called `{name}`", hint="use another name")
        if own:
            hint = "restore it, or use another name"
            raise SiteNameTaken(f"you have deleted a site called `{name}`", hint=hint)
        # The same words for both: whether a name is in use now is its owner's business.
        former = "SELECT 1 FROM former_site_names WHERE name = ? AND account != ? AND ends_at > ?"
        if change.read("SELECT 1 FROM sites WHERE name = ?", (name,)) or change.read(
            former, (name, account, int(self._clock()))
        ):
            raise SiteNameTaken(f"the name `{name}` is taken", hint="use another name")

    def _check_former(self, change: Transaction, account: str) -> None:
        sql = "SELECT COUNT(*) FROM former_site_names WHERE account = ? AND ends_at > ?"
        ((count,),) = change.read(sql, (account, int(self._clock())))
        if int(str(count)) >= MOST_FORMER:
            hint = "each stays yours for thirty days: give a site one of them, or wait"
            raise SiteLimitReached(f"you have {MOST_FORMER} former names of sites", hint=hint)

    def _changing(self, change: Transaction, id: str, by: By) -> HostedSite:
        by.check()
        return _one(change.read(f"{_SELECT} WHERE sites.id = ?", (id,)))

    def _changed(self, change: Transaction, site: HostedSite, by: By, action: Action) -> HostedSite:
        audit.note(change, Event(int(self._clock()), site.account, by.actor, action, site.id))
        return _one(change.read(f"{_SELECT} WHERE sites.id = ?", (site.id,)))


def _one(rows: Sequence[Row]) -> HostedSite:
    if not rows:
        raise SiteNotFound("there is no such site here", hint="look at the list of your sites")
    return _site(rows[0])


def _site(row: Row) -> HostedSite:
    return record_of(HostedSite, row)
