"""Sites at the operator's command line: list, export, rename, delete, restore; accounts that go and stay."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyotp
import pytest

from builder.errors import TwinpressError
from server.authoring.site_work import open_site_work
from server.cli.actions import admin_accounts, admin_sites
from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.audit import By, events
from server.control.errors import LastOperator, SiteNotFound
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.plans import PLANS
from server.control.sealing import open_keyring
from server.control.sign_in.time_codes import TimeCodes
from server.control.sqlite.data_folder import open_data
from tests.server.cli.admin.operator import Run
from tests.server.control.people import account

NAME = "quay-docs"


@pytest.fixture
def control(data: Path) -> Iterator[ControlDatabase]:
    with open_data(data) as opened:
        yield opened


@pytest.fixture
def owner(control: ControlDatabase) -> Account:
    return account(control)


@pytest.fixture
def site(control: ControlDatabase, data: Path, owner: Account) -> HostedSite:
    """A site from the starter."""
    with open_site_work(control, data, PLANS) as work:
        return work.create(owner.id, NAME, By("the test"))


def now(control: ControlDatabase, site: HostedSite) -> HostedSite:
    return HostedSites(control).get(site.id)


def test_sites_are_listed_for_people_and_programs(
    run: Run, data: Path, site: HostedSite, owner: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    (found,) = json.loads(run("site", "list", owner.email, "--json").stdout)
    assert found | {"created_at": ""} == {
        "id": site.id,
        "name": NAME,
        "account": owner.email,
        "state": "active",
        "created_at": "",
        "delete_at": None,
    }
    assert admin_sites.list_(data=data, email="", as_json=False) == 0
    assert NAME in capsys.readouterr().out


def test_a_site_is_deleted_and_restored_by_name_or_id(
    control: ControlDatabase, data: Path, site: HostedSite
) -> None:
    for named in (NAME, site.id):
        assert admin_sites.delete(data=data, name=named, yes=True) == 0
        assert now(control, site).delete_at is not None
        assert admin_sites.restore(data=data, name=named) == 0
        assert now(control, site).delete_at is None
    assert {event.actor for event in events(control, site.account, 4)} == {"operator"}


def test_what_is_over_is_not_restored(control: ControlDatabase, data: Path, site: HostedSite) -> None:
    control.write("UPDATE sites SET delete_at = 1")
    control.write("UPDATE accounts SET delete_at = 1")
    with pytest.raises(TwinpressError, match="seven days"):
        admin_sites.restore(data=data, name=NAME)
    with pytest.raises(TwinpressError, match="seven days"):
        admin_accounts.restore(data=data, email="me@example.com")


def test_a_site_is_renamed(control: ControlDatabase, data: Path, site: HostedSite) -> None:
    assert admin_sites.rename(data=data, name=NAME, new="harbour-docs") == 0
    assert now(control, site).name == "harbour-docs"
    for unknown in (NAME, "no\udcffbody", ""):
        with pytest.raises(SiteNotFound):
            admin_sites.rename(data=data, name=unknown, new="pier-docs")


def test_a_site_is_exported_whole_or_not_at_all(data: Path, site: HostedSite, tmp_path: Path) -> None:
    file = tmp_path / "out" / "site.zip"
    with pytest.raises(TwinpressError, match="cannot be exported"):
        admin_sites.export(data=data, name=NAME, file=file)
    file.parent.mkdir()
    assert admin_sites.export(data=data, name=NAME, file=file) == 0
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(file) as archive:
        assert "site.yml" in archive.namelist()


def test_an_account_is_deleted_in_seven_days_and_kept_again(
    control: ControlDatabase, data: Path, owner: Account
) -> None:
    assert admin_accounts.delete(data=data, email=owner.email, yes=True) == 0
    assert Accounts(control).get(owner.id).delete_at is not None
    assert admin_accounts.restore(data=data, email=owner.email) == 0
    assert Accounts(control).get(owner.id).delete_at is None
    found = [(event.action, event.actor) for event in events(control, owner.id, 2)]
    assert found == [("account.restore", "operator"), ("account.delete", "operator")]


def test_the_last_operator_is_not_deleted(control: ControlDatabase, data: Path, owner: Account) -> None:
    Accounts(control).set_operator(owner.id, True)
    with pytest.raises(LastOperator):
        admin_accounts.delete(data=data, email=owner.email, yes=True)
    assert Accounts(control).get(owner.id).delete_at is None


def test_codes_of_who_has_lost_them_are_turned_off(
    control: ControlDatabase, data: Path, owner: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = TimeCodes(control, open_keyring(control, data))
    codes.confirm(owner.id, pyotp.TOTP(codes.begin(owner.id)).now())
    for said in ("asked for no codes any more", "nothing was changed"):
        assert admin_accounts.codes_off(data=data, email=owner.email) == 0
        assert said in capsys.readouterr().err
    assert codes.state(owner.id) == "off"
    (event,) = events(control, owner.id, 1)
    assert (event.action, event.actor) == ("account.codes.off", "operator")
