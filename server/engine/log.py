"""What the server says: one file that does not grow without end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

LARGEST = 16 * 1024 * 1024
KEPT = 1024 * 1024
SHOWN = 12
"""Lines of it in an error."""


def open_log(path: Path) -> BinaryIO:
    """The file, to be written at its end."""
    return open(path, "ab", opener=lambda file, flags: os.open(file, flags, 0o600))


def trim(path: Path, largest: int = LARGEST, kept: int = KEPT) -> None:
    """Once the file is larger than `largest` bytes, keep its last ones beside it and begin anew.

    The server has it open for writing at its end: it is emptied, not put away. What is said in the same
    moment may be lost.
    """
    if not path.exists() or path.stat().st_size <= largest:
        return
    with path.open("r+b") as file:
        file.seek(-kept, os.SEEK_END)
        old = path.with_suffix(".old.log")
        old.touch(0o600)
        old.write_bytes(file.read())
        file.truncate(0)


def last_lines(path: Path, since: int) -> str:
    """The last lines that were written after the first `since` bytes."""
    with path.open("rb") as file:
        file.seek(since)
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-SHOWN:])
