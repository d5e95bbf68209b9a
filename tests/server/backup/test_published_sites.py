"""Published sites are readable after a restore: releases are in a backup, each whole, whoever publishes."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from server.backup.create_backup import create_backup
from server.backup.restore_backup import restore_backup
from server.control.audit import By
from server.control.hosted_sites import HostedSites
from server.control.sealing import open_keyring
from server.control.sqlite.data_folder import open_data
from server.publishing.parts import PublishedFolders
from server.publishing.publish_lock import switch_lock
from server.releases.release_store import ReleaseStore
from tests.server.commands import COMMAND, running
from tests.server.control.people import account
from tests.server.service.test_published import read
from tests.server.site_serving.published import publish, release_store
from tests.sites import write_site


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data of a service with a site."""
    folder = tmp_path / "data"
    with closing(open_data(folder)) as control:
        site = HostedSites(control).create(account(control).id, "quay", By("the test"))
        open_keyring(control, folder)
        (folder.parent / "id").write_text(site.id)
    write_site(folder / "sites" / site.id, {"site.yml": "title: Quay\n", "docs/index.md": "# New\n"})
    return folder


def site_of(data: Path) -> str:
    """The id of the site."""
    return (data.parent / "id").read_text()


def restored(data: Path, file: Path) -> Path:
    """The data folder that comes of a backup."""
    folder = data.parent / "restored"
    restore_backup(file, folder, master_keys=data / "master.keys")
    return folder


def contents(store: ReleaseStore, number: int) -> Mapping[str, bytes | None]:
    """The files of a release."""
    return {path: store.data(file.digest, 1 << 20) for path, file in store.files(number).items()}


def test_readers_have_a_site_as_before_when_the_service_is_restored(data: Path) -> None:
    store = release_store(data, site_of(data))
    for text in (b"one", b"two"):
        publish(store, {"docs/index.html": text, "docs/same.html": b"same"})
    store.roll_back(1, 1000)
    (data / "releases" / site_of(data) / "objects/.new.0123").write_bytes(b"cut")
    create_backup(data, data.parent / "backup.tar")
    folder = restored(data, data.parent / "backup.tar")
    again = release_store(folder, site_of(data))
    assert again.pointer() == store.pointer()
    assert again.numbers() == [2, 1]
    assert contents(again, 2) == {"docs/index.html": b"two", "docs/same.html": b"same"}
    assert not list((folder / "releases").rglob(".*"))
    arguments = ("--port", "0", "--sites-port", "0", "--no-databases")
    with running([COMMAND, "host", "--data", folder, *arguments]) as service:
        port = int(re.findall(r":(\d+)$", service.says("Sites are at "))[0])
        assert read(port, "/docs/", "quay.localhost") == (200, "one")


def test_a_backup_has_whole_releases_while_somebody_publishes(data: Path) -> None:
    store, done = release_store(data, site_of(data)), threading.Event()
    publish(store, {"docs/index.html": b"first"})
    work = PublishedFolders(data).work(site_of(data))

    def publish_on() -> None:
        for number in count():
            publish(store, {f"docs/p{page}.html": b"%d %d" % (number, page) for page in range(20)})
            with switch_lock(work):
                store.sweep(2)
            if done.is_set():
                return

    thread = threading.Thread(target=publish_on)
    thread.start()
    try:
        for number in range(5):
            create_backup(data, data.parent / f"{number}.tar")
    finally:
        done.set()
        thread.join()
    for number in range(5):
        folder = data.parent / f"restored-{number}"
        restore_backup(data.parent / f"{number}.tar", folder, master_keys=data / "master.keys")
        again = release_store(folder, site_of(data))
        assert again.pointer().live
        for each in {again.pointer().live, *again.numbers()}:
            assert None not in contents(again, each).values()
            again.sources(each)
