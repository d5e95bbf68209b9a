"""A record of who saw or changed which password, and of what else was done to accounts, keys, databases."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from threading import Condition, Thread
from typing import Literal

import msgspec
from msgspec import Struct

from server.control.errors import DatabaseError
from server.control.sqlite.database import ControlDatabase, Transaction, Value
from server.struct_types import prepare

Action = Literal[
    "account.create",
    "account.plan",
    "account.suspend",
    "account.clear",
    "account.email",
    "account.password",
    "account.operator",
    "account.delete",
    "account.restore",
    "account.export",
    "account.codes.on",
    "account.codes.off",
    "account.codes.recovery",
    "account.webhook.create",
    "account.webhook.delete",
    "account.mails.on",
    "account.mails.off",
    "passkey.create",
    "passkey.delete",
    "session.begin",
    "session.step_up",
    "session.end",
    "site.create",
    "site.import",
    "site.rename",
    "site.delete",
    "site.restore",
    "site.publish",
    "site.roll_back",
    "site.return_to_latest",
    "site.unpublish",
    "domain.add",
    "domain.remove",
    "domain.main",
    "domain.verify",
    "domain.lose",
    "site.searches.on",
    "site.searches.off",
    "site.vain.hide",
    "site.vain.show",
    "site.publish_after.on",
    "site.publish_after.off",
    "site.forget",
    "site_key.create",
    "site_key.rotate",
    "site_key.disable",
    "site_key.enable",
    "site_key.delete",
    "key.create",
    "key.rotate",
    "key.disable",
    "key.enable",
    "key.delete",
    "database.create",
    "database.reveal",
    "database.rotate",
    "database.delete",
    "database.recreate",
    "page.write",
    "page.delete",
    "page.category",
    "page.change",
    "page.move",
    "site.redirects",
    "site.navigation",
    "page.undo",
]
_LOG = logging.getLogger(__name__)
OPERATOR = "operator"
"""Who asks on the command line."""
KEPT_SECONDS = 400 * 24 * 3600
"""How long an event is kept: more than a year, so that last year's can be compared."""

TOGETHER = 60
"""Seconds within which the same actor's repeats are one event. What changes a state is an event each time, so
that the last one tells what it is."""

WRITES_TOGETHER = 600
"""The same for pages that a key writes: it may write hundreds in a minute."""
WRITES_KEPT_SECONDS = 90 * 24 * 3600
"""How long those events are kept; the history of the site knows every write for good."""
FLUSH_SECONDS = 1.0
"""Seconds between two times at which the writes of keys are counted in the database."""

_REPEATED: Mapping[str, int] = {
    "database.reveal": TOGETHER,
    "database.rotate": TOGETHER,
    "page.write": WRITES_TOGETHER,
    "page.delete": WRITES_TOGETHER,
    "page.category": WRITES_TOGETHER,
    "page.change": WRITES_TOGETHER,
    "page.move": WRITES_TOGETHER,
    "site.redirects": WRITES_TOGETHER,
    "site.navigation": WRITES_TOGETHER,
    "page.undo": WRITES_TOGETHER,
}
_FIELDS = ("at", "account", "actor", "action", "subject", "request", "count", "last_at")
_COUNT = """
UPDATE audit SET count = count + ?, last_at = ? WHERE number = (
    SELECT number FROM audit
    WHERE subject = ? AND at > ? AND at <= ? AND account = ? AND actor = ? AND action = ?
    ORDER BY at DESC, number DESC LIMIT 1
)"""


def _always() -> None:
    """For those who need no leave but that of the command line."""


class By(Struct, frozen=True):
    """The one who changes something: the `actor` of the event, and a `check` that raises without leave.

    The check is made within the transaction that writes the change.
    """

    actor: str
    check: Callable[[], object] = _always


class Event(Struct, frozen=True):
    """One event. `at` is in whole seconds since 1970, UTC; `actor` is the id of a key, or what else asked.

    `subject` is the id of the account, the site, the key or the database; `request` names an HTTP request in
    the log, the first one of those that `count` counts. `last_at` is when it was repeated last, if it was.
    """

    at: int
    account: str
    actor: str
    action: Action
    subject: str
    request: str = ""
    count: int = 1
    last_at: int | None = None


prepare(Event)


def note(change: Transaction | ControlDatabase, event: Event) -> None:
    """Write an event, or count it to the one that it repeats; it is on disk before the answer is given."""
    if event.action in _REPEATED:
        same = (event.account, event.actor, event.action)
        since = event.at - _REPEATED[event.action]
        if change.write(_COUNT, (event.count, event.at, event.subject, since, event.at, *same)):
            return
    places = ", ".join("?" * len(_FIELDS))
    change.write(
        f"INSERT INTO audit ({', '.join(_FIELDS)}) VALUES ({places})",  # noqa: S608 - constants alone
        msgspec.structs.astuple(event),
    )


class EventFilter(Struct, frozen=True):
    """A choice of events, all of them where a field says nothing.

    `kind` is the part of an action before its first dot. An actor has to be one of `actors`, or to begin with
    `actors_begin`; a subject has to be one of `subjects`. `since` is in seconds since 1970.
    """

    kind: str = ""
    actors: tuple[str, ...] = ()
    actors_begin: str = ""
    subjects: tuple[str, ...] = ()
    since: int = 0


ALL = EventFilter()


def events(
    database: ControlDatabase, account: str, limit: int = 1000, wanted: EventFilter = ALL
) -> list[Event]:
    """The last events of an account, those that were repeated last first; all of them when `limit` is 0."""
    where, values = _condition(account, wanted)
    sql = f"SELECT {', '.join(_FIELDS)} FROM audit WHERE {where} ORDER BY number DESC"  # noqa: S608
    rows = database.read(f"{sql} LIMIT ?", (*values, limit)) if limit else database.read(sql, values)
    found = [msgspec.convert(dict(zip(_FIELDS, row, strict=True)), Event) for row in rows]
    return sorted(found, key=lambda event: event.last_at or event.at, reverse=True)


def _condition(account: str, wanted: EventFilter) -> tuple[str, tuple[Value, ...]]:
    """The condition in SQL, and its values."""
    begin, dotted = wanted.actors_begin, f"{wanted.kind}."
    terms: list[tuple[str, tuple[Value, ...]]] = [("account = ?", (account,))]
    if wanted.kind:
        terms.append(("substr(action, 1, ?) = ?", (len(dotted), dotted)))
    if wanted.actors or begin:
        is_one, begins = _is_one("actor", wanted.actors), "(? <> '' AND substr(actor, 1, ?) = ?)"
        terms.append((f"({is_one} OR {begins})", (*wanted.actors, begin, len(begin), begin)))
    if wanted.subjects:
        terms.append((_is_one("subject", wanted.subjects), wanted.subjects))
    if wanted.since:
        terms.append(("COALESCE(last_at, at) >= ?", (wanted.since,)))
    return " AND ".join(term for term, _ in terms), tuple(value for _, given in terms for value in given)


def _is_one(name: str, texts: tuple[str, ...]) -> str:
    return f"{name} IN ({', '.join('?' * len(texts))})" if texts else "1 = 0"


def forget_old(database: ControlDatabase, now: int) -> None:
    """Remove events that are older than they are kept."""
    database.write("DELETE FROM audit WHERE at < ?", (now - KEPT_SECONDS,))
    writes = "action IN ('page.write', 'page.delete', 'page.category')"
    database.write(f"DELETE FROM audit WHERE at < ? AND {writes}", (now - WRITES_KEPT_SECONDS,))  # noqa: S608


class KeyWrites:
    """Counts what keys write, in memory, and adds it to the events of their accounts in a thread of its own.

    So no write waits for it, and any number of processes may count for one key. Of a process that is killed,
    the last second is missing here; the history of the site has it.
    """

    def __init__(self, database: ControlDatabase) -> None:
        self._database = database
        self._counts: Counter[tuple[str, str, Action]] = Counter()
        self._changed = Condition()
        self._thread: Thread | None = None
        self._is_closed = False

    def note(self, key: str, site: str, action: Action) -> None:
        """The key with this id has changed something in a site."""
        with self._changed:
            self._counts[key, site, action] += 1
            if self._thread is None and not self._is_closed:
                self._thread = Thread(target=self._run, name="twinpress-key-writes", daemon=True)
                self._thread.start()
            if len(self._counts) == 1:
                self._changed.notify()

    def close(self) -> None:
        """Write what is left and end. May be called again."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
        self.flush()

    def flush(self) -> None:
        """Write what was counted so far; what cannot be written is counted again."""
        with self._changed:
            counts, self._counts = self._counts, Counter()
        try:
            if counts:
                self._write(counts)
        except DatabaseError as error:
            _LOG.warning("what keys have written is not in the activity yet: %s", error)
            with self._changed:
                self._counts.update(counts)

    def _run(self) -> None:
        while not self._is_closed:
            with self._changed:
                self._changed.wait_for(lambda: self._counts or self._is_closed)
                self._changed.wait_for(lambda: self._is_closed, FLUSH_SECONDS)
            self.flush()

    def _write(self, counts: Mapping[tuple[str, str, Action], int]) -> None:
        now = int(time.time())
        with self._database.change() as change:
            for (key, site, action), count in counts.items():
                rows = change.read("SELECT account FROM sites WHERE id = ?", (site,))
                if rows and isinstance(rows[0][0], str):
                    note(change, Event(now, rows[0][0], key, action, site, count=count))
