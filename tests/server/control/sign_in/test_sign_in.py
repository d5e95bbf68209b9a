"""Signing in: each way in, and how often it may be tried."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pyotp
import pytest
from argon2 import PasswordHasher

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.accounts.passwords import Passwords
from server.control.errors import LinkEnded, TooManyAttempts, WrongCode, WrongPasskey, WrongPassword
from server.control.sealing import open_keyring
from server.control.sign_in.attempts import KNOWN_FOR
from server.control.sign_in.browser_sessions import BrowserSessions, NewToken
from server.control.sign_in.passkeys import Passkeys, PasskeySite
from server.control.sign_in.sign_in import (
    HOUR,
    MINUTES_15,
    TRIES,
    TRIES_OF_ACCOUNT,
    TRIES_OF_BLOCK,
    Client,
    SecondStep,
    SignIn,
)
from server.control.sign_in.time_codes import STEP, TimeCodes
from tests.server.control.clock import Clock
from tests.server.control.people import PASSWORD, QUICK, account
from tests.server.control.sign_in.device import Device

SITE = PasskeySite("localhost", "http://localhost:8080")
HERE = Client("192.0.2.7", "Firefox on Linux")


class Service:
    """The parts of signing in, on one database."""

    def __init__(self, database: ControlDatabase, data: Path, clock: Clock, hasher: PasswordHasher) -> None:
        self.clock = clock
        self.sessions = BrowserSessions(database, clock)
        self.codes = TimeCodes(database, open_keyring(database, data), clock)
        self.passkeys = Passkeys(database, SITE, clock)
        accounts = Accounts(database, clock, Passwords(hasher))
        self.sign_in = SignIn(
            database,
            accounts=accounts,
            sessions=self.sessions,
            codes=self.codes,
            passkeys=self.passkeys,
            clock=clock,
        )

    def enter(self, password: str = PASSWORD, client: Client = HERE, email: str = "me@example.com") -> str:
        """Enter a password and return what comes of it."""
        try:
            given = self.sign_in.with_password(email, password, client)
        except (WrongPassword, TooManyAttempts) as error:
            return type(error).__name__
        return self.sessions.check(given.token).account if isinstance(given, NewToken) else "second step"

    def turn_codes_on(self, owner: Account) -> str:
        secret = self.codes.begin(owner.id)
        self.codes.confirm(owner.id, pyotp.TOTP(secret).at(int(self.clock.now)))
        self.clock.now += STEP
        return secret


@pytest.fixture
def service(database: ControlDatabase, data: Path) -> Iterator[Service]:
    opened = Service(database, data, Clock(), QUICK)
    yield opened
    opened.sessions.close()


def other_blocks(count: int) -> list[Client]:
    return [Client(f"10.{number // 256}.{number % 256}.1") for number in range(count)]


def test_a_password_begins_a_session(service: Service, owner: Account) -> None:
    given = service.sign_in.with_password(" ME@example.com", PASSWORD, HERE)
    assert isinstance(given, NewToken)
    session = service.sessions.check(given.token)
    assert (session.account, session.client, session.address) == (owner.id, "Firefox on Linux", "192.0.2.7")


def test_wrong_passwords_of_one_account_are_limited_and_the_right_one_forgives(
    service: Service, owner: Account
) -> None:
    for _ in range(3):
        assert [service.enter("wrong") for _ in range(TRIES - 1)] == ["WrongPassword"] * (TRIES - 1)
        assert service.enter() == owner.id
    assert [service.enter("wrong") for _ in range(TRIES)] == ["WrongPassword"] * TRIES
    assert service.enter() == "TooManyAttempts"
    assert service.enter(client=Client("192.0.2.200")) == "TooManyAttempts"  # of the same block
    assert service.enter(client=Client("198.51.100.1")) == owner.id  # its owner, from elsewhere
    service.clock.now += MINUTES_15
    assert service.enter() == owner.id


def test_guesses_from_everywhere_are_limited_too(service: Service, owner: Account) -> None:
    told = [service.enter("wrong", client) for client in other_blocks(TRIES_OF_ACCOUNT + 1)]
    assert told == ["WrongPassword"] * TRIES_OF_ACCOUNT + ["TooManyAttempts"]
    service.clock.now += HOUR
    assert service.enter() == owner.id


def test_guesses_from_everywhere_do_not_lock_the_owner_out(
    service: Service, owner: Account, database: ControlDatabase
) -> None:
    other = account(database, "other@example.com")
    home, cafe = Client("192.0.2.7"), Client("198.51.100.1")
    assert service.enter(client=home) == owner.id
    assert service.enter(client=cafe, email=other.email) == other.id
    for client in other_blocks(TRIES_OF_ACCOUNT):
        service.enter("wrong", client)
    assert service.enter(client=Client("192.0.2.99")) == owner.id, "a neighbour of where the owner was"
    assert service.enter(client=cafe) == "TooManyAttempts", "the other account was opened there"
    service.sign_in.know(owner.id, cafe)
    assert service.enter(client=cafe) == owner.id
    assert [service.enter("wrong", home) for _ in range(TRIES + 1)][-1] == "TooManyAttempts"
    service.clock.now += KNOWN_FOR
    for client in other_blocks(TRIES_OF_ACCOUNT):
        service.enter("wrong", client)
    assert service.enter(client=home) == "TooManyAttempts", "that was long ago"


def test_stepping_up_is_limited_for_who_has_a_session_and_by_nobody_else(
    service: Service, owner: Account
) -> None:
    token = service.sessions.begin(owner.id).token
    for client in (HERE, *other_blocks(TRIES_OF_ACCOUNT)):
        for _ in range(TRIES):
            service.enter("wrong", client)
    token = service.sign_in.again_with_password(token, owner.email, PASSWORD).token
    for _ in range(TRIES):
        with pytest.raises(WrongPassword):
            service.sign_in.again_with_password(token, owner.email, "wrong")
    with pytest.raises(TooManyAttempts):
        service.sign_in.again_with_password(token, owner.email, PASSWORD)


def test_one_block_does_not_try_one_account_after_the_other(service: Service, owner: Account) -> None:
    told = [service.enter("wrong", email=f"{number}@example.com") for number in range(TRIES_OF_BLOCK + 1)]
    assert told == ["WrongPassword"] * TRIES_OF_BLOCK + ["TooManyAttempts"]
    assert service.enter(client=Client("198.51.100.1")) == owner.id


def test_with_codes_on_a_password_is_the_first_of_two_steps(
    service: Service, owner: Account, database: ControlDatabase
) -> None:
    secret = service.turn_codes_on(owner)
    first = service.sign_in.with_password(owner.email, PASSWORD, HERE)
    assert isinstance(first, SecondStep)
    assert first.token not in repr(first)
    assert database.read("SELECT * FROM browser_sessions") == []
    with pytest.raises(WrongCode):
        service.sign_in.with_code(first.token, "000000", HERE)
    given = service.sign_in.with_code(first.token, pyotp.TOTP(secret).at(int(service.clock.now)), HERE)
    assert service.sessions.check(given.token).account == owner.id
    service.clock.now += STEP
    with pytest.raises(LinkEnded):
        service.sign_in.with_code(first.token, pyotp.TOTP(secret).at(int(service.clock.now)), HERE)


def test_codes_are_not_guessed(service: Service, owner: Account) -> None:
    secret = service.turn_codes_on(owner)
    for number in range(TRIES):
        first = service.sign_in.with_password(owner.email, PASSWORD, HERE)
        assert isinstance(first, SecondStep)
        with pytest.raises(WrongCode):
            service.sign_in.with_code(first.token, f"abc{number:03}", HERE)
    first = service.sign_in.with_password(owner.email, PASSWORD, HERE)
    assert isinstance(first, SecondStep)
    with pytest.raises(TooManyAttempts):
        service.sign_in.with_code(first.token, pyotp.TOTP(secret).at(int(service.clock.now)), HERE)


def test_a_passkey_needs_neither_password_nor_code(service: Service, owner: Account) -> None:
    service.turn_codes_on(owner)
    device = Device(SITE.origin, SITE.host)
    service.passkeys.create(owner.id, device.make(service.passkeys.ask_to_create(owner)))
    given = service.sign_in.with_passkey(device.sign(service.passkeys.ask_to_sign()), HERE)
    assert service.sessions.check(given.token).account == owner.id
    with pytest.raises(WrongPasskey):
        service.sign_in.with_passkey({}, HERE)


def test_one_block_does_not_try_one_passkey_after_the_other(service: Service, owner: Account) -> None:
    device = Device(SITE.origin, SITE.host)
    service.passkeys.create(owner.id, device.make(service.passkeys.ask_to_create(owner)))
    for _ in range(TRIES_OF_BLOCK):
        with pytest.raises(WrongPasskey):
            service.sign_in.with_passkey({}, HERE)
    answer = device.sign(service.passkeys.ask_to_sign())
    with pytest.raises(TooManyAttempts):
        service.sign_in.with_passkey(answer, HERE)
    assert service.sign_in.with_passkey(answer, Client("198.51.100.1")).session.account == owner.id


def test_a_block_asks_for_no_end_of_questions_that_are_kept(
    service: Service, owner: Account, database: ControlDatabase
) -> None:
    for _ in range(TRIES_OF_BLOCK):
        service.sign_in.ask_passkey(None, HERE)
    for whose in (None, owner.id):
        with pytest.raises(TooManyAttempts):
            service.sign_in.ask_passkey(whose, HERE)
    assert database.read("SELECT COUNT(*) FROM passkey_challenges") == [(TRIES_OF_BLOCK,)]
    service.sign_in.ask_passkey(None, Client("198.51.100.1"))
    assert service.enter() == owner.id, "a password is another way in"


def test_stepping_up_takes_the_password_or_a_passkey_of_the_same_account(
    service: Service, owner: Account, database: ControlDatabase
) -> None:
    other = account(database, "other@example.com")
    mine, theirs = Device(SITE.origin, SITE.host), Device(SITE.origin, SITE.host)
    for whose, device in ((owner, mine), (other, theirs)):
        service.passkeys.create(whose.id, device.make(service.passkeys.ask_to_create(whose)))
    token = service.sessions.begin(owner.id).token
    with pytest.raises(WrongPassword):
        service.sign_in.again_with_password(token, owner.email, "wrong")
    with pytest.raises(WrongPasskey):
        service.sign_in.again_with_passkey(token, theirs.sign(service.passkeys.ask_to_sign(owner.id)))
    token = service.sign_in.again_with_password(token, owner.email, PASSWORD).token
    token = service.sign_in.again_with_passkey(token, mine.sign(service.passkeys.ask_to_sign(owner.id))).token
    assert service.sessions.check(token).account == owner.id


def test_what_is_over_is_forgotten(service: Service, owner: Account, database: ControlDatabase) -> None:
    service.turn_codes_on(owner)
    service.enter()
    service.passkeys.ask_to_sign()
    service.sessions.begin(owner.id)
    service.clock.now += KNOWN_FOR
    service.sign_in.forget_old()
    for table in ("browser_sessions", "one_time_links", "passkey_challenges", "attempts", "known_blocks"):
        assert database.read(f"SELECT * FROM {table}") == []


def test_who_has_no_account_is_told_so_as_slowly(
    database: ControlDatabase, data: Path, owner: Account
) -> None:
    slow = Service(database, data, Clock(), PasswordHasher(time_cost=8, memory_cost=8 * 1024, parallelism=1))
    account(database, "slow@example.com")
    Accounts(database, passwords=Passwords()).verify("slow@example.com", PASSWORD)
    kept = PasswordHasher(time_cost=8, memory_cost=8 * 1024, parallelism=1).hash(PASSWORD)
    database.write("UPDATE accounts SET password_hash = ?", (kept,))

    def seconds(email: str) -> float:
        began = time.thread_time()
        assert slow.enter("wrong", email=email) == "WrongPassword"
        return time.thread_time() - began

    seconds("nobody@example.com")  # the first one hashes what the others are compared with
    known, unknown = ([seconds(email) for _ in range(5)] for email in ("me@example.com", "no@example.com"))
    assert 0.5 < statistics.median(known) / statistics.median(unknown) < 2
    slow.sessions.close()
