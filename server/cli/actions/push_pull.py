"""`twinpress pull` and `twinpress push`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from server.cli.terminal import sync_messages
from server.cli.terminal.progress import Bar
from server.control.keys.key_text import is_management, kind_of
from server.sync.errors import SyncError
from server.sync.run_sync import SyncOutcome, SyncRequest, synchronise
from server.sync.sync_desk import Direction, Wishes
from server.sync.three_way import Choice

KEY = "TWINPRESS_KEY"
LEFT = 1
_LONGEST = 1000
"""Characters of a file with a key."""


def run(
    *,
    direction: Direction,
    site: Path,
    address: str,
    key_file: Path | None,
    commit: str,
    ours: tuple[str, ...],
    theirs: tuple[str, ...],
    prune: bool,
    dry_run: bool,
    insecure: bool,
    form: str,
) -> int:
    """Push or pull, and show what came of it."""
    if set(ours) & set(theirs):
        raise click.UsageError("--ours and --theirs name the same path: choose one side.")
    wishes = Wishes(prune, dry_run, Choice(ours, theirs))
    request = SyncRequest(direction, site, _key(key_file), address, commit, insecure, wishes)
    outcome = _synchronise(request)
    if form == "json":
        sync_messages.write_json(direction, outcome, rehearsal=dry_run)
    else:
        sync_messages.show(direction, outcome.report, site, rehearsal=dry_run)
    sync_messages.conclude(direction, outcome, rehearsal=dry_run)
    return 0 if outcome.report.is_complete else LEFT


def _synchronise(request: SyncRequest) -> SyncOutcome:
    bars: dict[str, Bar] = {}

    def advance(label: str, done: int, number: int) -> None:
        if label not in bars:
            for bar in bars.values():
                bar.stop()
            bars[label] = Bar(label)
        bars[label].update(done, number)

    try:
        return asyncio.run(synchronise(request, advance))
    finally:
        for bar in bars.values():
            bar.stop()


def _key(file: Path | None) -> str:
    """The key, from the file or the environment: an argument could be read in a list of processes."""
    text = (_first_line(file) if file else os.environ.get(KEY, "")).strip()
    place = str(file) if file else KEY
    if not text:
        hint = "create one with `twinpress key create --kind long-lived`, or in the dashboard, under Keys"
        raise SyncError(f"there is no key: set {KEY}, or name a file with --key-file", hint=hint)
    if is_management(text):
        raise SyncError("this key opens databases, not pages", path=place, hint="take one for the site")
    if kind_of(text) is None:
        hint = "it begins with svc_docs_ and has 55 characters; is it cut off?"
        raise SyncError("this is no key of a site", path=place, hint=hint)
    return text


def _first_line(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as opened:
        return opened.readline(_LONGEST)
