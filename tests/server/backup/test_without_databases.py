"""Backups of data folders without hosted databases: what is in them, and what a failure leaves."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from builder.errors import TwinpressError
from server.backup.archive import Archive
from server.backup.create_backup import create_backup
from server.backup.restore_backup import restore_backup
from server.control.sealing import open_keyring, setting
from server.control.sign_in.one_time_links import OneTimeLinks
from server.control.sqlite.data_folder import existing_data, open_data
from server.control.sqlite.database_copy import OVER_SOON
from server.control.sqlite.local_database import local_database
from server.control.sqlite.saved_choice import keep, known
from server.history import History
from server.readers.reader_counts import FILE, FOLDER, ReaderCounts
from server.readers.tally import TallyEntry
from tests.server.control.people import account
from tests.server.history.sites import AGENT, files, opened

KEPT = {
    "accounts",
    "audit",
    "databases",
    "domain_claims",
    "domains",
    "former_site_names",
    "idempotency",
    "keys",
    "known_blocks",
    "mail_choices",
    "management_keys",
    "migrations",
    "passkeys",
    "recovery_codes",
    "settings",
    "site_choices",
    "site_hosts",
    "sites",
    "time_codes",
    "webhooks",
}
SECRET = "sealed:of this test"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data of a service with an account, a link that works once, and something sealed."""
    folder = tmp_path / "data"
    with open_data(folder) as control:
        account(control)
        keyring = open_keyring(control, folder)
        keep(control, SECRET, keyring.seal("the secret", setting(SECRET)))
        (folder / "link").write_text(OneTimeLinks(control).create("invite"))
    return folder


@pytest.fixture
def file(data: Path) -> Path:
    """A backup of it."""
    target = data.parent / "backup.tar"
    create_backup(data, target)
    return target


@pytest.fixture
def keys(data: Path) -> Path:
    return data / "master.keys"


def test_every_table_is_kept_or_left_out_and_somebody_has_said_which(data: Path) -> None:
    with existing_data(data) as control:
        tables = {
            str(name) for (name,) in control.read("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
    assert {name for name in tables if not name.startswith("sqlite_")} == KEPT | set(OVER_SOON)


def test_what_is_over_soon_is_not_in_the_file_at_all(data: Path, file: Path) -> None:
    with existing_data(data) as control:
        ((digest,),) = control.read("SELECT digest FROM one_time_links")
    assert str(digest).encode() not in file.read_bytes()


def test_what_was_sealed_can_be_opened_with_the_master_keys(file: Path, keys: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    restore_backup(file, new, master_keys=keys)
    with existing_data(new) as control:
        assert open_keyring(control, new).open(known(control, SECRET) or "", setting(SECRET)) == "the secret"
        assert control.read("SELECT email FROM accounts") == [("me@example.com",)]
        assert control.read("SELECT * FROM one_time_links") == []


def test_counts_of_readers_are_in_it_and_go_on(data: Path, keys: Path, tmp_path: Path) -> None:
    entry, new = TallyEntry("quay", 20_000, "people", "/docs/"), tmp_path / "new"
    ReaderCounts(data).add({entry: 7})
    create_backup(data, tmp_path / "counted.tar")
    ReaderCounts(data).add({entry: 1})
    restore_backup(tmp_path / "counted.tar", new, master_keys=keys)
    ReaderCounts(new).add({entry: 2})
    assert ReaderCounts(new).read("SELECT * FROM counts", ()) == [(*entry, 9)]
    assert (new / FOLDER / FILE).stat().st_mode & 0o077 == 0


def test_an_empty_folder_is_taken_and_another_one_is_not(file: Path, keys: Path, tmp_path: Path) -> None:
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir(0o700)
    full.mkdir(0o700)
    (full / "mine").write_text("mine")
    restore_backup(file, empty, master_keys=keys)
    for folder in (empty, full):
        with pytest.raises(TwinpressError, match="something in this folder"):
            restore_backup(file, folder, master_keys=keys)
    assert [each.name for each in full.iterdir()] == ["mine"]


@pytest.mark.parametrize("exists", [True, False])
def test_without_the_right_master_keys_nothing_is_restored(file: Path, tmp_path: Path, exists: bool) -> None:
    new, other = tmp_path / "new", tmp_path / "other.keys"
    other.write_text("other:" + "A" * 43 + "=\n")
    if exists:
        new.mkdir(0o700)
    for given in (None, other):
        with pytest.raises(TwinpressError, match="master key"):
            restore_backup(file, new, master_keys=given)
        assert new.exists() == exists
        assert not exists or list(new.iterdir()) == []


def test_a_file_that_was_there_is_kept_when_the_backup_fails(data: Path, file: Path) -> None:
    before = file.read_bytes()
    (data / "master.keys").unlink()
    with pytest.raises(TwinpressError, match="master keys"):
        create_backup(data, file)
    assert file.read_bytes() == before
    assert sorted(each.name for each in file.parent.iterdir()) == ["backup.tar", "data"]


def test_a_site_is_backed_up_at_one_moment_while_agents_write_to_it(
    data: Path, keys: Path, tmp_path: Path
) -> None:
    site, over = data / "sites/one", threading.Event()
    (site / "docs").mkdir(parents=True)
    (site / "site.yml").write_text("title: One\n")
    (site / "docs/out").symlink_to("/etc")

    def write() -> None:
        with opened(site) as (_, store):
            number = 0
            while not over.is_set():
                number += 1
                store.write("docs/a", "md", f"{number}", f"{number}", note=AGENT)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            file = tmp_path / f"{number}.tar"
            create_backup(data, file)
            restored = tmp_path / f"{number}"
            restore_backup(file, restored, master_keys=keys)
            _is_one_moment(restored / "sites/one")
    finally:
        over.set()
        writer.join()


def _is_one_moment(site: Path) -> None:
    assert not os.path.lexists(site / "docs/out")
    found = files(site)
    assert found.get("docs/a.md") == found.get("docs/a.llms.md")
    with History(site / ".twinpress/state") as history:
        history.catch_up()
        assert not [each for each in history.revisions()[:-1] if each.outside]


def test_a_database_of_a_site_is_copied_whole(data: Path, keys: Path, tmp_path: Path) -> None:
    site = data / "sites/one"
    site.mkdir(parents=True)
    with local_database(site) as local:
        keep(local, "of the site", "kept")
        create_backup(data, tmp_path / "file.tar")
    with (tmp_path / "file.tar").open("rb") as file:
        archive = Archive(file)
        (part,) = archive.manifest.of("sites")
        names = {each.name for each in archive.site(part)}
    assert {name for name in names if "sqlite3" in name} == {".twinpress/state/control.sqlite3"}
    restore_backup(tmp_path / "file.tar", tmp_path / "new", master_keys=keys)
    with local_database(tmp_path / "new/sites/one") as local:
        assert known(local, "of the site") == "kept"
