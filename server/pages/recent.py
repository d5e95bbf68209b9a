"""Answers that were given before, for as long as the files they were made of stay as they were.

A look at a page's file, twin and folder costs a hundredth of what reading the page costs. A file that was
touched a moment ago may change again without its times telling, so it is not trusted yet.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from builder.store import FRESH

MOST = 2_000
"""Pages that are kept."""
_State = tuple[int, int, int, int]
States = tuple[_State | None, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The body of an answer, and the revision that it shows."""

    body: bytes
    revision: str


@dataclass(slots=True)
class Recent:
    """What was answered about the pages of the site in `root`, by content path as it was asked for."""

    root: Path
    _known: dict[str, tuple[tuple[str, ...], States, Answer]] = field(default_factory=dict)

    def get(self, path: str) -> Answer | None:
        """The answer, if it is still true."""
        known = self._known.get(path)
        if known is None or _states(known[0]) != known[1]:
            return None
        return known[2]

    def keep(self, path: str, files: tuple[str, ...], started: int, answer: Answer) -> None:
        """Remember an answer made of these files, which were read after `started` (`time.time_ns`)."""
        paths = (*(f"{self.root}/{file}" for file in files), f"{self.root}/{files[0].rpartition('/')[0]}")
        states = _states(paths)
        youngest = max((max(state[2:]) for state in states if state), default=0)
        if youngest > started - FRESH:
            return
        if len(self._known) >= MOST:
            self._known.pop(next(iter(self._known)))
        self._known[path] = paths, states, answer


def _states(paths: tuple[str, ...]) -> States:
    return tuple(map(_state, paths))


def _state(path: str) -> _State | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
