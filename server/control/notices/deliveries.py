"""Notices on their way, as rows: one process at a time takes each, and it is tried until it has arrived.

A process that is killed in between loses none: what it had taken is another one's after a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from server.control import base62
from server.control.notices.events import NoticeEvent, to_body
from server.control.sqlite.database import ControlDatabase, Row, Transaction

WAITS = (60, 300, 1_800, 7_200, 21_600)
"""Seconds before a notice is tried again: six times in all, over some eight hours."""
TAKEN = 60
"""Seconds for which a notice is one process's own: longer than a try takes."""
EACH = 2
"""Notices of an account that are taken at a time: hosts that do not answer delay those of others little."""
MOST_WAITING = 100
"""Notices of an account on their way: of more, the oldest are given up."""
KEPT = 20
"""Notices of an account that are kept when they have ended."""
_INSERT = """
    INSERT INTO notices (account, webhook, event, body, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)
"""
# Times that are further away than any that is set are those of a clock that was set back since.
_TAKE = """
    SELECT number, account, webhook, event, body, attempts FROM notices
    WHERE state = 'waiting' AND (due_at <= ?1 OR due_at > ?2)
        AND (taken_until <= ?1 OR taken_until > ?3) AND (
            SELECT COUNT(*) FROM notices AS other
            WHERE other.state = 'waiting' AND other.account = notices.account
                AND other.taken_until > ?1 AND other.taken_until <= ?3
        ) < ?4
    ORDER BY due_at, number LIMIT 1
"""
_TOO_MANY = """
    UPDATE notices SET state = 'failed', ended_at = ?, said = 'too many notices were waiting'
    WHERE state = 'waiting' AND account = ? AND number NOT IN (
        SELECT number FROM notices WHERE state = 'waiting' AND account = ? ORDER BY number DESC LIMIT ?
    )
"""
_FORGET = """
    DELETE FROM notices WHERE state != 'waiting' AND account = ? AND number NOT IN (
        SELECT number FROM notices WHERE state != 'waiting' AND account = ? ORDER BY number DESC LIMIT ?
    )
"""


class QueuedNotice(Struct, frozen=True):
    """A notice to a webhook or, without one, by mail; `attempts` counts the present one too."""

    number: int
    account: str
    webhook: str | None
    event: str
    body: str
    attempts: int


class Notices:
    """The notices in a database. `clock` gives the seconds since 1970. Safe to use from several threads."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def notify(self, account: str, event: NoticeEvent) -> None:
        """Tell an account of an event, by all ways that it has chosen."""
        with self._database.change() as change:
            self.note(change, account, event)

    def note(self, change: Transaction, account: str, event: NoticeEvent) -> None:
        """Tell an account of an event when this transaction is done, by all ways that it has chosen."""
        hooks = change.read("SELECT id FROM webhooks WHERE account = ?", (account,))
        mails = change.read("SELECT NULL FROM mail_choices WHERE account = ?", (account,))
        self._put(change, account, [None if id is None else str(id) for (id,) in (*hooks, *mails)], event)

    def test(self, account: str, webhook: str, event: NoticeEvent) -> None:
        """Tell one webhook of an account alone."""
        with self._database.change() as change:
            own = "SELECT 1 FROM webhooks WHERE account = ? AND id = ?"
            if change.read(own, (account, webhook)):
                self._put(change, account, [webhook], event)

    def take(self) -> QueuedNotice | None:
        """Take a notice that is due as one's own for TAKEN seconds; None where there is none."""
        if not self._database.read(_TAKE, self._times()):
            return None
        with self._database.change() as change:
            now, *others = self._times()  # anew: another one may have taken it a moment later than that
            rows = change.read(_TAKE, (now, *others))
            if not rows:
                return None
            sql = "UPDATE notices SET taken_until = ?, attempts = attempts + 1 WHERE number = ?"
            change.write(sql, (now + TAKEN, rows[0][0]))
            return _notice(rows[0])

    def delivered(self, notice: QueuedNotice, status: int | None = None) -> None:
        """Note that a notice has arrived."""
        self._end(notice, "delivered", status, "")

    def failed(self, notice: QueuedNotice, said: str, status: int | None = None) -> None:
        """Note why a notice has not arrived; it is tried again, unless that was the last time."""
        if notice.attempts > len(WAITS):
            self._end(notice, "failed", status, said)
            return
        sql = "UPDATE notices SET due_at = ?, taken_until = 0, status = ?, said = ? WHERE number = ?"
        due = self._now() + WAITS[notice.attempts - 1]
        self._database.write(sql, (due, status, said, notice.number))

    def _put(
        self, change: Transaction, account: str, webhooks: Sequence[str | None], event: NoticeEvent
    ) -> None:
        now = self._now()
        body = to_body(event, f"evt_{base62.random(16)}", now)
        for webhook in webhooks:
            change.write(_INSERT, (account, webhook, event.name, body, now, now))
        change.write(_TOO_MANY, (now, account, account, MOST_WAITING))

    def _end(self, notice: QueuedNotice, state: str, status: int | None, said: str) -> None:
        sql = "UPDATE notices SET state = ?, status = ?, said = ?, ended_at = ? WHERE number = ?"
        with self._database.change() as change:
            change.write(sql, (state, status, said, self._now(), notice.number))
            change.write(_FORGET, (notice.account, notice.account, KEPT))

    def _times(self) -> tuple[int, int, int, int]:
        now = self._now()
        return now, now + 2 * WAITS[-1], now + 2 * TAKEN, EACH

    def _now(self) -> int:
        return int(self._clock())


def _notice(row: Row) -> QueuedNotice:
    number, account, webhook, event, body, attempts = row
    hook = None if webhook is None else str(webhook)
    return QueuedNotice(int(str(number)), str(account), hook, str(event), str(body), int(str(attempts)) + 1)
