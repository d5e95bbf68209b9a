"""Choices of owners for a site, beside what stands in its files; without a row, nothing is switched on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Literal

import msgspec
from msgspec import Struct

from builder.errors import TwinpressError
from server.control import audit
from server.control.audit import Action, By, Event
from server.control.errors import DatabaseError, SiteNotFound
from server.control.keys.key_text import KeyKind
from server.control.publish_jobs import stop_all
from server.control.sqlite.database import ControlDatabase, Transaction, Value
from server.struct_types import prepare

PublishesAfter = Literal["nothing", "long_lived", "all"]
"""The keys whose writes are published by themselves: none, those that live until they are deleted, or all."""


MOST_HIDDEN = 500
"""Addresses that are hidden in the list of a site."""


class TooManyHidden(TwinpressError):
    """As many addresses are hidden as may be."""


class SiteChoices(Struct, frozen=True):
    """The choices of an owner: counts of searches without a result, and publishing after writes.

    `hidden_addresses` are not listed among those that readers ask for in vain.
    """

    counts_searches: bool = False
    publishes_after: PublishesAfter = "nothing"
    hidden_addresses: tuple[str, ...] = ()


prepare(SiteChoices)
_LOG = logging.getLogger(__name__)
_SELECT = "SELECT counts_searches, publishes_after, hidden_addresses FROM site_choices WHERE site = ?"
_NEW = "INSERT INTO site_choices (site) VALUES (?) ON CONFLICT (site) DO NOTHING"
_Setting = tuple[str, Value]
"""A column that is set, and its value."""
_WROTE = """
    INSERT INTO unpublished_writes (site, actor, first_at, last_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (site) DO UPDATE SET actor = excluded.actor, last_at = excluded.last_at
"""


class ChosenForSites:
    """The choices in a database. `clock` gives the seconds since 1970. Safe to use from several threads."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._late: dict[tuple[str, KeyKind], str] = {}
        self._lock = Lock()

    def of(self, site: str) -> SiteChoices:
        """The choices for the site with this id."""
        return _choices(self._database, site)

    def count_searches(self, site: str, by: By, *, on: bool) -> None:
        """Have searches without a result counted, or not any more. Raises SiteNotFound."""
        action: Action = "site.searches.on" if on else "site.searches.off"
        self._choose(site, by, action, ("counts_searches = ?", int(on)))

    def publish_after(self, site: str, by: By, keys: PublishesAfter) -> None:
        """Have writes by these keys published by themselves. Raises SiteNotFound."""
        action: Action = "site.publish_after.off" if keys == "nothing" else "site.publish_after.on"
        self._choose(site, by, action, ("publishes_after = ?", keys))

    def hide_address(self, site: str, by: By, address: str) -> None:
        """List an address no more among those asked for in vain. Raises SiteNotFound and TooManyHidden."""
        self._list(site, by, "site.vain.hide", lambda before: (*before, address))

    def show_address(self, site: str, by: By, address: str) -> None:
        """List an address again. Raises SiteNotFound."""
        self._list(site, by, "site.vain.show", lambda before: tuple(one for one in before if one != address))

    def note_write(self, site: str, actor: str, kind: KeyKind) -> None:
        """Take note of a write by a key, where it is to be published by itself.

        The write stands already: while the database fails, the note is kept in memory for later.
        """
        try:
            self._note_write(site, actor, kind)
        except DatabaseError as error:
            _LOG.warning("the site %s is published later, as its write could not be noted: %s", site, error)
            self._keep_late({(site, kind): actor})

    def note_late_writes(self) -> None:
        """Take note of the writes for which the database has failed. Raises DatabaseError while it does."""
        with self._lock:
            late, self._late = self._late, {}
        try:
            while late:
                (site, kind), actor = next(iter(late.items()))
                self._note_write(site, actor, kind)
                del late[site, kind]
        finally:
            self._keep_late(late)

    def _keep_late(self, late: Mapping[tuple[str, KeyKind], str]) -> None:
        with self._lock:
            self._late = {**late, **self._late}

    def _note_write(self, site: str, actor: str, kind: KeyKind) -> None:
        if not _is_chosen(self.of(site), kind):
            return
        now = int(self._clock())
        with self._database.change() as change:
            if _is_chosen(_choices(change, site), kind):
                change.write(_WROTE, (site, actor, now, now))

    def _list(
        self, site: str, by: By, action: Action, change: Callable[[tuple[str, ...]], tuple[str, ...]]
    ) -> None:
        """Change which addresses are hidden; each is so once."""
        with self._database.change() as transaction:
            before = _choices(transaction, site).hidden_addresses
            hidden = tuple(dict.fromkeys(change(before)))
            if hidden == before:
                return
            if len(hidden) > MOST_HIDDEN:
                hint = "show some of them again"
                raise TooManyHidden(f"{MOST_HIDDEN} addresses are hidden, and no more can be", hint=hint)
            listed = msgspec.json.encode(hidden).decode()
            self._set(transaction, site, by, action, ("hidden_addresses = ?", listed))

    def _choose(self, site: str, by: By, action: Action, setting: _Setting) -> None:
        with self._database.change() as change:
            self._set(change, site, by, action, setting)
            if action == "site.publish_after.off":
                change.write("DELETE FROM unpublished_writes WHERE site = ?", (site,))
                said = "publishing after writes was switched off"
                stop_all(change, site, int(self._clock()), said, by_itself=True)

    def _set(self, change: Transaction, site: str, by: By, action: Action, setting: _Setting) -> None:
        by.check()
        found = change.read("SELECT account FROM sites WHERE id = ? AND delete_at IS NULL", (site,))
        if not found:
            raise SiteNotFound("there is no such site here", hint="look at the list of your sites")
        change.write(_NEW, (site,))
        change.write(f"UPDATE site_choices SET {setting[0]} WHERE site = ?", (setting[1], site))  # noqa: S608
        audit.note(change, Event(int(self._clock()), str(found[0][0]), by.actor, action, site))


def _choices(reader: ControlDatabase | Transaction, site: str) -> SiteChoices:
    rows = reader.read(_SELECT, (site,))
    if not rows:
        return SiteChoices()
    # Not strict: SQL has 0 and 1 where the record has False and True.
    values = dict(zip(SiteChoices.__struct_fields__, rows[0], strict=True))
    values["hidden_addresses"] = msgspec.json.decode(str(values["hidden_addresses"]))
    return msgspec.convert(values, SiteChoices, strict=False)


def _is_chosen(chosen: SiteChoices, kind: KeyKind) -> bool:
    return chosen.publishes_after == "all" or (
        chosen.publishes_after == "long_lived" and kind == KeyKind.LONG_LIVED
    )
