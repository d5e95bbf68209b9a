"""Sign a person in: password and second step, or a passkey; as often as the limits on attempts allow.

Answers and times are the same whether an address has an account or not. What a right password alone tells is
whether there is a second step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from server.control.accounts.accounts import Accounts
from server.control.accounts.emails import LONGEST, folded
from server.control.errors import LinkEnded
from server.control.sign_in.attempts import Attempts, KnownBlocks, Limit, block
from server.control.sign_in.browser_sessions import BrowserSessions, NewToken
from server.control.sign_in.one_time_links import OneTimeLinks
from server.control.sign_in.passkeys import Passkeys
from server.control.sign_in.time_codes import TimeCodes
from server.control.sqlite.database import ControlDatabase

TRIES, MINUTES_15 = 10, 900
"""Wrong passwords of an account from one block of addresses, and the seconds in which they are counted."""
TRIES_OF_BLOCK, TRIES_OF_ACCOUNT, HOUR = 100, 100, 3600
"""Attempts of one block, in 15 minutes; and on one account from all that it does not know, in an hour."""


class Client(Struct, frozen=True):
    """The client that signs in: the address of the request, and browser and system in words."""

    address: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class SecondStep:
    """The password was right, and a code is asked for; the token stands for that, for ten minutes."""

    token: str = field(repr=False)


class SignIn:
    """Signs people in. `clock` gives the seconds since 1970."""

    def __init__(
        self,
        database: ControlDatabase,
        *,
        accounts: Accounts,
        sessions: BrowserSessions,
        codes: TimeCodes,
        passkeys: Passkeys,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._accounts = accounts
        self._sessions = sessions
        self._codes = codes
        self._passkeys = passkeys
        self._links = OneTimeLinks(database, clock)
        self._attempts = Attempts(database, clock)
        self._known = KnownBlocks(database, clock)

    def with_password(self, email: str, password: str, client: Client) -> NewToken | SecondStep:
        """Begin a session, or the second step. Raises WrongPassword and TooManyAttempts."""
        limits = self._limits_of(email, client)
        self._attempts.take(limits)
        account = self._accounts.verify(email, password)
        self._attempts.forgive(limits[0].subject)
        if self._codes.state(account.id) == "on":
            return SecondStep(self._links.create("second", account.id))
        return self.begin(account.id, client)

    def with_code(self, first: str, code: str, client: Client) -> NewToken:
        """Begin a session after the first step. Raises WrongCode, LinkEnded, TooManyAttempts."""
        account = self._links.look("second", first).account
        if account is None:
            raise LinkEnded("the first step is over", hint="sign in again")
        limit = Limit(f"code:{account}", TRIES, MINUTES_15)
        self._attempts.take([limit])
        self._codes.check(account, code)
        with self._database.change() as change:
            self._links.use(change, "second", first)
        self._attempts.forgive(limit.subject)
        return self.begin(account, client)

    def ask_passkey(self, account: str | None, client: Client) -> str:
        """Return what a device is to sign, of the account with this id if there is one, as JSON.

        Raises TooManyAttempts: each question is kept until it is answered or its time is over.
        """
        near = block(client.address)
        self._attempts.take([Limit(f"asked:{near}", TRIES_OF_BLOCK, MINUTES_15)])
        return self._passkeys.ask_to_sign(account)

    def with_passkey(self, answer: Mapping[str, Any], client: Client) -> NewToken:
        """Begin a session for whose device has signed. Raises WrongPasskey and TooManyAttempts."""
        self._attempts.take([Limit(f"block:{block(client.address)}", TRIES_OF_BLOCK, MINUTES_15)])
        return self.begin(self._passkeys.check(answer), client)

    def begin(self, account: str, client: Client) -> NewToken:
        """Begin a session for the account with this id, which has just been authenticated."""
        self.know(account, client)
        return self._sessions.begin(account, client.name, client.address)

    def know(self, account: str, client: Client) -> None:
        """Let guesses from elsewhere lock the owner of this account, who is at this client, out no more."""
        self._known.note(account, client.address)

    def again_with_password(self, session: str, email: str, password: str) -> NewToken:
        """Step the session with this token up. Raises WrongPassword, TooManyAttempts and SessionEnded."""
        # Only who has a session can use this limit up.
        limit = Limit(f"again:{self._sessions.check(session).account}", TRIES, MINUTES_15)
        self._attempts.take([limit])
        self._accounts.verify(email, password)
        self._attempts.forgive(limit.subject)
        return self._sessions.step_up(session)

    def again_with_passkey(self, session: str, answer: Mapping[str, Any]) -> NewToken:
        """Step the session with this token up. Raises WrongPasskey and SessionEnded."""
        self._passkeys.check(answer, self._sessions.check(session).account)
        return self._sessions.step_up(session)

    def forget_old(self) -> None:
        """Remove what is over: sessions, links, challenges, attempts, blocks that were known."""
        for kept in (self._sessions, self._links, self._passkeys, self._attempts, self._known):
            kept.forget_old()

    def _limits_of(self, email: str, client: Client) -> list[Limit]:
        """The limit that a right password forgives stands first."""
        name, near = folded(email)[:LONGEST], block(client.address)
        of_block = [
            Limit(f"password:{name}:{near}", TRIES, MINUTES_15),
            Limit(f"block:{near}", TRIES_OF_BLOCK, MINUTES_15),
        ]
        if self._known.has(email, client.address):
            return of_block
        return [*of_block, Limit(f"account:{name}", TRIES_OF_ACCOUNT, HOUR)]
