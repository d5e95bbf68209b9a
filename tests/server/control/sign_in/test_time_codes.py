"""Codes of an app as a second factor, and recovery codes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyotp
import pytest

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.errors import WrongCode
from server.control.sealing import open_keyring
from server.control.sealing.opening import source_of
from server.control.sealing.rotation import rewrap, rotate
from server.control.sign_in.time_codes import STEP, TimeCodes, address
from tests.server.control.clock import Clock
from tests.server.control.people import account

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def codes(database: ControlDatabase, data: Path, clock: Clock) -> TimeCodes:
    return TimeCodes(database, open_keyring(database, data), clock)


def app(secret: str, clock: Clock) -> str:
    """Return the code that the owner's app shows now."""
    return pyotp.TOTP(secret).at(int(clock.now))


def turn_on(codes: TimeCodes, clock: Clock, owner: Account) -> tuple[str, list[str]]:
    secret = codes.begin(owner.id)
    return secret, list(codes.confirm(owner.id, app(secret, clock)))


def test_codes_are_on_once_the_app_has_shown_one(codes: TimeCodes, clock: Clock, owner: Account) -> None:
    assert codes.state(owner.id) == "off"
    secret = codes.begin(owner.id)
    assert (codes.state(owner.id), codes.begun(owner.id)) == ("begun", secret)
    for wrong in ("", "000000", "abcdef", "\u0661\u0662\u0663\u0664\u0665\u0666"):
        with pytest.raises(WrongCode):
            codes.confirm(owner.id, wrong)
    assert codes.state(owner.id) == "begun"
    assert len(codes.confirm(owner.id, app(secret, clock))) == codes.recovery_left(owner.id) == 10
    assert codes.state(owner.id) == "on"


def test_what_was_begun_can_be_begun_again_and_what_is_on_cannot(
    codes: TimeCodes, clock: Clock, owner: Account
) -> None:
    first = codes.begin(owner.id)
    second, _ = turn_on(codes, clock, owner)
    assert first != second
    with pytest.raises(WrongCode) as refused:
        codes.begin(owner.id)
    assert refused.value.hint
    clock.now += STEP
    codes.check(owner.id, app(second, clock))


def test_what_is_on_is_not_confirmed_again_for_other_recovery_codes(
    codes: TimeCodes, clock: Clock, owner: Account
) -> None:
    secret, recovery = turn_on(codes, clock, owner)
    clock.now += STEP
    with pytest.raises(WrongCode, match="no app to confirm"):
        codes.confirm(owner.id, app(secret, clock))
    codes.check(owner.id, app(secret, clock))
    codes.check(owner.id, recovery[0])


@pytest.mark.parametrize(("steps", "taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_clocks_may_differ_by_one_step(
    codes: TimeCodes, clock: Clock, owner: Account, steps: int, taken: bool
) -> None:
    secret, _ = turn_on(codes, clock, owner)
    clock.now += 100 * STEP
    shown = pyotp.TOTP(secret).at(int(clock.now) + steps * STEP)
    if taken:
        codes.check(owner.id, f"{shown[:3]} {shown[3:]} ")
    else:
        with pytest.raises(WrongCode):
            codes.check(owner.id, shown)


def test_no_code_is_taken_twice_nor_one_before_it(codes: TimeCodes, clock: Clock, owner: Account) -> None:
    secret, _ = turn_on(codes, clock, owner)
    before = app(secret, clock)
    clock.now += STEP
    now = app(secret, clock)
    codes.check(owner.id, now)
    for used in (now, before):
        with pytest.raises(WrongCode):
            codes.check(owner.id, used)


def test_of_many_at_once_one_takes_a_code(codes: TimeCodes, clock: Clock, owner: Account) -> None:
    secret, recovery = turn_on(codes, clock, owner)
    clock.now += STEP

    def takes(code: str) -> bool:
        try:
            codes.check(owner.id, code)
        except WrongCode:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(takes, [app(secret, clock)] * 12)) == 1
        assert sum(pool.map(takes, [recovery[0]] * 12)) == 1


def test_a_recovery_code_stands_for_one_code_however_it_is_typed(
    codes: TimeCodes, clock: Clock, owner: Account
) -> None:
    _, recovery = turn_on(codes, clock, owner)
    codes.check(owner.id, recovery[0])
    codes.check(owner.id, f" {recovery[1].upper().replace('-', ' ')} ")
    for used in recovery[:2]:
        with pytest.raises(WrongCode):
            codes.check(owner.id, used)
    assert codes.recovery_left(owner.id) == 8
    fresh = codes.renew_recovery(owner.id)
    for old in recovery[2:]:
        with pytest.raises(WrongCode):
            codes.check(owner.id, old)
    codes.check(owner.id, fresh[0])


def test_codes_of_another_account_open_nothing(
    codes: TimeCodes, clock: Clock, owner: Account, database: ControlDatabase
) -> None:
    other = account(database, "other@example.com")
    turn_on(codes, clock, owner)
    secret, recovery = turn_on(codes, clock, other)
    clock.now += STEP
    for theirs in (app(secret, clock), recovery[0]):
        with pytest.raises(WrongCode):
            codes.check(owner.id, theirs)


def test_whether_codes_are_on_is_told_of_each_account(
    codes: TimeCodes, clock: Clock, owner: Account, database: ControlDatabase
) -> None:
    others = [account(database, f"{name}@example.com") for name in ("on", "begun")]
    turn_on(codes, clock, others[0])
    theirs = codes.begin(others[1].id)
    assert [codes.state(each.id) for each in (*others, owner)] == ["on", "begun", "off"]
    with pytest.raises(WrongCode, match="no app"):
        codes.begun(owner.id)
    mine = codes.begin(owner.id)
    assert (codes.begun(owner.id), codes.begun(others[1].id)) == (mine, theirs)
    codes.turn_off(others[0].id)
    assert [codes.state(each.id) for each in (*others, owner)] == ["off", "begun", "begun"]


def test_codes_that_are_off_are_forgotten(
    codes: TimeCodes, clock: Clock, owner: Account, database: ControlDatabase
) -> None:
    secret, recovery = turn_on(codes, clock, owner)
    codes.turn_off(owner.id)
    assert codes.state(owner.id) == "off"
    clock.now += STEP
    for gone in (app(secret, clock), recovery[0]):
        with pytest.raises(WrongCode):
            codes.check(owner.id, gone)
    assert database.read("SELECT * FROM recovery_codes") == database.read("SELECT * FROM time_codes") == []


def test_the_secret_is_sealed_and_survives_another_master_key(
    codes: TimeCodes, clock: Clock, owner: Account, database: ControlDatabase, data: Path
) -> None:
    secret, recovery = turn_on(codes, clock, owner)
    kept = str(database.read("SELECT * FROM time_codes") + database.read("SELECT * FROM recovery_codes"))
    assert secret not in kept
    assert not any(code in kept or code.replace("-", "") in kept for code in recovery)
    before = database.read("SELECT secret FROM time_codes")
    rotate(database, source_of(data))
    rewrap(database, open_keyring(database, data))
    assert database.read("SELECT secret FROM time_codes") != before
    clock.now += STEP
    codes.check(owner.id, app(secret, clock))


def test_an_app_reads_service_and_account_from_the_address() -> None:
    read = pyotp.parse_uri(address(SECRET, "me@example.com", "docs.example.com"))
    assert (read.secret, read.name, read.issuer) == (SECRET, "me@example.com", "docs.example.com")
