from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher, extract_parameters

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.accounts.passwords import Passwords
from server.control.errors import (
    AccountNotFound,
    EmailTaken,
    InvalidEmail,
    InvalidReason,
    WeakPassword,
    WrongPassword,
)
from tests.server.control.clock import START, Clock
from tests.server.control.people import PASSWORD, QUICK, account, accounts


def kept(database: ControlDatabase) -> str:
    ((found,),) = database.read("SELECT password_hash FROM accounts")
    return str(found)


def test_a_new_account_is_found_by_its_email_and_by_its_id(database: ControlDatabase) -> None:
    store = Accounts(database, Clock(), Passwords(QUICK))
    made = store.create("Me@example.com", PASSWORD, "premium")
    assert made == Account(made.id, "Me@example.com", "premium", False, 0, int(START))
    for email in ("Me@example.com", "me@example.com", " ME@EXAMPLE.COM "):
        assert store.find(email) == made
    assert store.get(made.id) == made
    assert store.list() == (made,)


@pytest.mark.parametrize("email", ["me@example.com", "ME@example.COM", " me@example.com"])
def test_an_address_has_one_account_in_whichever_letters(database: ControlDatabase, email: str) -> None:
    made = account(database)
    with pytest.raises(EmailTaken) as taken:
        account(database, email)
    assert taken.value.hint
    assert accounts(database).list() == (made,)


def test_of_many_at_once_one_gets_the_address(database: ControlDatabase) -> None:
    def create(_: int) -> bool:
        try:
            account(database)
        except EmailTaken:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, range(16))) == 1


@pytest.mark.parametrize(
    "email",
    ["", "me", "@", "me@", "@example.com", "a b@example.com", "me@exa mple.com", "me@-example.com",
     "me@example..com", "me@example.com\nbcc@example.com", "Me <me@example.com>",
     "m\u00e9@example.com", "a" * 65 + "@example.com",
     "me@" + "a" * 64 + ".com", "me@" + "a." * 130 + "com", "\udc80@example.com",
     "=?utf-8?q?me?=@example.com", "you.=?utf-8?q?=40example.org?=@example.com"],
)  # fmt: skip
def test_what_is_no_email_is_refused(database: ControlDatabase, email: str) -> None:
    with pytest.raises(InvalidEmail) as refused:
        account(database, email)
    assert refused.value.hint
    assert accounts(database).list() == ()


@pytest.mark.parametrize(
    "email", ["me@localhost", "me+tag@sub.example.co.uk", "a.b'c@x-y.example", "1@2.example"]
)
def test_other_addresses_are_taken_as_they_are(database: ControlDatabase, email: str) -> None:
    assert account(database, email).email == email


@pytest.mark.parametrize(
    ("password", "says"),
    [
        ("", "the password has 0 characters, and may have 8 to 1000"),
        ("7 chars", "the password has 7 characters, and may have 8 to 1000"),
        ("x" * 1001, "the password has 1001 characters, and may have 8 to 1000"),
        ("abababababababab", "the password repeats the same few characters"),
        ("Password123", "the password is among those that are tried first"),
        ("Correcthorsebatterystaple", "the password is among those that are tried first"),
        ("ME.myself@example.com", "the password is among those that are tried first"),
        ("four words \udc80 that are odd", "the password holds bytes that are no text"),
    ],
)
def test_a_password_that_is_easily_guessed_is_refused_and_not_repeated(
    database: ControlDatabase, password: str, says: str
) -> None:
    with pytest.raises(WeakPassword) as refused:
        accounts(database).create("me.myself@example.com", password)
    assert refused.value.message == says
    assert refused.value.hint
    assert accounts(database).list() == ()


@pytest.mark.parametrize(
    "password",
    [
        "8 things",
        "all small letters",
        " spaces around me ",
        "\u6587\u5b57" * 8 + "abcd",
        "x1" * 480 + PASSWORD,
    ],
)
def test_any_characters_do_when_there_are_eight(database: ControlDatabase, password: str) -> None:
    made = accounts(database).create("me@example.com", password)
    assert accounts(database).verify("ME@example.com", password) == made


def test_a_password_is_the_same_in_both_ways_of_writing_an_accent(database: ControlDatabase) -> None:
    made = accounts(database).create("me@example.com", "caf\u00e9 caf\u00e9 caf\u00e9 four")
    assert accounts(database).verify("me@example.com", "cafe\u0301 cafe\u0301 cafe\u0301 four") == made


@pytest.mark.parametrize(
    ("email", "password"),
    [("me@example.com", PASSWORD.upper()), ("me@example.com", PASSWORD + " "), ("me@example.com", ""),
     ("me@example.com", "\udc80"), ("you@example.com", PASSWORD), ("", ""), ("\udc80", PASSWORD)],
)  # fmt: skip
def test_a_wrong_password_and_a_wrong_address_get_the_same_answer(
    database: ControlDatabase, email: str, password: str
) -> None:
    account(database)
    with pytest.raises(WrongPassword) as refused:
        accounts(database).verify(email, password)
    assert str(refused.value).startswith("the email address or the password is wrong")
    assert PASSWORD.lower() not in str(refused.value).lower()


@pytest.mark.parametrize("email", ["me@example.com", "nobody@example.com"])
def test_a_guess_of_a_megabyte_holds_nobody_up(database: ControlDatabase, email: str) -> None:
    account(database)
    accents = "\u0300\u0316" * 20_000  # to bring these into their order takes seconds, and for all threads
    began = time.thread_time()
    with pytest.raises(WrongPassword):
        accounts(database).verify(email, f"a{accents}")
    assert time.thread_time() - began < 0.5


def test_passwords_are_kept_as_argon2id_with_the_recommended_parameters(database: ControlDatabase) -> None:
    Accounts(database).create("me@example.com", PASSWORD)
    assert kept(database).startswith("$argon2id$")
    assert not PasswordHasher().check_needs_rehash(kept(database))
    assert PASSWORD not in kept(database)


def test_a_password_is_hashed_anew_when_the_parameters_are_others_now(database: ControlDatabase) -> None:
    made = account(database)
    old = kept(database)
    accounts(database).verify("me@example.com", PASSWORD)
    assert kept(database) == old
    stronger = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1)
    with pytest.raises(WrongPassword):
        Accounts(database, passwords=Passwords(stronger)).verify("me@example.com", "another four words")
    assert kept(database) == old
    Accounts(database, passwords=Passwords(stronger)).verify("me@example.com", PASSWORD)
    assert extract_parameters(kept(database)).time_cost == 2
    assert accounts(database).verify("me@example.com", PASSWORD) == made


def test_a_damaged_hash_opens_nothing(database: ControlDatabase) -> None:
    account(database)
    database.write("UPDATE accounts SET password_hash = 'x'")
    with pytest.raises(WrongPassword):
        accounts(database).verify("me@example.com", PASSWORD)


def test_suspending_and_clearing_are_counted_and_a_second_time_changes_nothing(
    database: ControlDatabase,
) -> None:
    store, made = accounts(database), account(database)
    other = account(database, "you@example.com")
    acts = [store.suspend, store.suspend, store.clear, store.clear, store.suspend]
    seen = [(found.suspended, found.suspensions) for found in (act(made.id) for act in acts)]
    assert seen == [(True, 1), (True, 1), (False, 2), (False, 2), (True, 3)]
    assert store.get(made.id).suspended
    assert store.get(other.id) == other


def test_of_many_suspensions_at_once_one_counts(database: ControlDatabase) -> None:
    store, made = accounts(database), account(database)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.suspend(made.id), range(16)))
    assert store.get(made.id).suspensions == 1


def test_a_suspended_account_is_verified_and_says_that_it_is_suspended(database: ControlDatabase) -> None:
    store, made = accounts(database), account(database)
    store.suspend(made.id)
    assert store.verify(made.email, PASSWORD).suspended


def test_an_account_gets_another_plan(database: ControlDatabase) -> None:
    store, made = accounts(database), account(database)
    assert store.set_plan(made.id, "premium").plan == "premium"
    assert store.find(made.email).plan == "premium"


@pytest.mark.parametrize("act", ["get", "suspend", "clear", "find"])
def test_an_account_that_is_not_there_is_told(database: ControlDatabase, act: str) -> None:
    for unknown in ("nobody@example.com", "", "\udc80"):
        with pytest.raises(AccountNotFound) as missing:
            getattr(accounts(database), act)(unknown)
        assert missing.value.hint
    with pytest.raises(AccountNotFound):
        accounts(database).set_plan("nobody", "free")


@pytest.mark.parametrize(("length", "taken"), [(7, False), (8, True), (1000, True), (1001, False)])
def test_a_password_of_the_limit_is_taken_and_opens_its_account(
    database: ControlDatabase, length: int, taken: bool
) -> None:
    store, password = accounts(database), ("odd words" * 200)[:length]
    if not taken:
        with pytest.raises(WeakPassword):
            store.create("me@example.com", password)
        return
    made = store.create("me@example.com", password)
    assert store.verify("me@example.com", password).id == made.id
    with pytest.raises(WrongPassword):
        store.verify("me@example.com", password + password[0])


def test_a_reason_may_have_the_limit_and_no_character_more(database: ControlDatabase) -> None:
    store = accounts(database)
    owner = store.create("me@example.com", PASSWORD)
    assert store.suspend(owner.id, reason="x" * 500).reason == "x" * 500
    with pytest.raises(InvalidReason):
        store.suspend(owner.id, reason="y" * 501)
    assert store.get(owner.id).reason == "x" * 500
