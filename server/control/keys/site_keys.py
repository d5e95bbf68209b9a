"""Keys: make them, check them, take them away.

The database knows a key by its SHA-256 alone. A key has 238 random bits, so there is nothing to guess and
no need for a slow hash. Every check asks the database: nothing is remembered between two checks, and a key
that is deleted in one process opens nothing in another from that moment on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from builder import redaction
from server.control import audit, base62
from server.control.audit import Action, By, Event
from server.control.errors import AmbiguousKey, BadKey, DisabledKey, ExpiredKey, KeyNotFound
from server.control.keys import key_text
from server.control.keys.key_record import INSERT, SELECT, KeyRecord, to_record, to_row
from server.control.keys.key_text import KeyKind, check_label
from server.control.keys.last_use import LastUse
from server.control.sqlite.database import ControlDatabase, Transaction

ONE_OFF_SECONDS = 3600
KEPT_SECONDS = 30 * 24 * 3600
"""How long a one-off key is remembered after its end, so that its user hears why it opens nothing."""
ID_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Created:
    """A new key. Its text is here and nowhere else: whoever made it shows it once and forgets it."""

    text: str = field(repr=False)
    record: KeyRecord


class SiteKeys:
    """The keys in a database. `clock` gives the seconds since 1970."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._uses = LastUse(database, "keys")

    def close(self) -> None:
        """Write which keys were used lately. The database stays open."""
        self._uses.close()

    def create(
        self, kind: KeyKind, site: str, label: str = "", by: By | None = None, *, navigation: bool = False
    ) -> Created:
        """Make a key for the site with the id `site`; it may change its `navigation`. Raises InvalidLabel."""
        check_label(label)
        now = int(self._clock())
        text = key_text.generate(kind)
        expires = now + ONE_OFF_SECONDS if kind is KeyKind.ONE_OFF else None
        ends = key_text.PREFIXES[kind], text[-4:]
        id, times = base62.random(ID_LENGTH), (now, expires)
        record = KeyRecord(id, kind, site, *ends, label, *times, None, disabled=False, navigation=navigation)
        with self._database.change() as change:
            _check(by)
            change.write("DELETE FROM keys WHERE expires_at < ?", (now - KEPT_SECONDS,))
            change.write(INSERT, to_row(record, key_text.digest(text)))
            self._note(change, "site_key.create", record, by)
            return Created(text, _get(change, record.id))

    def get(self, key: str) -> KeyRecord:
        """The key with the id `key`. Raises KeyNotFound."""
        return _get(self._database, key)

    def rotate(self, key: str, by: By | None = None) -> Created:
        """Give a key a new value; the old one is no key any more, and all else stays. Raises KeyNotFound."""
        with self._database.change() as change:
            _check(by)
            found = _get(change, key)
            text = key_text.generate(found.kind)
            sql = "UPDATE keys SET digest = ?, last_four = ? WHERE id = ?"
            change.write(sql, (key_text.digest(text), text[-4:], key))
            self._note(change, "site_key.rotate", found, by)
            return Created(text, _get(change, key))

    def check(self, text: str) -> KeyRecord:
        """The record of a key that is valid now. Raises BadKey, ExpiredKey or DisabledKey."""
        if key_text.kind_of(text) is None:
            raise BadKey("this is no key", hint="copy the whole key, from its prefix to its last character")
        rows = self._database.read(f"{SELECT} WHERE keys.digest = ?", (key_text.digest(text),))
        if not rows:
            raise BadKey("there is no such key", hint="ask the owner of the site for a new one")
        record = to_record(rows[0])
        now = self._clock()
        state = record.state(now)
        if state == "expired":
            raise ExpiredKey("the key has expired", hint="ask the owner of the site for a new one")
        if state == "disabled":
            raise _disabled(record)
        self._uses.note(record.id, record.last_used_at, int(now))
        return record

    def list(self, site: str) -> tuple[KeyRecord, ...]:
        """All keys of a site, also those that are not valid any more, from old to new."""
        rows = self._database.read(f"{SELECT} WHERE keys.site = ? ORDER BY keys.created_at, keys.id", (site,))
        return tuple(to_record(row) for row in rows)

    def of_account(self, account: str) -> tuple[KeyRecord, ...]:
        """All keys of all sites of an account, from old to new."""
        where = "WHERE sites.account = ? ORDER BY keys.created_at, keys.id"
        return tuple(to_record(row) for row in self._database.read(f"{SELECT} {where}", (account,)))

    def find(self, site: str, name: str) -> KeyRecord:
        """The key of a site that has this id, else this label, these last four characters or this text.

        Raises KeyNotFound, and AmbiguousKey when several have it.
        """
        found = self._called(site, name)
        exact = [record for record in found if record.id == name] or found
        if len(exact) == 1:
            return exact[0]
        if exact:
            ids = ", ".join(record.id for record in exact)
            raise AmbiguousKey(f"{len(exact)} keys are called `{name}`", hint=f"give the id of one: {ids}")
        shown = redaction.redacted(name)
        hint = "give its id, its label or its last four characters; `twinpress key list` shows them"
        raise KeyNotFound(f"there is no key `{shown}`", hint=hint)

    def delete(self, key: str, by: By | None = None) -> None:
        """Forget the key with the id `key`. Raises KeyNotFound."""
        self._change("site_key.delete", "DELETE FROM keys WHERE id = ?", key, by)

    def disable(self, key: str, by: By | None = None) -> None:
        """Let the key open nothing until it is enabled. Raises KeyNotFound."""
        self._change("site_key.disable", "UPDATE keys SET disabled = 1 WHERE id = ?", key, by)

    def enable(self, key: str, by: By | None = None) -> None:
        """Take a `disable` back; a key whose time is over stays expired. Raises KeyNotFound."""
        self._change("site_key.enable", "UPDATE keys SET disabled = 0 WHERE id = ?", key, by)

    def _called(self, site: str, name: str) -> Sequence[KeyRecord]:
        if key_text.kind_of(name):
            rows = self._database.read(
                f"{SELECT} WHERE keys.site = ? AND keys.digest = ?", (site, key_text.digest(name))
            )
            return [to_record(row) for row in rows]
        return [each for each in self.list(site) if name and name in {each.id, each.label, each.last_four}]

    def _change(self, action: Action, sql: str, key: str, by: By | None) -> None:
        with self._database.change() as change:
            _check(by)
            found = _get(change, key)
            change.write(sql, (key,))
            self._note(change, action, found, by)

    def _note(self, change: Transaction, action: Action, key: KeyRecord, by: By | None) -> None:
        """Note what is done to a key of an account's site; on a writer's own machine there is no account."""
        if by is not None:
            ((account,),) = change.read("SELECT account FROM sites WHERE id = ?", (key.site,))
            audit.note(change, Event(int(self._clock()), str(account), by.actor, action, key.id))


def _check(by: By | None) -> None:
    if by is not None:
        by.check()


def _get(database: ControlDatabase | Transaction, key: str) -> KeyRecord:
    rows = database.read(f"{SELECT} WHERE keys.id = ?", (key,))
    if not rows:
        raise KeyNotFound(f"there is no key with the id `{key}`", hint="look it up in the list of keys")
    return to_record(rows[0])


def _disabled(record: KeyRecord) -> DisabledKey:
    if record.suspended:
        hint = "it works again by itself when the suspension is over"
        return DisabledKey("the key is disabled: its account is suspended", hint=hint)
    if record.site_deleted:
        hint = "it works again when the owner restores the site"
        return DisabledKey("the key is disabled: its site is to be deleted", hint=hint)
    return DisabledKey("the key is disabled", hint="ask the owner of the site to enable it")
