"""Choices of owners for a site, beside what stands in its files; without a row, nothing is switched on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

from builder.errors import TwinpressError
from server.control import audit, unpublished_writes
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

    def publishes(self, kind: KeyKind) -> bool:
        """Return whether writes by keys of this kind are published by themselves."""
        if self.publishes_after == "all":
            return True
        return self.publishes_after == "long_lived" and kind == KeyKind.LONG_LIVED


prepare(SiteChoices)
_LOG = logging.getLogger(__name__)
_SELECT = "SELECT counts_searches, publishes_after, hidden_addresses FROM site_choices WHERE site = ?"
_NEW = "INSERT INTO site_choices (site) VALUES (?) ON CONFLICT (site) DO NOTHING"
_Setting = tuple[str, Value]
"""A column that is set, and its value."""


class ChosenForSites:
    """The choices in a database. `clock` gives the seconds since 1970. Safe to use from several threads."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def of(self, site: str) -> SiteChoices:
        """The choices for the site with this id."""
        return _choices(self._database, site)

    def due_at(self, site: str) -> int:
        """Return when what keys wrote is to be published by itself, 0 where nothing is."""
        return unpublished_writes.due_at(self._database, site)

    def count_searches(self, site: str, by: By, *, on: bool) -> None:
        """Have searches without a result counted, or not any more. Raises SiteNotFound."""
        action: Action = "site.searches.on" if on else "site.searches.off"
        self._choose(site, by, action, ("counts_searches = ?", int(on)))

    def publish_after(self, site: str, by: By, keys: PublishesAfter) -> None:
        """Have writes by these keys published by themselves. Raises SiteNotFound."""
        action: Action = "site.publish_after.off" if keys == "nothing" else "site.publish_after.on"
        with self._database.change() as change:
            self._set(change, site, by, action, ("publishes_after = ?", keys))
            if keys != "all":
                self._stop(change, site, keys)

    def hide_address(self, site: str, by: By, address: str) -> None:
        """List an address no more among those asked for in vain. Raises SiteNotFound and TooManyHidden."""
        self._list(site, by, "site.vain.hide", lambda before: (*before, address))

    def show_address(self, site: str, by: By, address: str) -> None:
        """List an address again. Raises SiteNotFound."""
        self._list(site, by, "site.vain.show", lambda before: tuple(one for one in before if one != address))

    def begin_write(self, site: str, actor: str, kind: KeyKind) -> str:
        """Note that a key is about to write, where that is to be published by itself; "" where it is not.

        `end_write` takes what it returns. Raises DatabaseError: nothing is written that would be forgotten.
        """
        if not self.of(site).publishes(kind):
            return ""
        with self._database.change() as change:
            return unpublished_writes.begin(change, site, actor, kind, int(self._clock()))

    def end_write(self, begun: str, site: str, actor: str, kind: KeyKind) -> None:
        """Have a write published by itself that has been made, if the owner still wants that.

        The write stands already: while the database fails, it is taken for one whose end nobody will note.
        """
        try:
            self._end_write(begun, site, actor, kind)
        except DatabaseError as error:
            _LOG.warning("the site %s is published later, as its write could not be noted: %s", site, error)

    def forget_write(self, begun: str) -> None:
        """Forget a write that was begun, and refused."""
        try:
            with self._database.change() as change:
                unpublished_writes.end(change, begun)
        except DatabaseError as error:
            _LOG.warning("a write that was refused could not be forgotten, and counts as made: %s", error)

    def end_old_writes(self) -> None:
        """Take writes for made that were begun and never ended: their process may have been killed."""
        for begun, site, actor, kind in unpublished_writes.unended(self._database, int(self._clock())):
            self._end_write(begun, site, actor, kind)

    def _end_write(self, begun: str, site: str, actor: str, kind: KeyKind) -> None:
        with self._database.change() as change:
            if unpublished_writes.end(change, begun) and _choices(change, site).publishes(kind):
                unpublished_writes.wrote(change, site, actor, int(self._clock()))

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

    def _stop(self, change: Transaction, site: str, keys: PublishesAfter) -> None:
        """Stop what is published by itself, as fewer keys have that done now; the rest begins anew."""
        now = int(self._clock())
        if keys == "nothing":
            unpublished_writes.forget(change, site)
            stop_all(change, site, now, "publishing after writes was switched off", by_itself=True)
        else:
            stop_all(change, site, now, "writes by other keys are published from now on", by_itself=True)
            unpublished_writes.put_one_off_aside(change, site, now)

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
