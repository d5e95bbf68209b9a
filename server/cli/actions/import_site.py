"""`twinpress import`: a site of another system, written anew as one of Twinpress."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
from rich.text import Text

from builder.importer.check_import import CheckedImport, check_import
from builder.importer.loss_report import LossReport, markdown, ranked
from builder.importer.new_site import import_site
from builder.importer.old_site import System
from builder.importer.page_work import Choices
from builder.importer.source_files import NoSource
from builder.importer.systems.known_systems import rules_for
from builder.importer.write_site import (
    RECORD,
    REPORT,
    REPORTS,
    SiteUpdate,
    check_free,
    new_folder,
    take_place,
    update_of,
    write_site,
)
from builder.report import counted
from server.cli.actions.import_source import open_source
from server.cli.terminal import console
from server.cli.terminal.progress import Bar

LOST = 1
_MOST_SHOWN = 12
_STEPS = {"pages": "Rewriting", "files": "Copying", "check": "Checking"}
_UNITS = {"pages": "page", "files": "file", "check": "page"}


def run(
    *,
    system: System | None,
    source: Path,
    dest: Path,
    root: Path | None,
    ref: str | None,
    url: str,
    versions: tuple[str, ...],
    locales: tuple[str, ...],
    git: str | None,
    dry_run: bool,
    force: bool,
    report: Path | None,
) -> int:
    """Import a site, and say what is not as it was."""
    check_free(dest)
    choices = Choices(versions, locales, url)
    with ExitStack() as stack, Bar("Importing") as bar:
        steps = _Steps(bar)
        opened = open_source(source, root, ref, dest)
        origin = stack.enter_context(opened.tree)
        rules = rules_for(origin, system, console.nearby(source))
        commits = opened.commits(dest) if git == "commits" else None
        with _named_from(source):
            new = import_site(origin, rules, choices, steps, *([opened.days()] if git else []))
        folder = new_folder(None if dry_run else dest)
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        files = write_site(new, origin, folder, steps)
        checked = check_import(new, folder, lambda done, total: steps("check", done, total), files)
        update = update_of(dest, checked.report.files, force=force)
        _write_reports(checked, folder, report)
        if not dry_run:
            take_place(folder, dest, update)
        if commits is not None and not dry_run and (update.written or update.deleted):
            pages = {opened.from_top(old): page.file for old, page in new.placed.pages.items()}
            commits.commit(pages, (*update.written, *REPORTS), update.deleted)
    _show(checked, dest, update, dry_run=dry_run)
    return 0 if checked.report.is_whole else LOST


@contextmanager
def _named_from(source: Path) -> Iterator[None]:
    """Name the place of a fault as the caller named SOURCE. Raises NoSource."""
    try:
        yield
    except NoSource as fault:
        place = console.nearby(source / fault.path)
        raise NoSource(fault.message, path=place, hint=fault.hint) from None


class _Steps:
    """Tells how far the import is: by a bar in a terminal, else by a line for each step."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._step = ""
        self._seen = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Take the name of a step, and how many of how many are done."""
        self._bar.update(done, total)
        if step != self._step and not self._seen:
            console.note(f"{_STEPS[step]} {counted(total, _UNITS[step])}")
        self._step = step


def _write_reports(checked: CheckedImport, folder: Path, report: Path | None) -> None:
    text = markdown(checked.report)
    data = msgspec.json.format(msgspec.json.encode(checked.report), indent=1)
    (folder / REPORT).write_text(text)
    (folder / RECORD).write_bytes(data + b"\n")
    if report is not None:
        report.write_bytes(data + b"\n" if report.suffix == ".json" else text.encode())


def _show(checked: CheckedImport, dest: Path, update: SiteUpdate, *, dry_run: bool) -> None:
    report, out = checked.report, console.results()
    _show_losses(report)
    did = "would be" if dry_run else "are"
    out.print(
        Text.assemble(
            (counted(len(report.pages), "page"), "bold"),
            f" of {report.system} {did} in {console.nearby(dest)}.",
        )
    )
    written, deleted = ("to write", "to delete") if dry_run else ("written", "deleted")
    same = len(report.files) - len(update.written)
    out.print(
        f"Files: {len(update.written):,} {written}, {len(update.deleted):,} {deleted}, {same:,} unchanged."
    )
    for file in update.left:
        out.print(f"{file} is no part of the site any more, and stays as it has been edited.")
    out.print(f"{report.answering:,} of {len(report.addresses):,} old addresses answer.")
    if report.errors:
        out.print(
            f"{counted(len(report.errors), 'error')} in the new site: "
            f"`twinpress check {console.nearby(dest)}` shows them."
        )
    if not dry_run:
        out.print(f"{console.nearby(dest / REPORT)} says what is not as it was, page by page.")


def _show_losses(report: LossReport) -> None:
    kinds = ranked(report.losses)
    for kind in kinds[:_MOST_SHOWN]:
        where = f"{kind.first.file}:{kind.first.line}" if kind.first.file else "the site"
        console.line(
            f"{kind.state}: {kind.what}: {kind.times:,} on {counted(kind.pages, 'page')}, first {where}"
        )
    if len(kinds) > _MOST_SHOWN:
        console.line(f"and {len(kinds) - _MOST_SHOWN:,} more kinds")
