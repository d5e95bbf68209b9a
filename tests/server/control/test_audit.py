"""Changes of accounts and their keys are written down, with who has asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.control import audit
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.accounts.passwords import Passwords
from server.control.audit import OPERATOR, Event
from server.control.errors import KeyLimitReached, KeyNotFound
from server.control.keys.management_keys import ManagementKeys
from server.control.sqlite.database import ControlDatabase
from tests.server.control.clock import Clock
from tests.server.control.people import PASSWORD, QUICK, account, accounts

EMAIL = "me@example.com"


Do = Callable[[Accounts, ManagementKeys, Account, str], object]
"""`str` is the id of a key that is disabled."""

EVENTS: list[tuple[Do, list[str]]] = [
    (lambda store, _keys, owner, _key: store.set_plan(owner.id, "premium"), ["account.plan"]),
    (lambda store, _keys, owner, _key: store.set_plan(owner.id, "free"), []),
    (lambda store, _keys, owner, _key: store.clear(owner.id), []),
    (
        lambda store, _keys, owner, _key: (store.suspend(owner.id), store.suspend(owner.id)),
        ["account.suspend"],
    ),
    (
        lambda store, _keys, owner, _key: (store.suspend(owner.id), store.clear(owner.id)),
        ["account.suspend", "account.clear"],
    ),
    (lambda _store, keys, owner, _key: keys.create(owner.id, "laptop"), ["key.create"]),
    (lambda _store, keys, _me, key: keys.rotate(key), ["key.rotate"]),
    (lambda _store, keys, _me, key: keys.disable(key), []),
    (lambda _store, keys, _me, key: (keys.enable(key), keys.enable(key)), ["key.enable"]),
    (
        lambda _store, keys, _me, key: (keys.enable(key), keys.disable(key)),
        ["key.enable", "key.disable"],
    ),
    (lambda _store, keys, _me, key: keys.delete(key), ["key.delete"]),
]


@pytest.mark.parametrize(("do", "wanted"), EVENTS)
def test_each_change_is_written_once_and_what_changes_nothing_is_not(
    database: ControlDatabase, do: Do, wanted: list[str]
) -> None:
    store, keys = accounts(database), ManagementKeys(database)
    owner = store.create(EMAIL, PASSWORD)
    key = keys.create(owner.id).record.id
    keys.disable(key)
    before = len(audit.events(database, owner.id))
    do(store, keys, owner, key)
    found = audit.events(database, owner.id)[::-1]
    assert [each.action for each in found[:before]] == ["account.create", "key.create", "key.disable"]
    assert [each.action for each in found[before:]] == wanted
    for each in found[before:]:
        own = key if each.action != "key.create" else keys.list(owner.id)[-1].id
        assert each.subject == (owner.id if each.action.startswith("account.") else own)
        assert (each.actor, each.account) == (OPERATOR, owner.id)


def test_an_event_has_its_time_and_who_has_asked(database: ControlDatabase) -> None:
    clock = Clock()
    owner = Accounts(database, clock, Passwords(QUICK)).create(EMAIL, PASSWORD, by="somebody")
    (found,) = audit.events(database, owner.id)
    assert (found.at, found.actor, found.request) == (int(clock.now), "somebody", "")


def test_what_is_refused_is_in_no_log(database: ControlDatabase) -> None:
    store, keys = accounts(database), ManagementKeys(database)
    owner = store.create(EMAIL, PASSWORD)
    for _ in range(2):
        keys.create(owner.id)
    before = audit.events(database, owner.id)
    with pytest.raises(KeyLimitReached):
        keys.create(owner.id)
    with pytest.raises(KeyNotFound):
        keys.delete("none")
    assert audit.events(database, owner.id) == before


def test_events_are_kept_for_more_than_a_year_and_then_forgotten(database: ControlDatabase) -> None:
    owner = account(database)
    (made,) = audit.events(database, owner.id)
    audit.forget_old(database, made.at + 366 * 24 * 3600)
    assert audit.events(database, owner.id) == [made]
    audit.forget_old(database, made.at + audit.KEPT_SECONDS + 1)
    assert audit.events(database, owner.id) == []


Shown = tuple[int, int, int | None, str]
"""An event: when, how often, when last, and its request."""


def reveals(database: ControlDatabase, owner: str, *found: tuple[int, str, str]) -> list[Shown]:
    """Note reveals at these seconds, by these keys, of these databases; return what the log has of them."""
    for number, (at, actor, subject) in enumerate(found):
        with database.change() as change:
            audit.note(change, Event(at, owner, actor, "database.reveal", subject, f"r{number}"))
    events = [each for each in audit.events(database, owner)[::-1] if each.action == "database.reveal"]
    return [(each.at, each.count, each.last_at, each.request) for each in events]


REPEATS = [
    ([(1000, "k", "d")], [(1000, 1, None, "r0")]),
    ([(1000, "k", "d"), (1000, "k", "d"), (1059, "k", "d")], [(1000, 3, 1059, "r0")]),
    ([(1000, "k", "d"), (1059, "k", "d"), (1060, "k", "d")], [(1000, 2, 1059, "r0"), (1060, 1, None, "r2")]),
    ([(1000, "k", "d"), (1001, "j", "d")], [(1000, 1, None, "r0"), (1001, 1, None, "r1")]),
    ([(1000, "k", "d"), (1001, "k", "e")], [(1000, 1, None, "r0"), (1001, 1, None, "r1")]),
    ([(1000, "k", "d"), (999, "k", "d")], [(999, 1, None, "r1"), (1000, 1, None, "r0")]),
    ([(1000, "k", "d"), (1001, "j", "d"), (1002, "k", "d")], [(1001, 1, None, "r1"), (1000, 2, 1002, "r0")]),
]


@pytest.mark.parametrize(("found", "wanted"), REPEATS)
def test_what_a_key_does_again_within_a_minute_is_counted(
    database: ControlDatabase, found: list[tuple[int, str, str]], wanted: list[Shown]
) -> None:
    assert reveals(database, account(database).id, *found) == wanted


def test_of_what_two_accounts_do_nothing_is_counted_together(database: ControlDatabase) -> None:
    store = accounts(database)
    owner, you = (store.create(f"{name}@example.com", PASSWORD).id for name in ("me", "you"))
    assert reveals(database, owner, (1000, "operator", "d")) == [(1000, 1, None, "r0")]
    assert reveals(database, you, (1001, "operator", "d")) == [(1001, 1, None, "r0")]


def test_what_keys_write_is_forgotten_after_three_months_and_counted_for_ten_minutes(
    database: ControlDatabase,
) -> None:
    owner = account(database)
    (made,) = audit.events(database, owner.id)
    for at in (made.at, made.at + 599, made.at + 600):
        with database.change() as change:
            audit.note(change, Event(at, owner.id, "k", "page.write", "s", count=3))
    writes = [each for each in audit.events(database, owner.id)[::-1] if each.action == "page.write"]
    assert [(each.count, each.last_at) for each in writes] == [(6, made.at + 599), (3, None)]
    audit.forget_old(database, made.at + audit.WRITES_KEPT_SECONDS + 601)
    assert audit.events(database, owner.id) == [made]
