"""`twinpress import`: a site of another system, written anew as one of Twinpress."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import msgspec
from rich.text import Text

from builder.importer.check_import import CheckedImport, check_import
from builder.importer.loss_report import LossReport, markdown, ranked
from builder.importer.new_site import import_site
from builder.importer.old_site import System
from builder.importer.page_work import Choices
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.known_systems import rules_for
from builder.importer.write_site import RECORD, REPORT, check_free, new_folder, take_place, write_site
from builder.report import counted
from server.cli.terminal import console
from server.cli.terminal.progress import Bar

LOST = 1
_MOST_SHOWN = 12


def run(
    *,
    system: System | None,
    source: Path,
    dest: Path,
    root: Path | None,
    url: str,
    versions: tuple[str, ...],
    locales: tuple[str, ...],
    dry_run: bool,
    report: Path | None,
) -> int:
    """Import a site, and say what is not as it was."""
    check_free(dest)
    choices = Choices(versions, locales, url)
    with ExitStack() as stack, Bar("Importing") as bar:
        origin = stack.enter_context(_origin(source, root))
        rules = rules_for(origin, system, console.nearby(source))
        new = import_site(origin, rules, choices, lambda _, done, total: bar.update(done, total))
        folder = new_folder(dest)
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        write_site(new, origin, folder, lambda _, done, total: bar.update(done, total))
        checked = check_import(new, folder, bar.update)
        _write_reports(checked, folder, report)
        if not dry_run:
            take_place(folder, dest)
    _show(checked, dest, dry_run=dry_run)
    return 0 if checked.report.is_whole else LOST


def _origin(source: Path, root: Path | None) -> SourceTree:
    """Open the folder of the old site: what may be read is `root`, or the git work tree round it."""
    if not source.is_dir():
        hint = "name the folder with the configuration of the site"
        raise NoSource("there is no folder", path=console.nearby(source), hint=hint)
    place = source.resolve()
    outer = root.resolve() if root is not None else _work_tree(place)
    if not place.is_relative_to(outer):
        raise NoSource("the folder is not in --root", path=console.nearby(source), hint="name one round it")
    base = place.relative_to(outer).as_posix()
    return SourceTree(outer, "" if base == "." else base)


def _work_tree(place: Path) -> Path:
    return next((each for each in (place, *place.parents) if (each / ".git").exists()), place)


def _write_reports(checked: CheckedImport, folder: Path, report: Path | None) -> None:
    text = markdown(checked.report)
    data = msgspec.json.format(msgspec.json.encode(checked.report), indent=1)
    (folder / REPORT).write_text(text)
    (folder / RECORD).write_bytes(data + b"\n")
    if report is not None:
        report.write_bytes(data + b"\n" if report.suffix == ".json" else text.encode())


def _show(checked: CheckedImport, dest: Path, *, dry_run: bool) -> None:
    report, out = checked.report, console.results()
    _show_losses(report)
    did = "would be" if dry_run else "are"
    out.print(
        Text.assemble(
            (counted(len(report.pages), "page"), "bold"),
            f" of {report.system} {did} in {console.nearby(dest)}.",
        )
    )
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
