"""A service is backed up while it runs, and another one goes on with what was restored."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.backup.archive import Archive
from tests.server.backup.test_hostile_backups import backup, parts_of
from tests.server.control.people import PASSWORD
from tests.server.control.people import account as new_account
from tests.server.dashboard.browser import Browser
from tests.server.history.sites import AGENT, files, opened
from tests.server.service.hosting import Client, Service, admin, connect, hosting, keys_of, opens
from tests.server.service.place import data_folder

FILL = """
CREATE TABLE orders (id int PRIMARY KEY, text text);
INSERT INTO orders SELECT n, 'order ' || n FROM generate_series(1, 1000) n;
CREATE FUNCTION known(text) RETURNS bool LANGUAGE sql AS 'SELECT $1 IS NOT NULL';
ALTER TABLE orders ADD CHECK (known(text));
"""
SUM = "SELECT count(*), md5(string_agg(text, ',' ORDER BY id)) FROM orders"
SITE = "sites/kR7bW2xYzQ0aBcDe"


class Origin:
    """The service that was backed up: what a client knows of it, and the file."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.data, self.file, self.keys = service.data, folder / "backup.tar", folder / "master.keys"
        self.owner = new_account(service.database, "owner@example.org", "premium")
        self.key = service.key(self.owner)
        client = Client(service, self.key, self.owner)
        self.made, self.spare = client.create("orders"), client.create("spare")
        self.held = _fill(self.made)
        self.suspended = service.account()
        self.locked = Client(service, service.key(self.suspended), self.suspended).create("locked")
        _fill(self.locked)
        admin(service.data, "account", "suspend", self.suspended.email)
        self.gone = client.create("gone")["id"]
        with service.administrator() as session:
            session.execute(f"DROP DATABASE {self.gone}".encode())
        _write_site(service.data / SITE)
        browser = Browser(service.preview.port)
        browser.post("/sign-in", {"email": self.owner.email, "password": PASSWORD})
        assert service.database.read("SELECT count(*) FROM browser_sessions") == [(1,)]
        self.keys.write_bytes((service.data / "master.keys").read_bytes())


def _fill(made: dict[str, Any]) -> object:
    with connect(made["connection_uri"]) as session:
        session.execute(FILL.encode())
        return session.execute(SUM).fetchone()


def _write_site(site: Path) -> None:
    (site / "docs").mkdir(parents=True)
    (site / "site.yml").write_text("title: Harbour\n")
    with opened(site) as (history, store):
        store.write("docs/a", "md", "first", note=AGENT)
        history.catch_up()
        store.write("docs/a", "md", "second", note=AGENT)


@pytest.fixture(scope="module")
def backed_up() -> Iterator[tuple[Origin, subprocess.CompletedProcess[str]]]:
    """A backup of a service that was running, which has ended since."""
    with data_folder() as data:
        with hosting(data) as service:
            origin = Origin(service, data.parent)
            done = admin(data, "backup", str(origin.file))
        yield origin, done


def test_the_backup_is_for_its_owner_alone_and_has_no_master_key(
    backed_up: tuple[Origin, subprocess.CompletedProcess[str]],
) -> None:
    origin, done = backed_up
    assert stat.S_IMODE(origin.file.stat().st_mode) == 0o600
    assert done.returncode == 1
    assert f"{origin.gone} is missing in the backup" in done.stderr
    written = origin.file.read_bytes()
    for line in keys_of(origin.data):
        assert line.partition(":")[2].encode() not in written
    assert "master.keys" in done.stderr
    assert "People sign in again" in done.stderr
    assert [each.name for each in origin.file.parent.iterdir() if each.name.startswith(".")] == []
    with origin.file.open("rb") as opened_file:
        names = [part.name for part in Archive(opened_file).manifest.parts]
    databases = sorted(f"databases/{made['id']}.dump" for made in (origin.made, origin.spare, origin.locked))
    assert sorted(names) == sorted(["control.sqlite3", *databases, f"{SITE}.tar"])


def test_a_service_goes_on_with_what_was_restored(
    backed_up: tuple[Origin, subprocess.CompletedProcess[str]],
) -> None:
    origin, _ = backed_up
    with data_folder() as new:
        done = admin(new, "restore", str(origin.file), "--master-keys", str(origin.keys))
        assert done.returncode == 0, done.stderr
        assert {each.name for each in new.iterdir()} == {
            "control.sqlite3",
            "master.keys",
            "postgres",
            "sites",
        }
        with hosting(new) as service:
            _is_the_same(origin, service)
            admin(new, "account", "clear", origin.suspended.email)
            assert opens(origin.locked)
            with connect(origin.locked["connection_uri"]) as session:
                assert session.execute(SUM).fetchone() == origin.held
        with opened(new / SITE) as (history, _):
            history.catch_up()
            assert files(new / SITE)["docs/a.md"] == b"second"
            assert len(history.revisions()) == 3


def _is_the_same(origin: Origin, service: Service) -> None:
    client = Client(service, origin.key, origin.owner)
    assert client.reveal(origin.made["id"])["connection_uri"] == origin.made["connection_uri"]
    with connect(origin.made["connection_uri"]) as session:
        assert session.execute(SUM).fetchone() == origin.held
    assert opens(origin.spare)
    (gone,) = [each for each in client.list()["databases"] if each["id"] == origin.gone]
    assert gone["status"] == "error", "an empty one would hide the loss"
    assert not opens(origin.locked), "its account is suspended still"
    browser = Browser(service.preview.port)
    page = browser.post("/sign-in", {"email": origin.owner.email, "password": PASSWORD})
    assert (page.status, page.path) == (200, "/sites")
    assert "orders" in browser.get("/databases").words


def test_a_dump_that_cannot_be_imported_leaves_no_folder_and_no_server(
    backed_up: tuple[Origin, subprocess.CompletedProcess[str]],
) -> None:
    origin, _ = backed_up
    forged = origin.file.with_name("forged.tar")
    forged.write_bytes(
        backup(parts_of(origin.file) | {f"databases/{origin.made['id']}.dump": b"PGDMP and no more"})
    )
    with data_folder() as new:
        done = admin(new, "restore", str(forged), "--master-keys", str(origin.keys))
        assert (done.returncode, origin.made["id"] in done.stderr) == (2, True)
        assert not new.exists()
        processes = [each for each in Path("/proc").glob("[0-9]*/cmdline") if str(new) in _read(each)]
    assert processes == []


def _read(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
