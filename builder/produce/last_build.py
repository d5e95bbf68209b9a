"""The last build into an output folder: where it has seen the very same files, and nobody has touched what it
wrote, a build is done before it reads anything.

A site's pages, settings, theme and parts are files below its folder, or below folders that its builder names;
the days of its pages come from git. All of these are looked at before a build reads any, so that what changes
while it reads is found by the next one. Where a file is so young that it could change without its times
telling, nothing is noted.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

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
from builder.store.folder_state import MOST, folder_state

AROUND = 4
"""Files and folders for each one that a build writes or reads, beyond which looking at all takes too long."""
_PASSING = frozenset({"history-unread", "page-unreadable"})
"""Codes of faults that may be gone the next time, though no file has changed."""


class LastBuild:
    """The last build of the site in `root` into `output`, as the cache knows it; `options` are of now."""

    def __init__(self, root: Path, output: Output, options: Options, cache: Cache) -> None:
        self._root = root
        self._output = output
        self._cache = cache
        self._kept = cache.last_build(output.folder) if output.folder and cache.keeps else None
        self._inputs = b""
        self._entries = 0
        if output.folder and cache.keeps and (self._kept is None or self._kept.inputs):
            self._look(output.folder, options)

    def result(self) -> KeptBuild | None:
        """Return what it has told, if there is nothing to do since. Raises OutputError."""
        kept, folder = self._kept, self._output.folder
        if kept is None or folder is None or not self._inputs or kept.inputs != self._inputs:
            return None
        return kept if self._output.is_as_left(self._root, self._cache.ledger(folder)) else None

    def keep(self, diagnostics: tuple[Diagnostic, ...], pages: int, files: int) -> None:
        """Keep what this build tells, for the next one."""
        if self._output.folder is None:
            return
        is_lasting = not self._cache.diagnostics and not any(each.code in _PASSING for each in diagnostics)
        is_worth = self._entries <= AROUND * (pages + files) + 1_000
        if is_lasting and (self._inputs or not is_worth):
            inputs = self._inputs if is_worth else b""
            kept = KeptBuild(fingerprint(), inputs, diagnostics, pages, files)
            self._cache.keep_last_build(self._output.folder, kept)

    def _look(self, folder: Path, options: Options) -> None:
        """Look at all that decides what a build makes."""
        begun = time.time_ns()
        roots = os.path.abspath(self._root), *map(os.path.realpath, options.include_roots)  # noqa: PTH100
        found = folder_state(roots, {os.path.abspath(folder)})  # noqa: PTH100 - as it is called, links and all
        self._entries = found.entries if found else MOST
        if found is not None and found.youngest + FRESH <= begun:
            history = history_state(self._root) if options.trusted else ()
            self._inputs = digest(found.digest, history, replace(options, jobs=None))
