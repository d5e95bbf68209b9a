"""`twinpress history`, `restore` and `undo`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import click
from rich.text import Text

from builder.errors import StorageError, TwinpressError
from builder.report import counted
from builder.report.visible_text import visible
from builder.store import ContentStore
from server import history as past
from server.cli.terminal import console
from server.control import DatabaseError, KeyNotFound, SiteKeys, local_database, local_site, redacted
from server.control.sqlite.local_database import NAME as DATABASE
from server.history import SHORT, History, Restored, Revision, UnknownKey

STATE = ".twinpress/state"
CONFLICT = 1
FILES_NAMED = 3
SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def history(*, path: str, site: Path, limit: int, form: str) -> int:
    """Show the changes, the last first."""
    path = past.tidy_path(path)
    _refuse_unknown(site)
    with opened(site) as (kept, _):
        try:
            kept.catch_up()
        except StorageError as error:
            console.note(f"warning: the newest changes are missing here: {error}")
        found = kept.revisions(path)[:limit]
    if form == "json":
        console.write(json.dumps([past.record(each) for each in found], indent=1) + "\n")
    elif found:
        _show(found)
    else:
        console.note(f"No change of {redacted(path) or 'this site'} is known.")
    return 0


def restore(*, revision: str, path: str, site: Path) -> int:
    """Put files back as they were."""
    _refuse_unknown(site)
    with opened(site) as (kept, store):
        done = past.restore(kept, store, revision, path)
    return _tell(done, "Restored")


def undo(*, revision: str, key: str, leave_conflicts: bool, site: Path) -> int:
    """Take back one change, or what one key did."""
    if bool(revision) == bool(key):
        raise click.UsageError("Name what to undo: a REVISION that `twinpress history` shows, or --key KEY.")
    _refuse_unknown(site)
    with opened(site) as (kept, store):
        if revision:
            done, plan = past.undo_revision(kept, store, revision, leave_conflicts=leave_conflicts)
        else:
            done, plan = _undo_key(kept, store, site, key, leave_conflicts=leave_conflicts)
    for conflict in plan.conflicts:
        console.line(f"{conflict.path}: conflict: somebody else has changed {', '.join(conflict.files)}")
    if plan.conflicts and not leave_conflicts:
        many = counted(len(plan.conflicts), "conflict")
        console.note(f"Nothing was undone because of {many}. With --leave-conflicts the rest is undone.")
        return CONFLICT
    _tell(done, "Undone")
    return CONFLICT if plan.conflicts else 0


def _undo_key(
    kept: History, store: ContentStore, site: Path, key: str, *, leave_conflicts: bool
) -> tuple[Restored, past.UndoPlan]:
    try:
        return past.undo(kept, store, key, leave_conflicts=leave_conflicts)
    except UnknownKey:
        found = _key_id(site, key)
        if found is None:
            raise
        return past.undo(kept, store, found, leave_conflicts=leave_conflicts)


@contextmanager
def opened(site: Path) -> Iterator[tuple[History, ContentStore]]:
    """A site and its history, in which the change that comes is to be."""
    with History(site / STATE) as kept, ContentStore(site, kept) as store:
        yield kept, store


def _refuse_unknown(site: Path) -> None:
    """A site without history is left as it is: no folder is made in it for looking."""
    if not (site / STATE / "history").is_dir():
        raise TwinpressError(
            "there is no history here yet",
            path=console.nearby(site),
            hint="it begins with the first change through Twinpress; --site names another site",
        )


def _key_id(site: Path, name: str) -> str | None:
    """The id of the key that the commands about keys know by this name; the history knows ids and labels."""
    if not (site / STATE / DATABASE).exists():
        return None
    try:
        with local_database(site) as database:
            return SiteKeys(database).find(local_site(database), name).id
    except (KeyNotFound, DatabaseError):
        return None


def _show(found: Iterable[Revision]) -> None:
    out = console.results()
    for each in found:
        when = datetime.fromtimestamp(each.time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        who = (visible(_who(each)), "bold")
        out.print(Text.assemble((each.id[:SHORT], "yellow"), f"  {when}  ", who, f"  {_what(each)}"))


def _who(each: Revision) -> str:
    note = each.note
    if note.key:
        return f"{note.label} (key {note.key})" if note.label else f"key {note.key}"
    return "outside" if each.outside else note.label or "command line"


def _what(each: Revision) -> str:
    if each.note.act == "begin":
        at_first = "its history began" if not each.note.about else "files came into its history"
        return f"the site as it was when {at_first}"
    if each.note.act:
        return visible(f"{each.note.act} {each.note.about}")
    if not each.files:
        return visible(f"folders {', '.join((*each.made, *each.gone))}")
    named = [f"{SIGNS[file.change]}{file.file}" for file in each.files[:FILES_NAMED]]
    more = len(each.files) - len(named)
    return visible(" ".join(named)) + (f" and {counted(more, 'more file')}" if more else "")


def _tell(done: Restored, word: str) -> int:
    for file in done.changed:
        console.line(f"{file}: {word.lower()}")
    for file in done.removed:
        console.line(f"{file}: removed")
    for file in done.missing:
        console.line(f"{file}: stays as it is; the bytes that it had then are not kept any more")
    files = len(done.changed) + len(done.removed)
    console.note(f"{word}: {counted(files, 'file')}." if files else "Everything is like that already.")
    return 0
