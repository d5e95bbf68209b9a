"""Packs in a folder: one that machines mount, or that a CI system carries from run to run."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from builder.errors import StorageError


class PackFolder:
    """Packs as files below a folder, which is created when the first one is put there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        """The folder's path."""
        return str(self._folder)

    def get(self, name: str) -> bytes | None:
        """Return a pack, None where there is none. Raises StorageError."""
        try:
            return (self._folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StorageError(error.strerror or str(error), path=name) from error

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
            raise StorageError(error.strerror or str(error), path=name) from error

    def remove(self, name: str) -> None:
        """Remove a pack, if it is there. Raises StorageError."""
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(error.strerror or str(error), path=name) from error
