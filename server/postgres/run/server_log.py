"""The server's log: one file that does not grow without end."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import BinaryIO

LARGEST = 16 * 1024 * 1024
KEPT = 1024 * 1024
FATAL, SHOWN, LONGEST = 2, 4, 300
"""Lines of it in an error up to a fatal one, else the last, and signs of both."""
_PREFIX = re.compile(r"^[^\[]*\[\d+\] .*?(?=[A-Z]+: )")
_FATAL = ("FATAL:", "PANIC:")


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


def complaint(path: Path, since: int) -> str:
    """Return why the server ended: its last fatal line after the first `since` bytes, and the line before.

    Where none is fatal, the last lines of all. Without their times, and at most LONGEST signs.
    """
    with path.open("rb") as file:
        file.seek(since)
        lines = [_PREFIX.sub("", line) for line in file.read().decode(errors="replace").splitlines()]
    fatal = [number for number, line in enumerate(lines, 1) if line.startswith(_FATAL)]
    shown = lines[: fatal[-1]][-FATAL:] if fatal else lines[-SHOWN:]
    return "; ".join(shown)[-LONGEST:]
