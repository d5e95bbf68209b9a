"""Usage of accounts: what their sites take of the disk, and when somebody signed in last."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import Struct

from server.authoring.site_work import SiteWork, open_site_work
from server.control.accounts.account import Account
from server.control.audit import By
from server.control.hosted_sites import HostedSite
from server.control.plans import PLANS
from server.control.sign_in.browser_sessions import BrowserSessions
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.sites.account_usage import EVERY, AccountUsage, UsageMeter
from tests.server.control.clock import Clock
from tests.server.control.hosted import INSERT
from tests.server.control.people import account

MIB = 1024 * 1024


class Metered(Struct):
    """A service with two accounts, one of which has a site, and its meter."""

    database: ControlDatabase
    work: SiteWork
    meter: UsageMeter
    clock: Clock
    ann: Account
    bob: Account
    site: HostedSite

    def of(self, account: Account) -> AccountUsage:
        """The usage of an account."""
        return self.meter.usage().get(account.id, AccountUsage())


@pytest.fixture
def metered(tmp_path: Path) -> Iterator[Metered]:
    clock = Clock()
    with closing(open_data(tmp_path)) as database, open_site_work(database, tmp_path, PLANS) as work:
        folders = (tmp_path / "sites", tmp_path / "releases")
        meter = UsageMeter(database, tmp_path / "usage.json", folders, clock)
        ann, bob = account(database), account(database, "bob@example.com")
        yield Metered(database, work, meter, clock, ann, bob, work.create(ann.id, "quay-docs", By("test")))


def test_sites_are_counted_at_once_and_measured_later(metered: Metered) -> None:
    assert metered.of(metered.ann) == AccountUsage(sites=1)
    assert metered.meter.measured().at == 0
    metered.meter.measure()
    found = metered.of(metered.ann)
    assert found.sites == 1
    assert 0 < found.site_bytes < MIB
    assert metered.of(metered.bob) == AccountUsage()
    assert metered.meter.measured().at == int(metered.clock())


def test_history_and_releases_count_and_a_cache_does_not(metered: Metered) -> None:
    root = metered.work.opened.root(metered.site.id)
    metered.meter.measure()
    before = metered.of(metered.ann).bytes
    for path in (".twinpress/cache/big", ".twinpress/state/big"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(os.urandom(MIB))
    release = root.parent.parent / "releases" / metered.site.id / "objects"
    release.mkdir(parents=True)
    (release / "big").write_bytes(os.urandom(MIB))
    os.link(release / "big", release / "the-same")
    (release / "link").symlink_to("/usr")
    metered.clock.now += EVERY
    metered.meter.measure()
    assert 2 * MIB <= metered.of(metered.ann).bytes - before < 2.1 * MIB


def test_it_is_measured_again_when_the_clock_was_ahead(metered: Metered) -> None:
    metered.clock.now += 1e6
    metered.meter.measure()
    metered.clock.now -= 1e6
    metered.meter.measure()
    assert metered.meter.measured().at == int(metered.clock())


def test_it_is_measured_now_and_then_by_one_process(metered: Metered) -> None:
    metered.meter.measure()
    first = metered.meter.measured()
    metered.clock.now += 10
    metered.meter.measure()
    assert metered.meter.measured() == first
    metered.clock.now += EVERY
    with Path(f"{metered.meter._file}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        metered.meter.measure()
    assert metered.meter.measured() == first
    metered.meter.measure()
    assert metered.meter.measured().at > first.at


def test_the_last_sign_in_is_known_of_who_is_signed_in_and_who_was(metered: Metered) -> None:
    with closing(BrowserSessions(metered.database, metered.clock)) as sessions:
        assert metered.of(metered.ann).signed_in_at == 0
        session = sessions.begin(metered.ann.id).session
        assert metered.of(metered.ann).signed_in_at == session.created_at
        sessions.end_others(metered.ann.id)
    metered.meter.measure()
    assert metered.of(metered.ann).signed_in_at == session.created_at
    assert metered.of(metered.bob).signed_in_at == 0


def test_a_damaged_file_is_as_none(metered: Metered) -> None:
    metered.meter._file.write_text("{")
    assert metered.of(metered.ann) == AccountUsage(sites=1)
    metered.meter.measure()
    assert metered.of(metered.ann).site_bytes > 0


def test_databases_count_with_their_sizes(metered: Metered) -> None:
    for number, (wanted, size) in enumerate([("present", 5 * MIB), ("present", None), ("absent", MIB)]):
        name = f"db_{number}"
        metered.database.write(INSERT, (name, metered.bob.id, number, name, name, "x", None))
        sql = "UPDATE databases SET wanted = ?, size_bytes = ? WHERE id = ?"
        metered.database.write(sql, (wanted, size, name))
    assert metered.of(metered.bob) == AccountUsage(databases=2, database_bytes=5 * MIB)
