"""Links that the operator prints: they lead to the service as it was last started."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.control import ControlDatabase
from server.control.accounts.accounts import Accounts
from server.control.sign_in.one_time_links import OneTimeLinks
from server.control.sqlite.saved_choice import keep
from server.dashboard.service_address import ADDRESS, SIGN_UP
from tests.server.cli.admin.operator import EMAIL, Run
from tests.server.commands import twinpress
from tests.server.control.people import PASSWORD

ORIGIN = "https://app.example.net"


def test_a_link_before_the_first_start_leads_nowhere(run: Run, me: str) -> None:
    done = run("account", "reset", me)
    assert (done.returncode, done.stdout) == (2, "")
    assert "start `twinpress host` once" in done.stderr


def test_the_link_to_a_new_password_is_the_accounts(run: Run, me: str, database: ControlDatabase) -> None:
    keep(database, ADDRESS, ORIGIN)
    done = run("account", "reset", me.upper())
    assert done.returncode == 0
    origin, token = done.stdout.strip().rsplit("/reset/")
    assert origin == ORIGIN
    assert OneTimeLinks(database).look("reset", token).account == Accounts(database).find(me).id


@pytest.mark.parametrize(("mode", "is_told"), [("closed", True), ("invite", False), ("open", False)])
def test_an_invitation_says_whether_it_is_taken(
    run: Run, me: str, database: ControlDatabase, mode: str, is_told: bool
) -> None:
    keep(database, ADDRESS, ORIGIN)
    keep(database, SIGN_UP, mode)
    done = run("account", "invite")
    assert done.returncode == 0
    assert OneTimeLinks(database).look("invite", done.stdout.strip().rpartition("/")[2]).account is None
    assert ("--sign-up invite" in done.stderr) is is_told


def test_an_operator_is_made_and_unmade(run: Run, database: ControlDatabase, me: str) -> None:
    accounts = Accounts(database)
    assert run("account", "operator", me).returncode == 0
    assert accounts.find(me).operator
    refused = run("account", "operator", me, "--remove")
    assert (refused.returncode, "make another account an operator first" in refused.stderr) == (2, True)
    assert accounts.find(me).operator
    other = run("account", "create", "two@example.com", "--operator", "--password-stdin", given=PASSWORD)
    assert other.returncode == 0
    assert accounts.find("two@example.com").operator
    assert run("account", "operator", me, "--remove").returncode == 0
    assert not accounts.find(me).operator


def test_the_reason_of_a_suspension_is_kept(run: Run, me: str, database: ControlDatabase) -> None:
    assert run("account", "suspend", me, "--reason", "The invoice of May is open.").returncode == 0
    assert Accounts(database).find(me).reason == "The invoice of May is open."
    refused = run("account", "suspend", EMAIL, "--reason", "x" * 501)
    assert refused.returncode == 2
    assert "500 characters" in refused.stderr


def test_the_folder_may_stand_in_the_environment(me: str, data: Path) -> None:
    done = twinpress("admin", "account", "list", cwd=data.parent, TWINPRESS_DATA=str(data))
    assert me in done.stdout
