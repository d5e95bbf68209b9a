from __future__ import annotations

import re

from server.control import ControlDatabase
from server.control.keys.management_keys import ManagementKeys
from tests.server.cli.admin.operator import TIME, Check, Run, ids, key, listed


def test_a_key_stands_alone_on_the_first_line_and_works_at_once(run: Run, me: str, check: Check) -> None:
    made = run("db-key", "create", me, "--label", "for backups")
    text = key(made)
    (found,) = listed(run)
    assert set(found) == {"id", "label", "state", "created_at", "last_used_at", "last_four"}
    assert (found["label"], found["state"], found["last_four"]) == ("for backups", "active", text[-4:])
    assert found["last_used_at"] is None
    assert TIME.fullmatch(found["created_at"] or "")
    assert str(found["id"]) in made.stderr
    assert check(text) == "active"


def test_keys_are_listed_from_old_to_new(run: Run, me: str) -> None:
    assert listed(run) == []
    empty = run("db-key", "list", me)
    assert (empty.stdout, "db-key create" in empty.stderr) == ("", True)
    texts = [key(run("db-key", "create", me, "--label", f"key {number}")) for number in range(2)]
    assert [each["label"] for each in listed(run)] == ["key 0", "key 1"]
    head, *rows = run("db-key", "list", me).stdout.splitlines()
    assert re.split(r"  +", head) == ["ID", "ENDS WITH", "STATE", "CREATED", "LAST USED", "LABEL"]
    assert [re.split(r"  +", row)[1] for row in rows] == [text[-4:] for text in texts]


def test_the_last_use_is_in_the_list(run: Run, me: str, database: ControlDatabase) -> None:
    keys = ManagementKeys(database)
    keys.check(key(run("db-key", "create", me)))
    keys.close()
    assert TIME.fullmatch(listed(run)[0]["last_used_at"] or "")


def test_a_rotated_key_has_a_new_value_and_the_same_id(run: Run, me: str, check: Check) -> None:
    old = key(run("db-key", "create", me))
    before = ids(run)
    new = key(run("db-key", "rotate", before[0]))
    assert (check(old), check(new), ids(run)) == ("BadKey", "active", before)


def test_a_key_is_disabled_enabled_and_deleted(run: Run, me: str, check: Check) -> None:
    text = key(run("db-key", "create", me))
    (name,) = ids(run)
    for act, said in (
        ("disable", "DisabledKey"), ("disable", "DisabledKey"), ("enable", "active"), ("enable", "active"),
        ("delete", "BadKey"),
    ):  # fmt: skip
        done = run("db-key", act, name)
        assert (done.returncode, done.stdout) == (0, "")
        assert name in done.stderr
        assert check(text) == said
    assert ids(run) == []
    for act in ("rotate", "disable", "enable", "delete"):
        done = run("db-key", act, name)
        assert (done.returncode, done.stdout) == (2, "")
        assert "there is no key" in done.stderr


def test_a_rotated_key_that_is_disabled_says_so(run: Run, me: str, check: Check) -> None:
    run("db-key", "create", me)
    run("db-key", "disable", ids(run)[0])
    done = run("db-key", "rotate", ids(run)[0])
    assert check(key(done)) == "DisabledKey"
    assert "still disabled" in done.stderr


def test_a_limit_that_is_reached_is_told_with_its_code(run: Run, me: str) -> None:
    for _ in range(2):
        run("db-key", "create", me)
    first = ids(run)[0]
    done = run("db-key", "create", me)
    assert (done.returncode, done.stdout) == (2, "")
    assert "[KEY_LIMIT_REACHED]\n  disable or delete another key" in done.stderr
    run("db-key", "disable", first)
    key(run("db-key", "create", me))
    assert "[KEY_LIMIT_REACHED]" in run("db-key", "enable", first).stderr
    assert run("account", "plan", me, "premium").returncode == 0
    assert run("db-key", "enable", first).returncode == 0
    assert run("account", "plan", me, "free").returncode == 0
    assert [each["state"] for each in listed(run)] == ["active"] * 3
    assert "[KEY_LIMIT_REACHED]" in run("db-key", "create", me).stderr


def test_the_list_of_a_suspended_account_tells_which_keys_its_owner_had_disabled(run: Run, me: str) -> None:
    for label in ("laptop", "nightly import"):
        key(run("db-key", "create", me, "--label", label))
    second = ids(run)[1]
    assert run("db-key", "list", me).stderr == ""
    run("account", "suspend", me)
    rests = f"The account `{me}` is suspended: its keys open nothing until that ends.\n"
    assert run("db-key", "list", me).stderr == rests
    run("db-key", "disable", second)
    done = run("db-key", "list", me)
    assert done.stderr == f"{rests}The key `nightly import` {second} is disabled, and stays disabled then.\n"
    assert [line.split()[2] for line in done.stdout.splitlines()[1:]] == ["disabled"] * 2
    assert run("db-key", "list", me, "--json").stderr == ""
    run("account", "clear", me)
    assert [each["state"] for each in listed(run)] == ["active", "disabled"]
    assert run("db-key", "list", me).stderr == ""


def test_a_limit_that_is_reached_in_a_suspension_says_which_keys_count(run: Run, me: str) -> None:
    for _ in range(2):
        key(run("db-key", "create", me))
    run("account", "suspend", me)
    done = run("db-key", "create", me)
    will = "the account has 2 active keys when its suspension ends, and the plan `free` allows 2"
    assert done.stderr == f"error: {will} [KEY_LIMIT_REACHED]\n  disable or delete another key first\n"
    run("db-key", "disable", ids(run)[0])
    key(run("db-key", "create", me))
