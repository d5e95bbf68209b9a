"""Links that open something once: an account, the first or invited, a password, an address, a second step."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

from server.control.errors import LinkEnded
from server.control.sign_in import token
from server.control.sqlite.database import ControlDatabase, Transaction
from server.struct_types import prepare

Purpose = Literal["first", "invite", "welcome", "reset", "second", "address"]
SignUp = Literal["closed", "invite", "open"]
"""Who may create an account: nobody but the operator, who has an invitation, everybody."""
_DAY = 24 * 3600
LIFE: dict[Purpose, int] = {
    "first": _DAY,
    "invite": 7 * _DAY,
    "welcome": _DAY,
    "reset": 3600,
    "second": 600,
    "address": _DAY,
}
"""Seconds that a link of each kind can be used."""
_SINGLE: frozenset[Purpose] = frozenset({"first", "reset", "address"})
"""Purposes of which only the newest link counts: two in two mails would be one too many."""


class OneTimeLink(Struct, frozen=True):
    """One link; `account` is whom it is for, None where the account does not exist yet.

    With an `email`, the account that it makes or changes has this address: who reads its mails has the link.
    """

    purpose: Purpose
    account: str | None
    email: str
    created_at: int
    ends_at: int


prepare(OneTimeLink)
_FIELDS = OneTimeLink.__struct_fields__
_SELECT = f"SELECT {', '.join(_FIELDS)} FROM one_time_links"  # noqa: S608 - constants alone
_INSERT = f"INSERT INTO one_time_links ({', '.join(_FIELDS)}, digest) VALUES (?{', ?' * len(_FIELDS)})"  # noqa: S608


class OneTimeLinks:
    """The links in a database. `clock` gives the seconds since 1970."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def create(self, purpose: Purpose, account: str | None = None, email: str = "") -> str:
        """Create a link and return its token, which is kept nowhere."""
        text, now = token.generate(), int(self._clock())
        with self._database.change() as change:
            if purpose in _SINGLE:
                change.write(
                    "DELETE FROM one_time_links WHERE purpose = ? AND account IS ?", (purpose, account)
                )
            change.write(_INSERT, (purpose, account, email, now, now + LIFE[purpose], token.digest(text)))
        return text

    def look(self, purpose: Purpose, text: str) -> OneTimeLink:
        """Return the link without using it: to show the form behind it. Raises LinkEnded."""
        return _found(self._database, purpose, text, int(self._clock()))

    def use(self, change: Transaction, purpose: Purpose, text: str) -> OneTimeLink:
        """Use the link up, within the change that does what it is for. Raises LinkEnded."""
        found = _found(change, purpose, text, int(self._clock()))
        change.write("DELETE FROM one_time_links WHERE digest = ?", (token.digest(text),))
        return found

    def forget_old(self) -> None:
        """Remove links whose time is over."""
        self._database.write("DELETE FROM one_time_links WHERE ends_at <= ?", (int(self._clock()),))


def _found(reader: Transaction | ControlDatabase, purpose: Purpose, text: str, now: int) -> OneTimeLink:
    rows = (
        reader.read(
            f"{_SELECT} WHERE digest = ? AND purpose = ? AND ends_at > ?", (token.digest(text), purpose, now)
        )
        if token.is_token(text)
        else []
    )
    if not rows:
        raise LinkEnded("this link was used before, or its time is over", hint="ask for a new one")
    return msgspec.convert(dict(zip(_FIELDS, rows[0], strict=True)), OneTimeLink)
