"""The zip of all that an account has: whole, in an open form, and without anything that opens something."""

from __future__ import annotations

import asyncio
import io
import json
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyotp
import pytest
from msgspec import Struct

from builder.errors import TwinpressError
from builder.store import ChangeNote
from server.authoring import site_settings
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor
from server.authoring.site_work import open_site_work
from server.cli.actions import admin_account_export
from server.control import ControlDatabase, KeyKind
from server.control.accounts.account import Account
from server.control.audit import By
from server.control.hosted_sites import HostedSite
from server.control.keys.management_keys import ManagementKeys
from server.control.notices.webhooks import Webhooks
from server.control.plans import PLANS
from server.control.sealing import open_keyring, password_of
from server.control.sign_in.browser_sessions import BrowserSessions
from server.control.sign_in.one_time_links import OneTimeLinks
from server.control.sign_in.time_codes import TimeCodes
from server.control.sqlite.data_folder import open_data
from server.domains.domain_claims import DomainClaims
from server.domains.domain_name import DomainRules
from server.export.account_export import ExportManifest, ExportSource, export_account
from server.history import History
from server.readers.reader_counts import ReaderCounts
from server.readers.tally import DAY, TallyEntry
from server.releases.site_stores import FolderSites
from tests.server.control.hosted import INSERT
from tests.server.control.people import PASSWORD, account
from tests.server.history.sites import AGENT, opened
from tests.server.site_serving.published import publish, release_store

DATABASE = "db_aaaaaaaaaaaaaaaa"


class Owner(Struct, frozen=True):
    """Somebody with a site, keys, a database, codes, a session, and all the secrets of these."""

    control: ControlDatabase
    data: Path
    account: Account
    site: HostedSite
    secrets: list[str]

    @property
    def folder(self) -> Path:
        return self.data / "sites" / self.site.id

    def export(self) -> tuple[zipfile.ZipFile, ExportManifest]:
        out = io.BytesIO()
        source = ExportSource(
            self.control, self.data / "sites", self.data, FolderSites(self.data / "releases"), None
        )
        manifest = export_account(source, self.account.id, "the test", out)
        return zipfile.ZipFile(out), manifest


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    data = tmp_path / "data"
    with open_data(data) as control, open_site_work(control, data, PLANS) as work:
        found = account(control)
        site = work.create(found.id, "quay-docs", By("the test"))
        DomainClaims(control, DomainRules(())).add(site.id, "docs.quayside.example", By("the test"))
        ReaderCounts(data).add({TallyEntry(site.id, int(time.time()) // DAY, "people", "/docs/"): 7})
        yield Owner(control, data, found, site, _secrets(control, data, found, site))


def _secrets(control: ControlDatabase, data: Path, owner: Account, site: HostedSite) -> list[str]:
    keyring = open_keyring(control, data)
    codes, password = TimeCodes(control, keyring), "canary-of-a-database"
    secret = codes.begin(owner.id)
    recovery = codes.confirm(owner.id, pyotp.TOTP(secret).now())
    with open_site_work(control, data, PLANS) as work:
        site_key = work.keys.create(KeyKind.LONG_LIVED, site.id, "laptop", navigation=True).text
    management = ManagementKeys(control).create(owner.id, "backups").text
    session = BrowserSessions(control).begin(owner.id, "Firefox on Linux", "127.0.0.1").token
    link = OneTimeLinks(control).create("reset", owner.id)
    hook = Webhooks(control, keyring).create(owner.id, "https://example.com/hooks", By("the test"))[1]
    sealed = keyring.seal(password, password_of(DATABASE))
    control.write(INSERT, (DATABASE, owner.id, 1, "orders", "orders", sealed, None))
    control.write("UPDATE databases SET applied = generation, made_from = generation")
    columns = (
        ("accounts", "password_hash"),
        ("keys", "digest"),
        ("management_keys", "digest"),
        ("browser_sessions", "digest"),
        ("one_time_links", "digest"),
        ("time_codes", "secret"),
        ("webhooks", "secret"),
        ("recovery_codes", "digest"),
    )
    rows = [str(row[0]) for table, name in columns for row in control.read(f"SELECT {name} FROM {table}")]
    master = [line for line in (data / "master.keys").read_text().splitlines() if line]
    return [
        secret,
        *recovery,
        site_key,
        management,
        session,
        link,
        hook,
        password,
        sealed,
        PASSWORD,
        *rows,
        *master,
    ]


OWNER = ChangeAuthor(ChangeNote(label="dashboard"), lambda: None)


def _change_settings(opened: OpenSite) -> None:
    site_settings.save(opened, "title: Harbour\n", site_settings.load(opened).revision, OWNER)


def texts(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """All parts, and the files of a tar among them."""
    found = {name: archive.read(name) for name in archive.namelist()}
    for name in [name for name in found if name.endswith(".tar")]:
        with tarfile.open(fileobj=io.BytesIO(found[name])) as tar:
            for each in filter(tarfile.TarInfo.isfile, tar):
                file = tar.extractfile(each)
                found[f"{name}:{each.name}"] = file.read() if file else b""
    return found


def test_no_secret_is_in_it(owner: Owner) -> None:
    archive, _ = owner.export()
    found = texts(archive)
    assert len(owner.secrets) > 25
    for secret in owner.secrets:
        assert [name for name, data in found.items() if secret.encode() in data] == []


def test_it_tells_all_that_the_account_has(owner: Owner) -> None:
    archive, manifest = owner.export()
    assert archive.testzip() is None
    read = {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}
    assert (read["account.json"]["email"], read["account.json"]["codes"]) == (owner.account.email, True)
    assert [one["client"] for one in read["sessions.json"]] == ["Firefox on Linux"]
    assert [(one["label"], one["state"]) for one in read["keys.json"]] == [("backups", "active")]
    site = read["sites/quay-docs/site.json"]
    (key,) = site["keys"]
    assert (key["label"], len(key["last_four"]), key["navigation"]) == ("laptop", 4, True)
    assert [(one["name"], one["verified_at"]) for one in site["domains"]] == [("docs.quayside.example", None)]
    assert site["choices"] == {
        "counts_searches": False,
        "publishes_after": "nothing",
        "hidden_addresses": [],
    }
    assert [one["url"] for one in read["webhooks.json"]] == ["https://example.com/hooks"]
    assert archive.read("sites/quay-docs/readers.csv").decode().splitlines() == [
        "day,counted,name,count",
        f"{time.strftime('%Y-%m-%d', time.gmtime())},people,/docs/,7",
    ]
    assert read["activity.json"][0]["action"] == "account.export"
    assert [one["id"] for one in read["databases.json"]] == [DATABASE]
    assert [part.name for part in manifest.parts] == archive.namelist()[:-1]
    assert archive.namelist()[-1] == "manifest.json"
    assert archive.read("sites/quay-docs/files/site.yml") == (owner.folder / "site.yml").read_bytes()


def test_it_names_what_was_published(owner: Owner) -> None:
    store = release_store(owner.data, owner.site.id)
    for text in (b"one", b"two"):
        publish(store, {"docs/index.html": text})
    store.roll_back(1, 1000)
    archive, manifest = owner.export()
    told = json.loads(archive.read("sites/quay-docs/releases.json"))
    assert (told["readers_have"]["live"], told["readers_have"]["pinned"]) == (1, True)
    assert [(one["number"], one["by"], one["size"]) for one in told["releases"]] == [
        (2, "account", 3),
        (1, "account", 3),
    ]
    assert "sites/quay-docs/releases.json" in [part.name for part in manifest.parts]


def test_what_cannot_be_dumped_is_named_with_the_reason(owner: Owner) -> None:
    archive, manifest = owner.export()
    assert [(one.name, one.why) for one in manifest.missing] == [
        (f"databases/{DATABASE}.dump", "the service runs without databases")
    ]
    assert json.loads(archive.read("manifest.json"))["missing"]


def test_the_history_is_there_to_read_and_to_go_on_from(owner: Owner, tmp_path: Path) -> None:
    with opened(owner.folder) as (history, store):
        history.catch_up()
        store.write("docs/a", "md", "first", note=AGENT)
        history.catch_up()
    before = (owner.folder / "site.yml").read_bytes()
    with open_site_work(owner.control, owner.data, PLANS) as work:
        asyncio.run(work.use(owner.site, _change_settings))
    archive, _ = owner.export()
    changes = json.loads(archive.read("sites/quay-docs/history.json"))
    assert {"file": "docs/a.md", "change": "added"} in [file for one in changes for file in one["files"]]
    saved = next(one for one in changes if {"file": "site.yml", "change": "changed"} in one["files"])
    state = tmp_path / "site" / ".twinpress" / "state"
    state.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(archive.read("sites/quay-docs/history.tar"))) as tar:
        tar.extractall(state, filter="data")
    with History(state) as kept:
        assert [each.id for each in kept.revisions()] == [one["revision"] for one in changes]
        settings = next(each for each in kept.revisions() if each.id == saved["revision"]).files[0].old
        assert settings is not None
        assert kept.contents({settings})[settings] == before


def test_one_that_breaks_off_leaves_nothing_behind(owner: Owner) -> None:
    class Broken(io.RawIOBase):
        left = 2000

        def writable(self) -> bool:
            return True

        def write(self, data: object, /) -> int:
            size = len(memoryview(data))  # type: ignore[arg-type]
            self.left -= size
            if self.left < 0:
                raise BrokenPipeError
            return size

    before = sorted(owner.data.iterdir())
    source = ExportSource(
        owner.control, owner.data / "sites", owner.data, FolderSites(owner.data / "releases"), None
    )
    with pytest.raises(BrokenPipeError):
        export_account(source, owner.account.id, "the test", Broken())  # type: ignore[arg-type]
    assert sorted(owner.data.iterdir()) == before


def test_the_operator_exports_an_account_to_a_file(
    owner: Owner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out" / "me.zip"
    with pytest.raises(TwinpressError, match="cannot be exported"):
        admin_account_export.export(data=owner.data, email=owner.account.email, file=file, db_bin_dir=None)
    file.parent.mkdir()
    done = admin_account_export.export(data=owner.data, email=owner.account.email, file=file, db_bin_dir=None)
    assert done == admin_account_export.INCOMPLETE
    assert f"databases/{DATABASE}.dump is missing in it: the database server" in capsys.readouterr().err
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o077 == 0
