"""The file of the master keys: for its owner's eyes only, there whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from server.control.errors import UnsafeMasterKeys
from server.control.sealing.master_key import MasterKey, parse, written
from server.control.sqlite.database_file import allowed
from server.process.disk import sync_folder

MODE = 0o600
HEAD = """\
# The master keys of Twinpress: they open the secrets in the database beside this file. Keep a copy elsewhere,
# and never one together with a copy of the database. The first key seals.
"""

Stamp = tuple[int, int, int]
"""What is another one when the file was written anew."""


class KeyFile:
    """The file at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def stamp(self) -> Stamp | None:
        """Return a stamp of the file as it is now; None when there is none."""
        try:
            about = self.path.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        return about.st_ino, about.st_mtime_ns, about.st_size

    def load(self) -> tuple[MasterKey, ...]:
        """The keys. Raises UnsafeMasterKeys, InvalidMasterKeys, and DatabaseError when it cannot be read."""
        with allowed(self.path):
            _refuse_link(self.path)
            with open(self.path, encoding="utf-8", errors="replace", opener=_no_link) as file:
                _refuse_others(os.fstat(file.fileno()), self.path)
                return parse(file.read(), str(self.path))

    def make(self, keys: Iterable[MasterKey]) -> None:
        """Write the first keys; a file that is there already stays as it is."""
        with allowed(self.path):
            new = self._beside(keys)
            try:
                with suppress(FileExistsError):
                    os.link(new, self.path)
            finally:
                new.unlink()
            sync_folder(self.path.parent)

    def store(self, keys: Iterable[MasterKey]) -> None:
        """Put these keys in the place of those that are there."""
        with allowed(self.path):
            self._beside(keys).replace(self.path)
            sync_folder(self.path.parent)

    def _beside(self, keys: Iterable[MasterKey]) -> Path:
        new = self.path.with_name(f"{self.path.name}.{secrets.token_hex(8)}")
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(new, flags, MODE), "w", encoding="ascii") as file:
            file.write(f"{HEAD}{written(keys, chr(10))}\n")
            file.flush()
            os.fsync(file.fileno())
        return new


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise UnsafeMasterKeys(
            "a symbolic link stands where the master keys belong",
            path=str(path),
            hint="put the file itself there",
        )


def _refuse_others(about: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(about.st_mode):
        message = "something that is no ordinary file stands where the master keys belong"
        raise UnsafeMasterKeys(message, path=str(path), hint="restore the file")
    if about.st_uid != os.geteuid():
        message = f"the file of the master keys belongs to the user with the number {about.st_uid}"
        hint = f"run Twinpress as that user, or `chown {os.geteuid()}` the file"
        raise UnsafeMasterKeys(message, path=str(path), hint=hint)
    mode = stat.S_IMODE(about.st_mode)
    if mode & ~MODE:
        message = f"others may use the file of the master keys: its mode is {mode:04o}"
        hint = "`chmod 600` it; if anybody else can have read it, run `twinpress admin secrets rotate` then"
        raise UnsafeMasterKeys(message, path=str(path), hint=hint)


def _no_link(file: str, flags: int) -> int:
    # Without O_NONBLOCK, a pipe in its place would be waited for.
    return os.open(file, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
