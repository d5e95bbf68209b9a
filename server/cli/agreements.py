"""Agreements of the person at this computer to run the programs of sites: one small file for each site.

An agreement is about the folder of a site and the very programs in it. One about whatever programs come is
also about the folder's inode, so that it is not for another site that is put into the same place later.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from builder import home
from builder.errors import StorageError

FOLDER = "trust"


class Agreement(Struct, frozen=True, omit_defaults=True):
    """`programs` is the digest of those that may run; empty when all may, in the folder with this inode."""

    site: str
    programs: str = ""
    inode: int = 0

    def holds(self, site: Path, digest: str) -> bool:
        """Whether the programs with this digest may run."""
        if self.site != str(site):
            return False
        return self.programs == digest if self.programs else self.is_for_all(site)

    def is_for_all(self, site: Path) -> bool:
        """Whether all programs that come into the folder may run."""
        return not self.programs and self.inode == site.stat().st_ino


def agreement(site: Path) -> Agreement | None:
    """What was agreed for the site in a folder whose path is resolved; None where nothing can be read.

    Raises StorageError when the file is no agreement.
    """
    try:
        path = _place(site)
        data = path.read_bytes()
    except (OSError, StorageError):
        return None  # a home of somebody else, or none at all: then nothing was agreed to
    try:
        return msgspec.json.decode(data, type=Agreement) if data else None
    except msgspec.DecodeError as error:
        message = f"what you have agreed to cannot be read: {error}"
        raise StorageError(message, path=str(path), hint="delete the file; you are asked again") from None


def keep(agreed: Agreement) -> None:
    """Keep an agreement in the place of an earlier one. Raises StorageError."""
    path = _place(Path(agreed.site))
    try:
        home.keep(path, msgspec.json.format(msgspec.json.encode(agreed)) + b"\n")
    except OSError as error:
        message = f"your answer cannot be kept: {error.strerror or error}"
        raise StorageError(message, path=str(path), hint="without it you are asked at each start") from None


def _place(site: Path) -> Path:
    try:
        return home.configuration() / FOLDER / f"{home.file_name(str(site))}.json"
    except OSError as error:
        message = f"there is no folder for what you agree to: {error}"
        raise StorageError(message, hint="set HOME or XDG_CONFIG_HOME, or use --trust") from None
