"""The messages of `twinpress pull` and `twinpress push` at their end, for people and for programs."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

import msgspec

from builder.diagnostics import Diagnostic
from builder.report import Line, Problem, Style, counted, to_lines, visible
from builder.report.source_frame import SourceReader, excerpt
from builder.store import ContentStore
from server.cli.terminal import console
from server.source_lines import reader
from server.sync.run_sync import SyncOutcome
from server.sync.sync_desk import Direction
from server.sync.sync_report import Done, Said, SyncConflict, SyncReport

SHOWN = 20
"""Conflicts whose differences are shown."""
NAMED = 10
"""Names in one list."""
_STYLES: dict[str, Style] = {"+": "hint", "-": "error", "@": "gutter"}
_NAMES = ("--- ", "+++ ")
_LEVELS = ("error", "warning", "info")


def write_json(direction: Direction, outcome: SyncOutcome, *, rehearsal: bool) -> None:
    """Write one object with everything."""
    report = outcome.report
    record = {
        "command": direction,
        "dry_run": rehearsal,
        "service": outcome.service,
        "site": outcome.site,
        "done": _sorted(report.done),
        "conflicts": _sorted(report.conflicts),
        "refused": _sorted(report.refused),
        "changed_on_the_other_side": sorted(set(report.other)),
        "not_deleted": sorted(set(report.unpruned)),
        "not_compared": dict(sorted(report.unread.items())),
        "stayed_behind": report.stayed,
        "diagnostics": msgspec.to_builtins(_said(report)),
    }
    console.write(json.dumps(record, indent=1) + "\n")


def _sorted(records: Iterable[object]) -> object:
    return msgspec.to_builtins(sorted(records, key=attrgetter("path")))


def _said(report: SyncReport) -> list[Said]:
    found = [each for said in report.said.values() for each in said]
    return sorted(found, key=attrgetter("file", "line", "column", "code"))


def show(direction: Direction, report: SyncReport, site: Path, *, rehearsal: bool) -> None:
    """Print changes, conflicts and diagnostics as results, and what is left to do beside them."""
    would = "would be " if rehearsal else ""
    for done in sorted(report.done, key=attrgetter("path", "kind")):
        console.line(_change(done, would))
    for refused in sorted(report.refused, key=attrgetter("path")):
        code = f" [{refused.code}]" if refused.code else ""
        console.line(f"{refused.path}: refused: {refused.message}{code}")
    conflicts = sorted(report.conflicts, key=attrgetter("path", "kind"))
    console.lines(line for at, each in enumerate(conflicts) for line in _conflict(each, whole=at < SHOWN))
    _show_said(report, site)
    for note in _notes(direction, report, site):
        console.note(note)


def _change(done: Done, would: str) -> str:
    if done.kind == "category":
        return f"{done.path}: category {would}set: {', '.join(done.fields)}"
    return f"{done.path}: {would}{done.action}"


def _conflict(conflict: SyncConflict, *, whole: bool) -> Iterator[Line]:
    what = "conflict" if conflict.kind == "page" else "category: conflict"
    yield ((f"{conflict.path}: ", "place"), (what, "error"), (f": {visible(conflict.message)}", "message"))
    if whole:
        for line in conflict.diff.split("\n")[:-1]:
            yield (
                (visible(line), "message" if line.startswith(_NAMES) else _STYLES.get(line[:1], "source")),
            )


def _show_said(report: SyncReport, site: Path) -> None:
    found = _said(report)
    if found:
        with ContentStore(site) as store:
            read = reader(store)
            problems = [_problem(each, read) for each in found]
            console.lines(to_lines(problems, console.prefix(site, Path.cwd())))


def _problem(said: Said, read: SourceReader) -> Problem:
    place = Diagnostic(said.file, said.line, said.column, said.code, said.message, said.hint)
    frame = excerpt(place, read)
    level = said.level if said.level in _LEVELS else "info"
    texts = visible(place.message), visible(place.hint), visible(said.file)
    shown = (frame.text, frame.caret) if frame else ("", -1)
    return Problem(level, visible(said.code), *texts, said.line, said.column, *shown)


def _notes(direction: Direction, report: SyncReport, site: Path) -> Iterator[str]:
    other, this = ("there", "here") if direction == "push" else ("here", "there")
    command = "pull" if direction == "push" else "push"
    if report.lacks_settings:
        yield (
            "The folder has no site.yml, which does not travel: write one, with the title of the site. "
            "sidebar.yml and other files are in the site's export."
        )
    if report.stayed:
        yield f"Stayed behind, as only pages and categories travel: {_named(report.stayed)}."
    for name, why in sorted(report.unread.items()):
        yield f"Left alone: {name}: {why}"
    if report.unpruned:
        yield f"Deleted {this}, and still {other} without --prune: {_named(report.unpruned)}."
    if report.other:
        yield f"Changed {other} alone, for `twinpress {command}`: {_named(report.other)}."
    for path in report.unmatched:
        yield f"There is no conflict at {path}."
    if report.conflicts:
        yield _way_out(direction, report, site)
    if len(report.conflicts) > SHOWN:
        yield f"The differences of the first {SHOWN} are shown; --format json has all."


def _way_out(direction: Direction, report: SyncReport, site: Path) -> str:
    folder = "" if console.nearby(site) == "." else f"{shlex.quote(str(site))} "
    first = min(each.path for each in report.conflicts)
    side = "ours" if direction == "push" else "theirs"
    return (
        f"{counted(len(report.conflicts), 'conflict')}; both sides are as they were. Settle each with "
        f"--ours PATH, for the folder's side (edit it first where both belong in), or with --theirs PATH, "
        f"for the service's: `twinpress {direction} {folder}--{side} {first}`."
    )


def _named(names: Sequence[str]) -> str:
    found = sorted(set(names))
    more = f" and {len(found) - NAMED:,} more (--format json has all)" if len(found) > NAMED else ""
    return ", ".join(found[:NAMED]) + more


def conclude(direction: Direction, outcome: SyncOutcome, *, rehearsal: bool) -> None:
    """Tell the person in front of the terminal in one line what was done."""
    console.note(_summary(direction, outcome, rehearsal=rehearsal))


def _summary(direction: Direction, outcome: SyncOutcome, *, rehearsal: bool) -> str:
    report = outcome.report
    counts = Counter(done.action for done in report.done)
    parts = [
        f"{counted(counts[act], 'page')} {act}" for act in ("created", "replaced", "deleted") if counts[act]
    ]
    if counts["set"]:
        parts.append(f"{counts['set']:,} {'category' if counts['set'] == 1 else 'categories'} set")
    if report.refused:
        parts.append(f"{len(report.refused):,} refused")
    where = f"to {outcome.service}" if direction == "push" else f"from {outcome.service}"
    if not parts:
        word = "Nothing to push" if direction == "push" else "Nothing to pull"
        return f"{word} {where}."
    word = {"push": "Pushed", "pull": "Pulled"}[direction]
    return f"{f'Would have {word.lower()}' if rehearsal else word} {where}: {', '.join(parts)}."
