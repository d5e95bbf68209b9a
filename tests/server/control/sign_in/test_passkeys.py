"""Passkeys: who gets in with one, and what is no answer of one."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import count as counter
from typing import Any

import pytest

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.errors import InvalidLabel, WrongPasskey
from server.control.sign_in.passkeys import ASKED, MOST, Passkeys, PasskeySite
from tests.server.control.clock import START, Clock
from tests.server.control.people import account
from tests.server.control.sign_in.device import PRESENT, VERIFIED, Device

SITE = PasskeySite("app.example.net", "https://app.example.net")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def passkeys(database: ControlDatabase, clock: Clock) -> Passkeys:
    return Passkeys(database, SITE, clock)


def device(**other: Any) -> Device:
    return Device(**{"origin": SITE.origin, "host": SITE.host, **other})


def added(passkeys: Passkeys, owner: Account, **other: Any) -> Device:
    made = device(**other)
    passkeys.create(owner.id, made.make(passkeys.ask_to_create(owner)), "Laptop")
    return made


def test_a_passkey_opens_its_account_without_anybody_saying_whose_it_is(
    passkeys: Passkeys, clock: Clock, owner: Account
) -> None:
    made = added(passkeys, owner)
    ((kept),) = passkeys.of(owner.id)
    assert (kept.id, kept.account, kept.label, kept.created_at) == (made.name, owner.id, "Laptop", int(START))
    assert kept.last_used_at is None
    clock.now += 60
    assert passkeys.check(made.sign(passkeys.ask_to_sign())) == owner.id
    assert passkeys.of(owner.id)[0].last_used_at == int(START) + 60


def test_who_is_signed_in_steps_up_with_a_passkey_of_their_own_alone(
    passkeys: Passkeys, owner: Account, database: ControlDatabase
) -> None:
    other = account(database, "other@example.com")
    mine, theirs = added(passkeys, owner), added(passkeys, other)
    asked = passkeys.ask_to_sign(owner.id)
    assert [one["id"] for one in json.loads(asked)["allowCredentials"]] == [mine.name]
    assert passkeys.check(mine.sign(asked), owner.id) == owner.id
    with pytest.raises(WrongPasskey):
        passkeys.check(theirs.sign(passkeys.ask_to_sign(owner.id)), owner.id)
    # What was asked of one is no question to another, nor to who is not signed in.
    for asker, answerer in ((owner.id, other.id), (owner.id, None), (None, owner.id)):
        with pytest.raises(WrongPasskey):
            passkeys.check(mine.sign(passkeys.ask_to_sign(asker)), answerer)


def test_an_answer_is_taken_once_and_in_time(passkeys: Passkeys, clock: Clock, owner: Account) -> None:
    made = added(passkeys, owner)
    answer = made.sign(passkeys.ask_to_sign())
    passkeys.check(answer)
    late = made.sign(passkeys.ask_to_sign())
    clock.now += ASKED
    for refused in (answer, late, made.sign(json.dumps({"challenge": "never-asked"}))):
        with pytest.raises(WrongPasskey) as wrong:
            passkeys.check(refused)
        assert wrong.value.hint


def test_of_many_at_once_one_answer_is_taken(passkeys: Passkeys, owner: Account) -> None:
    answer = added(passkeys, owner).sign(passkeys.ask_to_sign())

    def takes(_: int) -> bool:
        try:
            passkeys.check(answer)
        except WrongPasskey:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(takes, range(12))) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"origin": "https://app.example.net.evil.example"},
        {"origin": "http://app.example.net"},
        {"host": "example.net"},
        {"flags": PRESENT},
        {"flags": VERIFIED},
    ],
    ids=["origin", "scheme", "host", "unverified", "absent"],
)
def test_elsewhere_and_without_its_owner_a_device_opens_nothing(
    passkeys: Passkeys, owner: Account, other: dict[str, Any]
) -> None:
    with pytest.raises(WrongPasskey):
        added(passkeys, owner, **other)
    good = added(passkeys, owner)
    bad = device(id=good.id, key=good.key, **other)
    with pytest.raises(WrongPasskey):
        passkeys.check(bad.sign(passkeys.ask_to_sign()))
    assert passkeys.check(good.sign(passkeys.ask_to_sign())) == owner.id


def test_a_copy_of_a_device_is_noticed_where_devices_count(passkeys: Passkeys, owner: Account) -> None:
    good = added(passkeys, owner, count=5)
    for count, taken in ((6, True), (6, False), (5, False), (7, True)):
        good.count = count
        asked = passkeys.ask_to_sign()
        if taken:
            passkeys.check(good.sign(asked))
        else:
            with pytest.raises(WrongPasskey):
                passkeys.check(good.sign(asked))


def test_of_a_device_and_its_copy_at_once_the_quicker_is_let_in(
    database: ControlDatabase, owner: Account
) -> None:
    """The copy answers after the device was looked at, and before that is written."""
    looks = counter()
    answers: list[dict[str, Any]] = []

    def clock() -> float:
        if answers and next(looks) == 1:
            assert passkeys.check(answers.pop()) == owner.id
        return START

    passkeys = Passkeys(database, SITE, clock)
    good = added(passkeys, owner, count=5)
    good.count = 6
    slow, answers = good.sign(passkeys.ask_to_sign()), [good.sign(passkeys.ask_to_sign())]
    with pytest.raises(WrongPasskey):
        passkeys.check(slow)
    assert answers == []


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"response": None},
        {"response": {"clientDataJSON": 1}},
        {"response": {"clientDataJSON": "!"}},
        {"response": {"clientDataJSON": "e30"}},
        {"response": {"clientDataJSON": "eyJjaGFsbGVuZ2UiOjF9"}},
    ],
)
def test_what_is_no_answer_is_refused(passkeys: Passkeys, owner: Account, answer: dict[str, Any]) -> None:
    passkeys.ask_to_sign()
    with pytest.raises(WrongPasskey):
        passkeys.check(answer)
    with pytest.raises(WrongPasskey):
        passkeys.create(owner.id, answer)


@pytest.mark.parametrize("part", ["signature", "authenticatorData", "clientDataJSON"])
def test_an_answer_that_was_changed_is_refused(passkeys: Passkeys, owner: Account, part: str) -> None:
    made = added(passkeys, owner)
    answer = made.sign(passkeys.ask_to_sign())
    answer["response"][part] = made.sign(passkeys.ask_to_sign())["response"]["signature"][:-4] + "AAAA"
    with pytest.raises(WrongPasskey):
        passkeys.check(answer)


def test_a_passkey_belongs_to_one_account(
    passkeys: Passkeys, owner: Account, database: ControlDatabase
) -> None:
    other = account(database, "other@example.com")
    made = added(passkeys, owner)
    with pytest.raises(WrongPasskey):
        passkeys.create(other.id, made.make(passkeys.ask_to_create(other)))
    assert not passkeys.delete(other.id, made.name)
    assert passkeys.delete(owner.id, made.name)
    assert not passkeys.delete(owner.id, made.name)
    with pytest.raises(WrongPasskey):
        passkeys.check(made.sign(passkeys.ask_to_sign()))


def test_there_are_not_endlessly_many(passkeys: Passkeys, owner: Account) -> None:
    for _ in range(MOST):
        added(passkeys, owner)
    with pytest.raises(WrongPasskey, match="20 passkeys"):
        passkeys.ask_to_create(owner)


def test_labels_are_checked(passkeys: Passkeys, owner: Account) -> None:
    with pytest.raises(InvalidLabel):
        passkeys.create(owner.id, device().make(passkeys.ask_to_create(owner)), "x" * 81)
    assert passkeys.of(owner.id) == ()


def test_what_nobody_answered_is_forgotten(
    passkeys: Passkeys, clock: Clock, database: ControlDatabase
) -> None:
    passkeys.ask_to_sign()
    clock.now += ASKED
    passkeys.forget_old()
    assert database.read("SELECT * FROM passkey_challenges") == []
