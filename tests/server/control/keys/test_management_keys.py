"""The sentences of the specification on management keys, as far as they are not about HTTP."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from server.control import (
    BadKey,
    ControlDatabase,
    DisabledKey,
    InvalidLabel,
    KeyKind,
    KeyNotFound,
    KeyRefused,
    SiteKeys,
)
from server.control.accounts.account import Account
from server.control.errors import AccountNotFound
from server.control.keys.key_text import MANAGEMENT, generate, generate_management, is_management, kind_of
from server.control.keys.management_keys import ManagementKeys
from tests.server.control.clock import START, Clock
from tests.server.control.people import account, site_of


def said(keys: ManagementKeys, text: str) -> str:
    """Check a key; return `ok` or the name of the refusal."""
    try:
        keys.check(text)
    except KeyRefused as refused:
        return type(refused).__name__
    return "ok"


def test_a_key_is_its_prefix_a_random_part_and_a_checksum(keys: ManagementKeys, owner: Account) -> None:
    made = keys.create(owner.id)
    assert re.fullmatch(r"svc_db_[0-9A-Za-z]{46}", made.text)
    assert is_management(made.text)
    assert made.text.endswith(made.record.last_four)
    assert len({generate_management() for _ in range(1000)}) == 1000


@pytest.mark.parametrize("label", ["", "CI on main", "\u6587\u6863"])
def test_a_key_is_made_with_a_label_or_without(database: ControlDatabase, owner: Account, label: str) -> None:
    keys = ManagementKeys(database, Clock())
    record = keys.create(owner.id, label).record
    assert (record.account, record.label, record.state) == (owner.id, label, "active")
    assert (record.created_at, record.rotated_at, record.last_used_at) == (START, None, None)


def test_a_valid_active_key_is_accepted(keys: ManagementKeys, owner: Account) -> None:
    made = keys.create(owner.id)
    assert keys.check(made.text) == made.record


def test_the_value_is_shown_once_and_is_in_no_record(keys: ManagementKeys, owner: Account) -> None:
    made = keys.create(owner.id)
    for seen in (repr(made), repr(keys.list(owner.id)), repr(keys.get(made.record.id))):
        assert made.text.removeprefix(MANAGEMENT) not in seen


def test_a_rotated_key_is_the_same_record_and_its_old_value_fails_at_once(
    database: ControlDatabase, owner: Account
) -> None:
    clock = Clock()
    keys = ManagementKeys(database, clock)
    first = keys.create(owner.id, "ci")
    clock.now += 10
    second = keys.rotate(first.record.id)
    assert said(keys, first.text) == "BadKey"
    record = keys.check(second.text)
    assert (record.id, record.label, record.created_at) == (first.record.id, "ci", START)
    assert (record.rotated_at, record.last_four) == (START + 10, second.text[-4:])
    keys.close()  # its last use is written aside
    (listed,) = keys.list(owner.id)
    assert replace(listed, last_used_at=None) == record


def test_every_older_value_of_a_key_stays_bad(keys: ManagementKeys, owner: Account) -> None:
    made = keys.create(owner.id)
    values = [made.text, *(keys.rotate(made.record.id).text for _ in range(5))]
    assert [said(keys, text) for text in values] == ["BadKey"] * 5 + ["ok"]


def test_rotating_a_disabled_key_leaves_it_disabled(keys: ManagementKeys, owner: Account) -> None:
    made = keys.create(owner.id)
    keys.disable(made.record.id)
    again = keys.rotate(made.record.id)
    assert again.record.state == "disabled"
    assert [said(keys, each.text) for each in (made, again)] == ["BadKey", "DisabledKey"]
    keys.enable(made.record.id)
    assert said(keys, again.text) == "ok"


def test_a_key_is_rotated_also_at_the_limit(keys: ManagementKeys, owner: Account) -> None:
    made = [keys.create(owner.id) for _ in range(2)]
    assert said(keys, keys.rotate(made[0].record.id).text) == "ok"


def test_a_disabled_key_is_kept_and_opens_nothing(keys: ManagementKeys, owner: Account) -> None:
    made = keys.create(owner.id, "ci")
    for _ in range(2):
        assert keys.disable(made.record.id).state == "disabled"
        assert said(keys, made.text) == "DisabledKey"
        assert [(each.id, each.label, each.state) for each in keys.list(owner.id)] == [
            (made.record.id, "ci", "disabled")
        ]
    for _ in range(2):
        assert keys.enable(made.record.id).state == "active"
        assert said(keys, made.text) == "ok"


@pytest.mark.parametrize("disabled", [False, True])
def test_a_deleted_key_exists_no_more(keys: ManagementKeys, owner: Account, disabled: bool) -> None:
    made = keys.create(owner.id)
    if disabled:
        keys.disable(made.record.id)
    keys.delete(made.record.id)
    assert said(keys, made.text) == "BadKey"
    assert keys.list(owner.id) == ()
    for act in (keys.get, keys.rotate, keys.disable, keys.enable, keys.delete):
        for unknown in (made.record.id, "", "\udc80", made.text):
            with pytest.raises(KeyNotFound) as missing:
                act(unknown)
            assert missing.value.hint
            assert made.text not in str(missing.value)


def test_keys_are_listed_from_old_to_new_also_within_a_second(database: ControlDatabase) -> None:
    owner = account(database, plan="premium")
    keys = ManagementKeys(database, Clock())
    made = [keys.create(owner.id).record for _ in range(10)]
    keys.rotate(made[0].id)
    assert [each.id for each in keys.list(owner.id)] == [each.id for each in made]


def test_the_keys_of_one_account_are_not_among_those_of_another(
    database: ControlDatabase, keys: ManagementKeys, owner: Account
) -> None:
    you = account(database, "you@example.com")
    mine, yours = keys.create(owner.id).record, keys.create(you.id).record
    assert (keys.list(owner.id), keys.list(you.id), keys.list("nobody")) == ((mine,), (yours,), ())


@pytest.mark.parametrize("kind", KeyKind)
def test_a_key_of_a_site_is_a_bad_key_here_and_one_of_ours_is_bad_there(
    database: ControlDatabase, keys: ManagementKeys, owner: Account, kind: KeyKind
) -> None:
    sites = SiteKeys(database)
    theirs, ours = sites.create(kind, site_of(database, owner)).text, keys.create(owner.id).text
    assert (said(keys, theirs), kind_of(ours)) == ("BadKey", None)
    with pytest.raises(BadKey):
        sites.check(ours)
    assert (said(keys, ours), sites.check(theirs).kind) == ("ok", kind)
    sites.close()


NO_KEY = "this is no key (copy the whole key, from `svc_db_` to its last character)"
UNKNOWN = "there is no such key (it was rotated or deleted; ask the owner of the account)"
NO_KEYS = {
    "empty": "",
    "short": "x",
    "prefix": "svc_db_",
    "no text": "\udc80",
    "nothing but zeros": "svc_db_" + "0" * 46,
    "with another checksum": generate(KeyKind.LONG_LIVED).replace("docs", "db"),
}


@pytest.mark.parametrize(
    ("text", "says"),
    [*((text, NO_KEY) for text in NO_KEYS.values()), (generate_management(), UNKNOWN)],
    ids=[*NO_KEYS, "well-formed"],
)
def test_what_was_never_made_is_a_bad_key_and_is_not_repeated(
    keys: ManagementKeys, text: str, says: str
) -> None:
    with pytest.raises(BadKey) as refused:
        keys.check(text)
    assert str(refused.value) == says


@pytest.mark.parametrize("label", ["x" * 81, "a\nb", " a", "see svc_db_Abc0123"])
def test_a_label_that_cannot_be_shown_is_refused(keys: ManagementKeys, owner: Account, label: str) -> None:
    with pytest.raises(InvalidLabel):
        keys.create(owner.id, label)
    assert keys.list(owner.id) == ()


def test_a_key_of_no_account_cannot_be_made(keys: ManagementKeys) -> None:
    with pytest.raises(AccountNotFound):
        keys.create("nobody")


def test_the_last_use_is_written_once_a_minute_unless_refused(
    database: ControlDatabase, owner: Account
) -> None:
    clock = Clock()
    made = ManagementKeys(database, clock).create(owner.id)
    for later, seen in ((0, 0), (59, 0), (60, 60)):
        clock.now = START + later
        keys = ManagementKeys(database, clock)
        keys.check(made.text)
        keys.close()
        assert keys.get(made.record.id).last_used_at == START + seen
    clock.now = START + 1000
    keys = ManagementKeys(database, clock)
    keys.disable(made.record.id)
    with pytest.raises(DisabledKey):
        keys.check(made.text)
    keys.close()
    assert keys.get(made.record.id).last_used_at == START + 60
