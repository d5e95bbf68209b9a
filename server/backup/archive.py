"""The file of a backup: a tar of parts, and behind them a manifest that names each with its SHA-256.

    control.sqlite3               accounts, keys, the list of databases, sealed passwords
    sites/ID.tar                  the folder of a site, with its history
    releases/ID.tar               the releases of a site that has been published, and which readers have
    readers.sqlite3               counts of readers, where there are any
    databases/ID.dump             a database, as `pg_dump --format=custom` writes it
    manifest.json                 what all of that is

The manifest is the last one: a file that is cut off has none.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from builder.version import VERSION
from server.backup import plain_tar
from server.backup.plain_tar import BadBackup, Member, members, pieces

FORMAT = 1
MANIFEST, CONTROL, READERS = "manifest.json", "control.sqlite3", "readers.sqlite3"
SITES, RELEASES, DATABASES = "sites", "releases", "databases"
MODE = 0o600
_LONGEST = 64 * 1024 * 1024
"""Bytes of a manifest, which has some hundred for each part."""
_PART = re.compile(
    rf"{re.escape(CONTROL)}|{re.escape(READERS)}|(?:{SITES}|{RELEASES})/[0-9A-Za-z][0-9A-Za-z_-]{{0,99}}\.tar"
    rf"|{DATABASES}/db_[a-z2-7]{{16}}\.dump"
)


class BackupPart(Struct, frozen=True):
    """One part: its name in the archive, its bytes and their SHA-256."""

    name: str
    size: int
    sha256: str

    @property
    def id(self) -> str:
        """The id of the site or database."""
        return Path(self.name).stem


class BackupManifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The description of a backup. `failed` are the ids of databases that could not be dumped."""

    format: int
    twinpress: str
    created_at: str
    parts: list[BackupPart]
    failed: list[str] = []

    def has(self, name: str) -> bool:
        """Return whether the backup has a part of this name."""
        return any(part.name == name for part in self.parts)

    def of(self, kind: str) -> list[BackupPart]:
        """The parts of one kind: SITES, RELEASES or DATABASES."""
        return [part for part in self.parts if part.name.startswith(f"{kind}/")]


class _Counted:
    """A file that is being read, and the digest of what was."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Read some bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        return data


class ArchiveWriter:
    """Writes the parts of a backup to a file, one after the other, and at last the manifest."""

    def __init__(self, file: IO[bytes]) -> None:
        self._tar = tarfile.open(fileobj=file, mode="w", format=plain_tar.FORMAT)  # noqa: SIM115 - `close`
        self._parts: list[BackupPart] = []

    def add(self, name: str, path: Path) -> None:
        """Add what a file holds. Raises OSError."""
        with path.open("rb") as opened:
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = path.stat().st_size, MODE, int(path.stat().st_mtime)
            counted = _Counted(opened)
            self._tar.addfile(info, counted)  # type: ignore[arg-type]  # it reads, and nothing else
        self._parts.append(BackupPart(name, info.size, counted.digest.hexdigest()))

    def close(self, failed: list[str]) -> BackupManifest:
        """Write the manifest; the archive is whole then."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = BackupManifest(FORMAT, VERSION, now, self._parts, failed)
        text = msgspec.json.format(msgspec.json.encode(manifest))
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode = len(text), MODE
        self._tar.addfile(info, BytesIO(text))
        self._tar.close()
        return manifest


class Archive:
    """A backup that was checked as a whole: names, sizes, digests, and what sites have in them."""

    def __init__(self, file: IO[bytes]) -> None:
        """Check it, which reads all of it. Raises BadBackup."""
        self._file = file
        every = list(members(file, 0, file.seek(0, 2)))
        self._members: Mapping[str, Member] = {each.name: each for each in every}
        self.manifest = self._manifest(every)
        for part in self.manifest.parts:
            self._check(part)
        for part in (*self.manifest.of(SITES), *self.manifest.of(RELEASES)):
            list(self.site(part))

    def site(self, part: BackupPart) -> list[Member]:
        """The files and folders of a site, or of its releases, in the archive. Raises BadBackup."""
        place = self._members[part.name]
        return list(members(self._file, place.offset, place.size))

    def extract(self, member: Member, target: Path) -> None:
        """Write a file of the archive to where nothing is yet. Raises BadBackup, and OSError."""
        with target.open("xb") as written:
            target.chmod(MODE)
            for piece in pieces(self._file, member):
                written.write(piece)

    def part(self, name: str) -> Member:
        """A part by its name."""
        return self._members[name]

    def _manifest(self, every: list[Member]) -> BackupManifest:
        last = every[-1] if every else None
        if last is None or last.name != MANIFEST or last.size > _LONGEST:
            raise BadBackup("the file has no manifest", hint="name a file that `admin backup` has written")
        try:
            text = b"".join(pieces(self._file, last))
            is_known = msgspec.json.decode(text, type=_Versions)
            if is_known.format != FORMAT:
                message = f"the backup is of Twinpress {is_known.twinpress}, whose form is not known here"
                raise BadBackup(message, hint="restore it with that version, or a later one")
            manifest = msgspec.json.decode(text, type=BackupManifest)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadBackup(f"the manifest cannot be read: {error}", hint="use another copy of it") from None
        names = [part.name for part in manifest.parts]
        if sorted([*names, MANIFEST]) != sorted(self._members) or CONTROL not in names:
            raise BadBackup("the manifest does not name what the backup has", hint="use another copy of it")
        return manifest

    def _check(self, part: BackupPart) -> None:
        member = self._members[part.name]
        if member.is_folder or not _PART.fullmatch(part.name):
            raise BadBackup(f"no backup has a part {part.name[:200]!r}", hint="do not use it")
        digest = hashlib.sha256()
        for piece in pieces(self._file, member):
            digest.update(piece)
        if (member.size, digest.hexdigest()) != (part.size, part.sha256):
            message = f"{part.name} is not what was written: its SHA-256 is another one"
            raise BadBackup(message, hint="use another copy of the backup")


class _Versions(Struct, frozen=True):
    """The first fields of any manifest."""

    format: int
    twinpress: str
