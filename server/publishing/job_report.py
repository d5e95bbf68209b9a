"""The news of a job, in a file: any process of the service can show them while another one publishes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from builder.diagnostics import Diagnostic
from server.publishing.build_order import BuildEvent
from server.publishing.make_release import ReleaseNews
from server.publishing.snapshot import SiteMirror
from server.struct_types import prepare

Step = Literal["waiting", "snapshot", "pages", "files", "switch", "ended"]
STEPS: tuple[Step, ...] = ("snapshot", "pages", "files", "switch")
_FOLDER = "reports"
_MOST_LINES = 500
_MOST_LEFT_OUT = 20


class LogLine(Struct, frozen=True, array_like=True):
    """A line of the log, with its time in whole seconds since 1970, UTC."""

    at: int
    text: str


class JobReport(Struct, frozen=True):
    """Facts about a job so far: its step, pages done of all, the log, and what is wrong with the site."""

    step: Step = "waiting"
    done: int = 0
    pages: int = 0
    files: int = 0
    lines: tuple[LogLine, ...] = ()
    errors: int = 0
    warnings: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()


prepare(JobReport)


def read_report(work: Path, number: int) -> JobReport:
    """Return the report of a job; an empty one where there is none yet, or it cannot be read."""
    try:
        return msgspec.json.decode(_file(work, number).read_bytes(), type=JobReport)
    except (OSError, msgspec.DecodeError):
        return JobReport()


def forget_reports(work: Path, keep: int) -> None:
    """Delete all but the newest reports."""
    numbered = (path for path in (work / _FOLDER).glob("*.json") if path.stem.isdecimal())
    found = sorted(numbered, key=lambda path: int(path.stem))
    for path in found[:-keep]:
        path.unlink(missing_ok=True)


class Reporter:
    """Writes the report of one job, which is the receiver of what the release's maker has to tell.

    A report that cannot be written, as the disk is full, say, stops nothing: what is published tells that.
    """

    def __init__(self, work: Path, number: int, clock: Callable[[], float] = time.time) -> None:
        self._file = _file(work, number)
        self._clock = clock
        self._report = JobReport()
        with suppress(OSError):
            self._file.parent.mkdir(0o700, parents=True, exist_ok=True)

    @classmethod
    def resumed(cls, work: Path, number: int) -> Reporter:
        """Return the reporter of a job whose process has ended: its log goes on."""
        reporter = cls(work, number)
        reporter._report = JobReport(lines=read_report(work, number).lines)
        return reporter

    @property
    def audience(self) -> ReleaseNews:
        """Return the functions that are told."""
        return ReleaseNews(self._snapshot, self._progress, self.built, self._moving)

    def say(self, text: str, step: Step | None = None) -> None:
        """Add a line to the log."""
        lines = (*self._report.lines, LogLine(int(self._clock()), text))[-_MOST_LINES:]
        self._change(lines=lines, step=step or self._report.step)

    def built(self, event: BuildEvent) -> None:
        """Take the end of the build, with all that is wrong with the site."""
        self._change(
            done=event.done,
            pages=event.pages,
            files=event.files,
            errors=event.errors,
            warnings=event.warnings,
            diagnostics=event.diagnostics,
        )
        self.say(f"Built {_counted(event.pages, 'page')}, {_counted(event.files, 'file')}", "files")

    def _snapshot(self, snapshot: SiteMirror) -> None:
        # Not how many of them have changed: a rehearsal has taken most of those already.
        self.say(f"Snapshot of {_counted(snapshot.files, 'file')}", "pages")
        for path in snapshot.left_out[:_MOST_LEFT_OUT]:
            self.say(f"Left out: {path}. Its name is not valid UTF-8; rename it")
        if len(snapshot.left_out) > _MOST_LEFT_OUT:
            self.say(f"Left out: {len(snapshot.left_out) - _MOST_LEFT_OUT:,} more")

    def _progress(self, event: BuildEvent) -> None:
        self._change(done=event.done, pages=event.pages)

    def _moving(self, files: int) -> None:
        self.say("Keeping what is new among the files", "switch")

    def _change(self, **changes: object) -> None:
        self._report = msgspec.structs.replace(self._report, **changes)
        beside = self._file.with_suffix(".new")
        with suppress(OSError):
            beside.write_bytes(msgspec.json.encode(self._report))
            beside.rename(self._file)


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _file(work: Path, number: int) -> Path:
    return work / _FOLDER / f"{number}.json"
