"""A process as the kernel sees it: its start, its parent, and the time that it has computed."""

from __future__ import annotations

from msgspec import Struct

from server.postgres.run.processes import PROCESSES

_PARENT, _COMPUTED, _BEGAN = 1, 11, 19
"""Places of `ppid`, `utime` and `starttime` in `/proc/PID/stat`, behind the program's name."""


class Stat(Struct, frozen=True):
    """A process at one moment. Times are ticks of the kernel's clock, a hundredth of a second mostly.

    `computed` is the time in the program itself: what the kernel does for it, such as writing a file, is not
    in it. `began` tells the process from another one that has got its number later.
    """

    parent: int
    computed: int
    began: int


def stat(pid: int) -> Stat | None:
    """A process that is alive; None when there is none of that number, or it may not be looked at."""
    try:
        text = (PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        return None
    # The name stands in brackets and may hold any sign, brackets among them.
    fields = text.rpartition(")")[2].split()
    return Stat(int(fields[_PARENT]), int(fields[_COMPUTED]), int(fields[_BEGAN]))
