"""Write all that an account has into a zip, part by part, to a file or to somebody who reads slowly.

Nothing in it opens anything: no password, no value of a key, no code, nothing sealed. What cannot be written
is named in the manifest, which is the last part: a zip that breaks off has none.
"""

from __future__ import annotations

import shutil
import time
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from builder.errors import TwinpressError
from builder.version import VERSION
from server.authoring.site_work import EXPORT
from server.control import audit
from server.control.accounts.account import Account, get
from server.control.audit import Event
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.keys.key_record import KeyRecord
from server.control.keys.management_key import ManagementKey
from server.control.keys.management_keys import ManagementKeys
from server.control.keys.site_keys import SiteKeys
from server.control.site_choices import ChosenForSites
from server.control.sqlite.database import ControlDatabase
from server.domains.domain_claims import DomainClaims
from server.domains.domain_name import DomainRules
from server.export import site_history
from server.history import History, record
from server.hosting import hosted
from server.hosting.hosted import Hosted
from server.readers.reader_counts import KEPT_DAYS, ReaderCounts
from server.readers.reader_report import NAMES, as_csv, records
from server.releases.release_store import ReleaseStore
from server.releases.site_stores import SiteStores
from server.sites.export_archive import add_site
from server.sites.locked_folder import locked_folder

FORMAT = 1
_CHUNK = 256 * 1024
Dump = Callable[[str, Path], bool]
"""Write the database with this id to a file; False where it is gone meanwhile. Raises TwinpressError."""
README = """This is all that an account of Twinpress has.

account.json         the account, and the ways in which its owner signs in
sessions.json        browsers in which it is signed in
keys.json            keys of scripts to its databases, without their values
activity.json        who did what, the last first
webhooks.json        addresses that are called when something breaks, without their secrets
databases.json       its databases, without their passwords
databases/ID.dump    a database: pg_restore --no-owner --dbname=DATABASE ID.dump,
                     of the version of the server that it comes from, or a newer one
sites/NAME/          a site:
  files/             its files as they are now; `twinpress serve files` shows them
  site.json          its name, its keys without their values and with what they may, its domains, and what
                     could not be taken
  history.json       its changes, the last first: when, by whom, which files
  readers.csv        what readers did, by day
  history.tar        the history itself: put the folder `history` into files/.twinpress/state/, and
                     `twinpress history`, `restore` and `undo` go on from there
  releases.json      what was published, the last first: when, by whom, how much; and what readers have
manifest.json        the parts of this file, and what is missing, with the reason

Times are seconds since 1970, UTC, where they are numbers.
"""


class Missing(Struct, frozen=True):
    """A part that could not be written, and why."""

    name: str
    why: str


class ExportPart(Struct, frozen=True):
    """A part that was written: its name in the zip, and its bytes."""

    name: str
    size: int


class ExportManifest(Struct, frozen=True):
    """The description of an export, its last part."""

    format: int
    twinpress: str
    created_at: str
    account: str
    parts: Sequence[ExportPart]
    missing: Sequence[Missing]


class ExportSource(Struct, frozen=True):
    """The places where an account's things are: `sites` is the folder of all sites, `work` one with room.

    `releases` has what was published. `dump` is None where the service has no database server;
    `no_dump` says why.
    """

    control: ControlDatabase
    sites: Path
    work: Path
    releases: SiteStores
    dump: Dump | None
    no_dump: str = "the service runs without databases"


def export_account(source: ExportSource, account: str, by: str, out: IO[bytes]) -> ExportManifest:
    """Write the zip to `out`, in which places need not be sought; it is noted as asked for `by` somebody.

    Raises AccountNotFound, what `out` raises, and OSError.
    """
    with source.control.change() as change:
        found = get(change, account)
        audit.note(change, Event(int(time.time()), account, by, "account.export", account))
    with (
        locked_folder(source.work, EXPORT) as work,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        return _Export(source, found, archive, work).write()


class _Export:
    """One export that is being written."""

    def __init__(self, source: ExportSource, account: Account, archive: zipfile.ZipFile, work: Path) -> None:
        self._source, self._control, self._account = source, source.control, account
        self._archive, self._work = archive, work
        self._missing: list[Missing] = []

    def write(self) -> ExportManifest:
        """Write all parts, and the manifest."""
        id, control = self._account.id, self._control
        self._archive.writestr("README.txt", README)
        self._json("account.json", _account_record(control, self._account))
        self._json("sessions.json", _sessions(control, id))
        self._json("keys.json", list(map(_key_entry, ManagementKeys(control).list(id))))
        self._json("activity.json", audit.events(control, id, 0))
        self._json("webhooks.json", _rows(control, _WEBHOOKS, id, ("id", "url", "created_at")))
        for site in HostedSites(control).list(id):
            self._site(site)
        self._databases()
        return self._manifest()

    def _databases(self) -> None:
        rows = [row for row in hosted.all_of(self._control, self._account.id) if row.wanted == "present"]
        self._json("databases.json", list(map(_database_entry, rows)))
        for row in rows:
            self._try(f"databases/{row.id}.dump", lambda name, id=row.id: self._dump(name, id))  # type: ignore[misc]

    def _dump(self, name: str, id: str) -> None:
        if self._source.dump is None:
            raise TwinpressError(self._source.no_dump)
        target = self._work / "database.dump"
        if not self._source.dump(id, target):
            raise TwinpressError("it is not on the server")
        self._file(name, target, zipfile.ZIP_STORED)

    def _site(self, site: HostedSite) -> None:
        folder, inside = self._source.sites / site.id, f"sites/{site.name}/"
        left_out: list[object] = []
        self._try(
            f"{inside}files", lambda _: left_out.extend(add_site(self._archive, folder, f"{inside}files/"))
        )
        self._try(f"{inside}releases.json", lambda name: self._releases(name, site.id))
        if site_history.has_history(folder):
            self._try(f"{inside}history.json", lambda _: self._history(folder, inside))
            self._try(f"{inside}history.tar", lambda name: self._pack(folder, name))
        self._try(f"{inside}readers.csv", lambda name: self._readers(site.id, name))
        keys = list(map(_key_entry, SiteKeys(self._control).list(site.id)))
        domains = DomainClaims(self._control, DomainRules(())).list(site.id)
        choices = ChosenForSites(self._control).of(site.id)
        told = {"site": site, "choices": choices, "keys": keys, "domains": domains, "left_out": left_out}
        self._json(f"{inside}site.json", told)

    def _releases(self, name: str, site: str) -> None:
        store = ReleaseStore(self._source.releases.site(site))
        every = [store.get(number) for number in store.numbers()]
        self._json(name, {"readers_have": store.pointer(), "releases": every})

    def _history(self, folder: Path, inside: str) -> None:
        with History(site_history.state_of(folder)) as kept:
            kept.bring_in()
            found = kept.revisions()
            self._json(f"{inside}history.json", [record(each, UTC) for each in found])

    def _pack(self, folder: Path, name: str) -> None:
        target = self._work / "history.tar"
        site_history.pack_history(folder, target)
        self._file(name, target, zipfile.ZIP_DEFLATED)

    def _readers(self, site: str, name: str) -> None:
        counts, target = ReaderCounts(self._source.sites.parent), self._work / "readers.csv"
        with target.open("w", newline="") as file:
            file.write(",".join(NAMES) + "\r\n")
            file.writelines(map(as_csv, records(counts, site, KEPT_DAYS)))
        self._file(name, target, zipfile.ZIP_DEFLATED)

    def _try(self, name: str, write: Callable[[str], object]) -> None:
        """Write a part, or note why it is missing."""
        try:
            write(name)
        except TwinpressError as error:
            self._missing.append(Missing(name, error.message))
        except FileNotFoundError:
            self._missing.append(Missing(name, "it is gone"))

    def _file(self, name: str, path: Path, method: int) -> None:
        info = zipfile.ZipInfo(name, time.gmtime()[:6])
        info.compress_type, info.external_attr = method, 0o600 << 16
        with path.open("rb") as source, self._archive.open(info, "w", force_zip64=True) as target:
            shutil.copyfileobj(source, target, _CHUNK)
        path.unlink()

    def _json(self, name: str, value: object) -> None:
        self._archive.writestr(name, msgspec.json.format(msgspec.json.encode(value)))

    def _manifest(self) -> ExportManifest:
        parts = [ExportPart(each.filename, each.file_size) for each in self._archive.infolist()]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = ExportManifest(FORMAT, VERSION, now, self._account.id, parts, self._missing)
        self._json("manifest.json", manifest)
        return manifest


_SESSIONS_OF = """
    SELECT id, client, address, created_at, last_used_at, ends_at FROM browser_sessions
    WHERE account = ? ORDER BY created_at, id
"""
_PASSKEYS = "SELECT label, created_at, last_used_at FROM passkeys WHERE account = ? ORDER BY created_at, id"
_CODES = "SELECT 1 FROM time_codes WHERE account = ? AND confirmed = 1"
_WEBHOOKS = "SELECT id, url, created_at FROM webhooks WHERE account = ? ORDER BY created_at, id"
_MAILS = "SELECT 1 FROM mail_choices WHERE account = ?"
_RECOVERY = "SELECT COUNT(*) FROM recovery_codes WHERE account = ?"


class KeyEntry(Struct, frozen=True):
    """A key without its value. Times are whole seconds since 1970, UTC."""

    id: str
    label: str
    last_four: str
    state: str
    created_at: int
    last_used_at: int | None
    expires_at: int | None = None
    navigation: bool | None = None
    """Whether it may change the navigation of its site; None for a key that has no site."""


class DatabaseEntry(Struct, frozen=True):
    """A database without its password."""

    id: str
    name: str
    status: str
    size_bytes: int | None
    created_at: int
    password_rotated_at: int | None


def _key_entry(key: KeyRecord | ManagementKey) -> KeyEntry:
    """The entry of a key of either kind."""
    if isinstance(key, KeyRecord):
        return KeyEntry(
            key.id,
            key.label,
            key.last_four,
            key.state(time.time()),
            key.created_at,
            key.last_used_at,
            key.expires_at,
            key.navigation,
        )
    return KeyEntry(key.id, key.label, key.last_four, key.state, key.created_at, key.last_used_at)


def _database_entry(row: Hosted) -> DatabaseEntry:
    """The entry of a database."""
    return DatabaseEntry(
        row.id, row.name, row.status, row.size_bytes, row.created_at, row.password_rotated_at
    )


def _account_record(control: ControlDatabase, account: Account) -> dict[str, object]:
    """The account, and the ways in which its owner signs in."""
    ((left,),) = control.read(_RECOVERY, (account.id,))
    return {
        **msgspec.structs.asdict(account),
        "codes": bool(control.read(_CODES, (account.id,))),
        "mails": bool(control.read(_MAILS, (account.id,))),
        "recovery_codes_left": left,
        "passkeys": _rows(control, _PASSKEYS, account.id, ("label", "created_at", "last_used_at")),
    }


def _sessions(control: ControlDatabase, account: str) -> list[dict[str, object]]:
    """The sessions of the account in browsers."""
    names = ("id", "client", "address", "created_at", "last_used_at", "ends_at")
    return _rows(control, _SESSIONS_OF, account, names)


def _rows(
    control: ControlDatabase, sql: str, account: str, names: tuple[str, ...]
) -> list[dict[str, object]]:
    return [dict(zip(names, row, strict=True)) for row in control.read(sql, (account,))]
