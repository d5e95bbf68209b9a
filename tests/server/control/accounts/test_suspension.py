"""The sentences of the specification on the suspension of accounts, as far as they are about keys."""

from __future__ import annotations

import pytest

from server.control import ControlDatabase, DisabledKey, ExpiredKey, KeyKind, SiteKeys, local_site
from server.control.accounts.account import Account
from server.control.errors import BadKey, KeyLimitReached
from server.control.keys.management_keys import ManagementKeys
from tests.server.control.clock import Clock
from tests.server.control.people import account, accounts, site_of


@pytest.fixture
def owner(database: ControlDatabase) -> Account:
    return account(database, plan="premium")


def test_a_suspension_disables_all_keys_of_the_account_at_once_and_of_no_other(
    database: ControlDatabase, owner: Account
) -> None:
    keys = ManagementKeys(database)
    mine = [keys.create(owner.id) for _ in range(10)]
    other = keys.create(account(database, "you@example.com").id)
    accounts(database).suspend(owner.id)
    for each in mine:
        with pytest.raises(DisabledKey, match="suspended"):
            keys.check(each.text)
    assert {each.state for each in keys.list(owner.id)} == {"disabled"}
    assert keys.check(other.text).state == "active"
    keys.close()


def test_a_suspension_is_one_row_and_touches_no_key(database: ControlDatabase, owner: Account) -> None:
    keys = ManagementKeys(database)
    for _ in range(10):
        keys.create(owner.id)
    before = database.read("SELECT * FROM management_keys")
    with database.change() as change:
        sql = "UPDATE accounts SET suspended = 1, suspensions = suspensions + 1 WHERE id = ?"
        assert change.write(sql, (owner.id,)) == 1
    assert {each.state for each in keys.list(owner.id)} == {"disabled"}
    accounts(database).clear(owner.id)
    assert database.read("SELECT * FROM management_keys") == before


def test_clearing_restores_exactly_what_the_suspension_took(
    database: ControlDatabase, owner: Account
) -> None:
    keys, store = ManagementKeys(database), accounts(database)
    active, disabled = keys.create(owner.id), keys.create(owner.id)
    keys.disable(disabled.record.id)
    before = keys.list(owner.id)
    for _ in range(2):
        store.suspend(owner.id)
        store.clear(owner.id)
    assert keys.list(owner.id) == before
    assert keys.check(active.text).state == "active"
    with pytest.raises(DisabledKey):
        keys.check(disabled.text)
    keys.close()


def test_what_an_owner_does_during_a_suspension_holds_afterwards(
    database: ControlDatabase, owner: Account
) -> None:
    keys, store = ManagementKeys(database), accounts(database)
    rotated, disabled, enabled, deleted = (keys.create(owner.id) for _ in range(4))
    keys.disable(enabled.record.id)
    store.suspend(owner.id)
    new = keys.rotate(rotated.record.id)
    keys.disable(disabled.record.id)
    assert keys.enable(enabled.record.id).state == "disabled"
    keys.delete(deleted.record.id)
    made = keys.create(owner.id)
    assert (new.record.state, made.record.state) == ("disabled", "disabled")
    for each in (new, disabled, enabled, made):
        with pytest.raises(DisabledKey):
            keys.check(each.text)
    for each in (rotated, deleted):  # those are no keys any more
        with pytest.raises(BadKey):
            keys.check(each.text)
    store.clear(owner.id)
    assert {keys.check(each.text).id for each in (new, enabled, made)} == {
        each.record.id for each in (new, enabled, made)
    }
    with pytest.raises(DisabledKey):
        keys.check(disabled.text)
    keys.close()


def test_a_suspension_frees_no_places(database: ControlDatabase) -> None:
    owner, keys = account(database), ManagementKeys(database)
    first, second = (keys.create(owner.id) for _ in range(2))
    keys.disable(second.record.id)
    accounts(database).suspend(owner.id)
    third = keys.create(owner.id)
    with pytest.raises(KeyLimitReached):
        keys.create(owner.id)
    with pytest.raises(KeyLimitReached):
        keys.enable(second.record.id)
    accounts(database).clear(owner.id)
    assert {each.id for each in keys.list(owner.id) if each.state == "active"} == {
        first.record.id,
        third.record.id,
    }


@pytest.mark.parametrize("kind", KeyKind)
def test_the_keys_of_its_sites_are_disabled_too_and_come_back(
    database: ControlDatabase, owner: Account, kind: KeyKind
) -> None:
    keys, store = SiteKeys(database), accounts(database)
    own, made = keys.create(kind, local_site(database)), keys.create(kind, site_of(database, owner))
    off = keys.create(kind, made.record.site)
    keys.disable(off.record.id)
    assert keys.check(made.text) == made.record
    store.suspend(owner.id)
    with pytest.raises(DisabledKey, match="suspended"):
        keys.check(made.text)
    assert {each.state(each.created_at) for each in keys.list(made.record.site)} == {"disabled"}
    during = keys.create(kind, made.record.site)
    assert during.record.suspended
    with pytest.raises(DisabledKey):
        keys.check(during.text)
    assert keys.check(own.text).site == own.record.site  # a site of nobody's
    store.clear(owner.id)
    assert keys.check(during.text).kind == keys.check(made.text).kind == kind
    with pytest.raises(DisabledKey):
        keys.check(off.text)
    keys.close()


def test_an_expired_key_of_a_suspended_account_has_expired(database: ControlDatabase, owner: Account) -> None:
    clock = Clock()
    keys = SiteKeys(database, clock)
    made = keys.create(KeyKind.ONE_OFF, site_of(database, owner))
    accounts(database).suspend(owner.id)
    clock.now += 3600
    with pytest.raises(ExpiredKey):
        keys.check(made.text)
