"""Sessions of browsers: begun at sign-in, checked at each request, ended at any time from anywhere.

A session is a row. Nothing of it is in the cookie but a random token, and nothing is remembered between two
checks: a session that one process ends opens nothing in another from then on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from server.control import audit, base62
from server.control.audit import Action, Event
from server.control.errors import SessionEnded
from server.control.keys.last_use import LastUse
from server.control.sign_in import token
from server.control.sqlite.database import ControlDatabase, Row, Transaction
from server.struct_types import prepare

LIFE, IDLE = 30 * 24 * 3600, 14 * 24 * 3600
"""Seconds that a session lives at most, and without a request."""
STEP_UP = 600
"""Seconds after an authentication within which dangerous acts need no other one."""
ID_LENGTH = 12
LONGEST_CLIENT = 120


class BrowserSession(Struct, frozen=True):
    """One session. Times are in whole seconds since 1970, UTC."""

    id: str
    account: str
    client: str
    """Browser and system, as its owner knows them."""
    address: str
    created_at: int
    last_used_at: int
    ends_at: int
    stepped_up_until: int


@dataclass(frozen=True, slots=True)
class NewToken:
    """A session with the token that it has got. The token is here and in the cookie, and nowhere else."""

    token: str = field(repr=False)
    session: BrowserSession


prepare(BrowserSession)
_FIELDS = BrowserSession.__struct_fields__
_SELECT = f"SELECT {', '.join(_FIELDS)} FROM browser_sessions"  # noqa: S608 - constants alone
_INSERT = f"INSERT INTO browser_sessions ({', '.join(_FIELDS)}, digest) VALUES (?{', ?' * len(_FIELDS)})"  # noqa: S608
_ALIVE = "ends_at > ? AND last_used_at > ?"


class BrowserSessions:
    """The sessions in a database. `clock` gives the seconds since 1970."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._uses = LastUse(database, "browser_sessions")

    def close(self) -> None:
        """Write when sessions were used last. The database stays open."""
        self._uses.close()

    def begin(self, account: str, client: str = "", address: str = "") -> NewToken:
        """Begin a session for the account with this id, which has just been authenticated."""
        now = int(self._clock())
        made = BrowserSession(
            base62.random(ID_LENGTH),
            account,
            client[:LONGEST_CLIENT],
            address,
            now,
            now,
            now + LIFE,
            now + STEP_UP,
        )
        text = token.generate()
        with self._database.change() as change:
            change.write(_INSERT, (*msgspec.structs.astuple(made), token.digest(text)))
            self._note(change, "session.begin", made)
        return NewToken(text, made)

    def check(self, text: str) -> BrowserSession:
        """Return the session of a token. Raises SessionEnded when there is none, or its time is over."""
        now = int(self._clock())
        rows = self._with(text, now) if token.is_token(text) else []
        if not rows:
            raise _ended()
        session = _to_session(rows[0])
        self._uses.note(session.id, session.last_used_at, now)
        return session

    def step_up(self, text: str) -> NewToken:
        """Give the session of this token, just authenticated again, a new one; the old one opens nothing.

        Raises SessionEnded.
        """
        new, now = token.generate(), int(self._clock())
        sql = "UPDATE browser_sessions SET digest = ?, stepped_up_until = ? WHERE digest = ?"
        session = self.check(text)
        with self._database.change() as change:
            if not change.write(sql, (token.digest(new), now + STEP_UP, token.digest(text))):
                raise _ended()  # it was ended, or stepped up in another window
            self._note(change, "session.step_up", session)
        return NewToken(new, msgspec.structs.replace(session, stepped_up_until=now + STEP_UP))

    def is_stepped_up(self, session: BrowserSession) -> bool:
        """Tell whether dangerous acts need no other authentication now."""
        return self._clock() < session.stepped_up_until

    def of(self, account: str) -> tuple[BrowserSession, ...]:
        """Return the sessions of the account with this id that go on, the one used last first."""
        now = int(self._clock())
        sql = f"{_SELECT} WHERE account = ? AND {_ALIVE} ORDER BY last_used_at DESC, created_at DESC, id"
        return tuple(map(_to_session, self._database.read(sql, (account, now, now - IDLE))))

    def end(self, account: str, session: str) -> bool:
        """End a session of this account, given by its id; tell whether there was one."""
        return bool(self._end(account, "id = ?", session))

    def end_others(self, account: str, but: str = "") -> int:
        """End all sessions of this account but one, given by its id; return how many there were."""
        return self._end(account, "id != ?", but)

    def forget_old(self) -> None:
        """Remove the rows of sessions whose time is over."""
        now = int(self._clock())
        self._database.write(f"DELETE FROM browser_sessions WHERE NOT ({_ALIVE})", (now, now - IDLE))  # noqa: S608

    def _with(self, text: str, now: int) -> list[Row]:
        return self._database.read(
            f"{_SELECT} WHERE digest = ? AND {_ALIVE}", (token.digest(text), now, now - IDLE)
        )

    def _end(self, account: str, which: str, session: str) -> int:
        with self._database.change() as change:
            rows = change.read(f"{_SELECT} WHERE account = ? AND {which}", (account, session))
            for ended in map(_to_session, rows):
                change.write("DELETE FROM browser_sessions WHERE id = ?", (ended.id,))
                self._note(change, "session.end", ended)
            return len(rows)

    def _note(self, change: Transaction, action: Action, session: BrowserSession) -> None:
        audit.note(change, Event(int(self._clock()), session.account, session.account, action, session.id))


def _to_session(row: Row) -> BrowserSession:
    return msgspec.convert(dict(zip(_FIELDS, row, strict=True)), BrowserSession)


def _ended() -> SessionEnded:
    return SessionEnded("you are signed out", hint="sign in again")
