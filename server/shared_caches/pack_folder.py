"""Packs in a folder: one that machines mount, or that a CI system carries from run to run."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from builder.cache.errands import StoreRefused
from builder.cache.packs import MOST_BYTES
from builder.errors import StorageError


class PackFolder:
    """Packs as files below a folder, which is created when the first one is put there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        """The folder's path."""
        return str(self._folder)

    @property
    def is_there(self) -> bool:
        """True if there is a folder."""
        return self._folder.is_dir()

    def lies_in(self, folder: Path) -> bool:
        """Return whether it is in another folder, or that folder itself."""
        return self._folder.resolve().is_relative_to(folder.resolve())

    def get(self, name: str) -> bytes | None:
        """Return a pack, None where there is none. Raises StorageError."""
        try:
            with open(self._folder / name, "rb", opener=_open_file) as file:
                found = file.read(MOST_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _said(error, name) from error
        if len(found) > MOST_BYTES:
            raise StorageError(f"a file of more than {MOST_BYTES // 1024 // 1024} MB is no pack", path=name)
        return found

    def put(self, name: str, data: bytes) -> None:
        """Put a pack in its place, so that no reader sees half of it. Raises StorageError."""
        path = self._folder / name
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(data)
                temporary.replace(path)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(temporary)  # noqa: PTH108 - as it is gone when all went well
        except OSError as error:
            raise _said(error, name) from error

    def remove(self, name: str) -> None:
        """Remove a pack, if it is there. Raises StorageError."""
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise _said(error, name) from error

    def leave(self, prefix: str) -> None:
        """Remove the folder of a prefix, if nothing is in it any more."""
        with suppress(OSError):
            (self._folder / prefix).rmdir()


def _open_file(path: str, flags: int) -> int:
    """Open a file; a pipe or a device that stands there does not hold up whoever opens it."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _said(error: OSError, name: str) -> StorageError:
    kind = StoreRefused if isinstance(error, PermissionError) else StorageError
    return kind(error.strerror or str(error), path=name)
