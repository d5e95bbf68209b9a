"""Answers that were given before, for as long as the files they were made of stay as they were.

A look at a page's file, twin and folder costs a hundredth of what reading the page costs. A file that was
touched a moment ago may change again without its times telling, so it is not trusted yet.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

from msgspec import Struct, field

from builder.store import FRESH, FileState, state_of

MOST = 32 * 1024 * 1024
"""Bytes of answers that are kept: those of a site of two thousand common pages."""
States = tuple[FileState | None, ...]


class Answer(Struct, frozen=True):
    """The body of an answer, the revision that it shows, and the page's address from the site's root."""

    body: bytes
    revision: str
    url: str


class Recent(Struct):
    """The last answers about pages of the site in `root`, by content path as it was asked for."""

    root: Path
    _known: dict[str, tuple[tuple[str, ...], States, Answer]] = field(default_factory=dict)
    _bytes: int = 0
    _keeping: Lock = field(default_factory=Lock)

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
        youngest = max((state.youngest for state in states if state), default=0)
        if youngest > started - FRESH:
            return
        with self._keeping:
            self._forget(path)
            while self._known and self._bytes + len(answer.body) > MOST:
                self._forget(next(iter(self._known)))
            if len(answer.body) <= MOST:
                self._known[path] = paths, states, answer
                self._bytes += len(answer.body)

    def _forget(self, path: str) -> None:
        known = self._known.pop(path, None)
        self._bytes -= len(known[2].body) if known else 0


def _states(paths: tuple[str, ...]) -> States:
    return tuple(map(_state, paths))


def _state(path: str) -> FileState | None:
    try:
        return state_of(os.lstat(path))
    except OSError:
        return None
