"""The last build into an output folder: where it has seen the very same files, and nobody has touched what it
wrote, a build is done before it reads anything.

A site's pages, settings, theme and parts are files below its folder, or below folders that its builder names;
the days of its pages come from git. All of these are looked at before a build reads any, and once more when
it is done: where they are others by then, or one is so young that it could change without its times telling,
nothing is noted. A note is good for the one record of the output that was kept with it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from builder.cache import Cache
from builder.cache.entries import KeptBuild
from builder.cache.fingerprint import fingerprint
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.output import Output
from builder.plan.last_changed import history_state
from builder.plan.options import Options
from builder.store import FRESH
from builder.store.folder_state import folder_state
from builder.store.scan import SOURCES
from builder.theme.site_theme import NAME as THEME
from builder.workers.child import ChildProcess, child

LARGE = 5_000
"""Files and folders that are worth another process."""
MOST_FOR_EACH = 4
"""Files and folders for each page and file of the site; looking at more takes longer than it is worth."""
_READ = frozenset({*SOURCES, THEME})
"""Folders that a build reads, whatever lies in them."""
_PASSING = frozenset({"category-invalid", "history-unread", "include-refused", "page-unreadable"})
"""Codes of faults that may be gone the next time, though no file has changed."""


class LastBuild:
    """The last build of the site in `root` into `output`, as the cache knows it; `options` are of now."""

    def __init__(self, root: Path, output: Output, options: Options, cache: Cache) -> None:
        self._root = root
        self._output = output
        self._options = options
        self._cache = cache
        self._kept = cache.last_build(output.folder) if output.folder and cache.keeps else None
        is_much = self._kept is not None and not self._kept.inputs
        self._is_looked_at = output.folder is not None and cache.keeps and not is_much
        self._entries = 0
        self._again: ChildProcess | None = None
        self._inputs = self._look() if self._is_looked_at else b""

    @property
    def is_large(self) -> bool:
        """True for a site with so many files that a look at them is worth another process."""
        return self._entries >= LARGE

    def look_again(self) -> None:
        """Begin to look at the site once more, now that all of it is read."""
        if self._inputs and self.is_large:
            self._again = child(self._send)

    def close(self) -> None:
        """End the second look, unless it was taken."""
        if self._again:
            self._again.end()
        self._again = None

    def result(self) -> KeptBuild | None:
        """Return what it has told, if there is nothing to do since. Raises OutputError."""
        kept, folder = self._kept, self._output.folder
        if kept is None or folder is None or not self._inputs or kept.inputs != self._inputs:
            return None
        return kept if self._output.is_as_left(self._root, self._cache.ledger(folder)) else None

    def keep(self, diagnostics: tuple[Diagnostic, ...], pages: int, files: int) -> None:
        """Keep what this build tells, for the next one."""
        folder, is_much = self._output.folder, self._entries > MOST_FOR_EACH * (pages + files) + 1_000
        if folder is None or not self._is_looked_at or self._cache.diagnostics:
            return
        if is_much:
            self._cache.keep_last_build(folder, KeptBuild(fingerprint(), b"", (), 0, 0))
        elif self._inputs and not _are_passing(diagnostics) and self._second_look() == self._inputs:
            kept = KeptBuild(fingerprint(), self._inputs, diagnostics, pages, files)
            self._cache.keep_last_build(folder, kept)

    def _send(self, pipe: BinaryIO) -> None:
        pipe.write(self._look())

    def _second_look(self) -> bytes:
        again, self._again = self._again, None
        return (again.received() if again else b"") or self._look()

    def _look(self) -> bytes:
        """Return a digest of all that decides what a build makes; empty where there is none that holds."""
        begun, options, folder = time.time_ns(), self._options, self._output.folder
        roots = [os.path.realpath(each) for each in (str(self._root), *options.include_roots)]
        found = folder_state(roots, {os.path.realpath(folder or self._root)}, _READ)
        self._entries = found.entries if found else 0
        if found is None or not found.digest or found.youngest + FRESH > begun:
            return b""
        history = history_state(self._root) if options.trusted else ()
        return digest(found.digest, history, replace(options, jobs=None))


def _are_passing(diagnostics: tuple[Diagnostic, ...]) -> bool:
    return any(each.code in _PASSING for each in diagnostics)
