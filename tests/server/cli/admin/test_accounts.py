from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from server.control import ControlDatabase, KeyKind, SiteKeys
from server.control.accounts.accounts import Accounts
from server.control.errors import KeyRefused
from server.control.sqlite.data_folder import existing_data
from tests.server.cli.admin.operator import EMAIL, Check, Run, ids, key, listed
from tests.server.commands import COMMAND, environment
from tests.server.control.people import PASSWORD, accounts, site_of
from tests.waiting import PATIENCE


@pytest.mark.parametrize(
    "given", [f"{PASSWORD}\n", f"{PASSWORD}\r\n", PASSWORD, f"{PASSWORD}\nsecond line\n"]
)
@pytest.mark.parametrize("plan", ["free", "premium"])
def test_the_first_line_of_standard_input_is_the_password(
    run: Run, data: Path, given: str, plan: str
) -> None:
    done = run("account", "create", EMAIL, "--plan", plan, given=given)
    assert (done.returncode, PASSWORD in done.stdout + done.stderr) == (0, False)
    with existing_data(data) as database:
        account = accounts(database).verify(EMAIL, PASSWORD)
    assert (done.stdout, account.plan) == (f"{account.id}\n", plan)


def test_at_a_terminal_the_password_is_asked_for_twice_and_not_shown(data: Path) -> None:
    master, slave = pty.openpty()
    command = [COMMAND, "admin", "--data", data, "account", "create", EMAIL]
    said = b""
    with subprocess.Popen(
        command, stdin=slave, stdout=subprocess.PIPE, stderr=slave, env=environment(), start_new_session=True
    ) as process:
        os.close(slave)
        for asked, typed in (
            (b"Password", "one password"),
            (b"Repeat", "another"),
            (b"Password", PASSWORD),
            (b"Repeat", PASSWORD),
        ):
            while asked not in said:
                said += os.read(master, 1000)
            os.write(master, f"{typed}\n".encode())
            said = b""
        out, _ = process.communicate(timeout=PATIENCE)
    rest = os.read(master, 1000)
    os.close(master)
    assert process.returncode == 0
    assert PASSWORD.encode() not in out + rest
    with existing_data(data) as database:
        assert accounts(database).verify(EMAIL, PASSWORD).id == out.decode().strip()


@pytest.mark.parametrize(
    ("email", "given", "words"),
    [
        (EMAIL, "", "no password on standard input"),
        (EMAIL, "\n" + PASSWORD, "no password on standard input"),
        (EMAIL, "short\n", "5 characters"),
        ("nobody", PASSWORD, "no email address"),
    ],
)
def test_an_account_that_cannot_be_made_leaves_none(run: Run, email: str, given: str, words: str) -> None:
    done = run("account", "create", email, given=given)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert '"id"' not in run("account", "list", "--json").stdout


def test_an_email_has_one_account(run: Run, me: str) -> None:
    done = run("account", "create", me.upper(), given=PASSWORD)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is an account" in done.stderr


def test_accounts_are_listed_with_plan_and_state(run: Run, me: str) -> None:
    run("account", "create", "you@example.com", "--plan", "premium", given=PASSWORD)
    run("account", "suspend", me)
    head, first, second = run("account", "list").stdout.splitlines()
    assert re.split(r"  +", head) == ["EMAIL", "PLAN", "STATE", "CREATED", "ID"]
    assert re.split(r"  +", first)[:3] == [me, "free", "suspended"]
    assert re.split(r"  +", second)[:3] == ["you@example.com", "premium", "active"]
    found = json.loads(run("account", "list", "--json").stdout)
    fields = {"id", "email", "plan", "state", "operator", "created_at", "delete_at"}
    assert [set(each) for each in found] == [fields] * 2
    assert [each["state"] for each in found] == ["suspended", "active"]


def test_a_suspension_holds_for_a_running_service_and_ends_without_a_trace(
    run: Run, me: str, database: ControlDatabase, check: Check
) -> None:
    account = Accounts(database).find(me)
    sites = SiteKeys(database)
    page = sites.create(KeyKind.LONG_LIVED, site_of(database, account)).text
    active, disabled = (key(run("db-key", "create", me)) for _ in range(2))
    run("db-key", "disable", ids(run)[1])
    before = listed(run)
    for _ in range(2):
        assert run("account", "suspend", me).returncode == 0
        assert (check(active), check(disabled)) == ("DisabledKey", "DisabledKey")
        with pytest.raises(KeyRefused, match="suspended"):
            sites.check(page)
        assert [each["state"] for each in listed(run)] == ["disabled", "disabled"]
    for _ in range(2):
        assert run("account", "clear", me.upper()).returncode == 0
        assert (check(active), check(disabled)) == ("active", "DisabledKey")
        assert sites.check(page).kind is KeyKind.LONG_LIVED
    assert [each["state"] for each in listed(run)] == [each["state"] for each in before]
    assert Accounts(database).get(account.id).suspensions == 2
    sites.close()
