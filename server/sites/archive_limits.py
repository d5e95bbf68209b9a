"""Limits of an archive that a stranger uploads, and the error that refuses it."""

from __future__ import annotations

from msgspec import Struct

from builder.errors import TwinpressError
from builder.plan.copied_files import LARGE
from builder.report import visible

FREE = 64 << 20
"""Unpacked bytes up to which nobody asks how small they were: pages that are all alike are no attack."""
_SHOWN = 200


class ArchiveRefused(TwinpressError):
    """An archive that is not imported: `path` is the entry, if one is at fault. Nothing was written."""


class ArchiveLimits(Struct, frozen=True):
    """The most that an archive may have.

    `pages`, `files` (pages included), `folders`, `file_bytes` and `total_bytes` are of the site. `entries`
    and `unpacked_bytes` are of the archive, with all that is left out. `ratio` is how many bytes one byte of
    the archive may become.
    """

    pages: int = 10_000
    files: int = 20_000
    folders: int = 10_000
    file_bytes: int = LARGE - 1
    total_bytes: int = 1 << 30
    entries: int = 100_000
    unpacked_bytes: int = 2 << 30
    ratio: int = 200

    def check_ratio(self, packed: int, unpacked: int, name: str = "") -> None:
        """Raise ArchiveRefused when so many packed bytes became too many."""
        if unpacked > FREE and unpacked > self.ratio * packed:
            message = f"more than {self.ratio} times as large when it is unpacked: that is an attack"
            raise ArchiveRefused(message, path=shown(name))


def shown(name: str) -> str:
    """The name of an entry as it can be printed."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return visible(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")
