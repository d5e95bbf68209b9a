"""Looks at sites: one at a time, given up in time, and ended with the service."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec import Struct

from server.authoring.open_site import OpenSite
from server.authoring.site_work import SiteWork, open_site_work
from server.control.accounts.accounts import Accounts
from server.control.accounts.passwords import Passwords
from server.control.audit import By
from server.control.hosted_sites import HostedSite
from server.control.plans import PLANS
from server.control.sqlite.data_folder import open_data
from server.findings import looker
from server.findings.looker import Looker, LookLimits
from tests.server.control.people import QUICK
from tests.time_bounds import in_time
from tests.waiting import PATIENCE, until

QUICKLY = LookLimits(quiet=0.1, rest=0)


class Looked(Struct, frozen=True):
    """A site that is open, and who looks at it."""

    looker: Looker
    work: SiteWork
    site: HostedSite
    opened: OpenSite

    @property
    def errors(self) -> int | None:
        """The errors of the last look; None before the first one."""
        kept = self.looker.files.get(self.site.id)
        return None if kept is None else sum(each.numbers.error for each in kept.files.values())


@contextmanager
def looking(data: Path, limits: LookLimits = QUICKLY) -> Iterator[Looked]:
    """A service with a site, whose looker is not started yet."""
    with closing(open_data(data)) as database, open_site_work(database, data, PLANS) as work:
        accounts = Accounts(database, passwords=Passwords(QUICK))
        account = accounts.create("ann@example.com", "four unrelated words")
        site = work.create(account.id, "quay-docs", By("test"))
        with closing(Looker(work, data / "findings", limits)) as looker, work.opened.using(site) as opened:
            opened.history.catch_up()  # the beginning of the history is a change of it
            yield Looked(looker, work, site, opened)


def test_a_site_is_looked_at_when_it_was_changed(tmp_path: Path) -> None:
    faults: list[str] = []
    with looking(tmp_path / "data") as one:
        one.looker.start(faults.append)
        until(lambda: one.errors == 0)
        one.opened.store.write("docs/a", "md", "[no](no.md)\n")
        until(lambda: one.errors == 1)
        one.opened.store.write("docs/no", "md", "# No\n")
        until(lambda: one.errors == 0)
    assert faults == []


def test_a_site_is_looked_at_when_its_settings_or_files_were_changed(tmp_path: Path) -> None:
    with looking(tmp_path / "data") as one:
        store = one.opened.store
        store.write("docs/a", "md", "![a boat](/boat.png)\n")
        one.looker.start(print)
        until(lambda: one.errors == 1)
        store.replace_file("static/boat.png", b"\x89PNG", expected=None)
        until(lambda: one.errors == 0)
        settings = store.read_file("site.yml")
        store.replace_file("site.yml", settings + b"favicon: no.png\n", expected=settings)
        until(lambda: one.errors)


def test_a_site_that_has_not_changed_is_looked_at_once(tmp_path: Path) -> None:
    with looking(tmp_path / "data") as one:
        one.looker.start(print)
        kept = until(lambda: one.looker.files.get(one.site.id))
        one.looker.present(one.site, one.opened)
        time.sleep(1.5)  # three ticks
        assert one.looker.files.get(one.site.id) is kept


def test_nothing_is_looked_at_while_another_process_looks(tmp_path: Path) -> None:
    with looking(tmp_path / "data") as one:
        with (tmp_path / "data/findings/.lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            one.looker.start(print)
            one.looker.present(one.site, one.opened)
            time.sleep(1.5)  # three ticks
            assert one.errors is None
        until(lambda: one.errors == 0)


def test_a_look_that_takes_too_long_is_given_up_and_told(tmp_path: Path) -> None:
    with looking(tmp_path / "data", LookLimits(quiet=0.1, rest=0, seconds=0.001)) as one:
        one.looker.start(print)
        until(lambda: one.looker.present(one.site, one.opened).failed)
        assert "longer than 0.001 seconds" in one.looker.present(one.site, one.opened).failed
        kept = one.looker.files.get(one.site.id)
        time.sleep(1.5)  # three ticks
        assert one.looker.files.get(one.site.id) is kept


def test_without_memory_it_is_told_that_there_is_too_little(tmp_path: Path) -> None:
    with looking(tmp_path / "data", LookLimits(quiet=0.1, rest=0, memory=1024 * 1024)) as one:
        one.looker.start(print)
        until(lambda: one.looker.present(one.site, one.opened).failed)
        assert "too little memory" in one.looker.present(one.site, one.opened).failed


def test_a_folder_that_is_no_site_any_more_is_no_fault_of_ours(tmp_path: Path) -> None:
    faults: list[str] = []
    with looking(tmp_path / "data") as one:
        root = one.work.opened.root(one.site.id)
        root.rename(root.with_name("elsewhere"))
        one.looker.start(faults.append)
        kept = until(lambda: one.looker.files.get(one.site.id))
        assert kept.failed
        root.with_name("elsewhere").rename(root)
    assert faults == []


def test_a_deleted_site_is_not_looked_at_and_forgotten(tmp_path: Path) -> None:
    with looking(tmp_path / "data") as one:
        (tmp_path / "data/findings/gone").write_bytes(b"")
        one.work.sites.delete(one.site.id, By("test"))
        one.looker.start(print)
        until(lambda: not (tmp_path / "data/findings/gone").exists())
        assert one.errors is None


def test_the_end_does_not_wait_for_a_look(tmp_path: Path) -> None:
    with looking(tmp_path / "data") as one:
        for number in range(200):
            one.opened.store.write(f"docs/p{number}", "md", "**bold** _text_ `code`\n\n" * 500)
        one.looker.start(print)
        until(lambda: one.looker._process is not None)
        with in_time(5):
            one.looker.close()


def test_a_site_has_a_rest_when_its_findings_cannot_be_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    faults: list[str] = []
    with looking(tmp_path / "data") as one:
        in_the_way = tmp_path / "data/findings" / f".{one.site.id}.{os.getpid()}"
        in_the_way.mkdir()  # as where the disk is full, nothing can be written
        one.looker.start(faults.append)
        until(lambda: caplog.records)
        one.opened.store.write("docs/a", "md", "[no](no.md)\n")
        time.sleep(3)
        assert len(caplog.records) == 1
    assert faults == []


_SERVICE = """
import os, subprocess, sys, time
subprocess.Popen((sys.executable, "-I", "-m", "server.findings.look_worker", str(os.getpid())))
print("started", flush=True)
time.sleep(60)
"""


def test_a_look_ends_when_the_service_is_killed() -> None:
    order, ours = os.pipe()  # the worker waits for an order for as long as this is open
    with (
        os.fdopen(ours, "wb"),
        os.fdopen(order, "rb") as given,
        subprocess.Popen(
            (sys.executable, "-c", _SERVICE), stdin=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as service,
    ):
        assert service.stdout is not None
        assert service.stdout.readline() == b"started\n"
        service.kill()
        assert service.communicate(timeout=PATIENCE)[0] == b""


def test_a_full_disk_is_told_once_and_its_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    faults: list[str] = []
    caplog.set_level("INFO", "twinpress.hosting")
    monkeypatch.setattr(looker, "_FAULT_REST", 0.0)
    with looking(tmp_path / "data") as one:
        kept = tmp_path / "data/findings" / one.site.id
        (kept / "in the way").mkdir(parents=True)  # its findings can be put nowhere
        one.looker.start(faults.append)
        time.sleep(3)
        (kept / "in the way").rmdir()
        kept.rmdir()
        until(lambda: "goes on" in caplog.text)
        assert caplog.text.count("could not be done") == 1
    assert faults == []
