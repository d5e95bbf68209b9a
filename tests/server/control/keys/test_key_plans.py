"""The sentences of the specification on how many keys may be active."""

from __future__ import annotations

import pytest

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.errors import KeyLimitReached
from server.control.keys.management_keys import ManagementKeys
from tests.server.control.people import account, accounts


def states(keys: ManagementKeys, owner: Account) -> list[str]:
    """Of all keys, the oldest first."""
    return [each.state for each in keys.list(owner.id)]


@pytest.mark.parametrize(("plan", "limit"), [("free", 2), ("premium", 10)])
def test_an_account_has_as_many_active_keys_as_its_plan_allows(
    database: ControlDatabase, keys: ManagementKeys, owner: Account, plan: str, limit: int
) -> None:
    accounts(database).set_plan(owner.id, "premium" if plan == "premium" else "free")
    made = [keys.create(owner.id).record for _ in range(limit)]
    with pytest.raises(KeyLimitReached) as refused:
        keys.create(owner.id)
    assert refused.value.code == "KEY_LIMIT_REACHED"
    assert str(limit) in refused.value.message
    assert refused.value.hint
    assert len(keys.list(owner.id)) == limit
    keys.delete(made[0].id)
    keys.create(owner.id)


def test_disabling_frees_a_place_and_enabling_is_refused_until_another_is_disabled(
    keys: ManagementKeys, owner: Account
) -> None:
    first, second = (keys.create(owner.id) for _ in range(2))
    keys.disable(first.record.id)
    third = keys.create(owner.id)
    with pytest.raises(KeyLimitReached):
        keys.enable(first.record.id)
    assert states(keys, owner) == ["disabled", "active", "active"]
    assert keys.enable(second.record.id).state == "active"  # it is already, and nothing becomes more
    keys.disable(third.record.id)
    keys.enable(first.record.id)
    assert states(keys, owner) == ["active", "active", "disabled"]


def test_disabled_keys_do_not_count(keys: ManagementKeys, owner: Account) -> None:
    for _ in range(12):
        keys.disable(keys.create(owner.id).record.id)
    assert len(keys.list(owner.id)) == 12


def test_after_a_downgrade_active_keys_stay_and_none_comes(
    database: ControlDatabase, keys: ManagementKeys
) -> None:
    owner = account(database, plan="premium")
    made = [keys.create(owner.id) for _ in range(4)]
    accounts(database).set_plan(owner.id, "free")
    assert [keys.check(each.text).state for each in made] == ["active"] * 4
    for left in (3, 2):
        keys.disable(made[left].record.id)
        with pytest.raises(KeyLimitReached):
            keys.create(owner.id)
        with pytest.raises(KeyLimitReached):
            keys.enable(made[left].record.id)
    keys.disable(made[1].record.id)
    keys.enable(made[3].record.id)
