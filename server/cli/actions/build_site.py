"""`twinpress build` and `twinpress check`."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from builder import report
from builder.build import Result
from builder.build import build as build_site
from builder.cache import Use
from builder.diagnostics import Level
from builder.output import FolderOutput, NullOutput, Output
from builder.plan.options import Options
from builder.site import Plan
from builder.store import ContentStore
from builder.workers.executor import Executor
from builder.workers.processors import COLLECT, SELDOM
from server.cli.actions.executor import dask_executor, tell_rendered
from server.cli.actions.include_roots import include_roots as all_roots
from server.cli.actions.shared_cache import check_verified, shared_cache, tell_used
from server.cli.terminal import console
from server.cli.terminal.progress import Bar
from server.source_lines import reader
from server.static_targets.refuse_releases import refuse_releases

if TYPE_CHECKING:
    from builder.cache.shared_cache import SharedCache

FATAL = {False: frozenset({Level.ERROR}), True: frozenset({Level.ERROR, Level.WARNING})}
"""The levels that make a command fail, by whether it is strict."""
LEFT_NAMED = 3


def build(
    *,
    site: Path,
    out: Path | None,
    plan: Plan | None,
    strict: bool,
    form: str,
    drafts: bool,
    jobs: int | None,
    executor: str,
    no_cache: bool,
    cache_from: str,
    cache_to: str,
    verify_cache: float,
    safe: bool,
    include_roots: tuple[Path, ...],
) -> int:
    """Write the site into a folder and say what is wrong with it."""
    folder = out if out is not None else site / "dist"
    refuse_releases(folder)
    cache: Use = "no" if no_cache else "keep"
    options = options_of(plan, cache, jobs, safe=safe, drafts=drafts, include_roots=include_roots)
    check_verified(verify_cache, no_cache=no_cache, safe=safe)
    shared = shared_cache(cache_from, cache_to, site, folder, no_cache=no_cache, safe=safe)
    cluster = dask_executor(executor, jobs, shared, cache_to)
    output = FolderOutput(folder, partial(_wait, folder))
    result = run(site, output, replace(options, verify_cache=verify_cache), shared, cluster)
    show(result, site, form)
    tell_rendered(cluster)
    tell_used(shared, result)
    _left(output, folder)
    console.note(f"Written to {console.nearby(folder)}")
    return int(report.failed(result.diagnostics, FATAL[strict]))


def check(
    *,
    site: Path,
    plan: Plan | None,
    strict: bool,
    form: str,
    drafts: bool,
    jobs: int | None,
    no_cache: bool,
    safe: bool,
    include_roots: tuple[Path, ...],
    codes: tuple[str, ...],
    summary: bool,
    checked: Callable[[Path, Options], Result] | None = None,
) -> int:
    """Say what is wrong with a site; with `checked` it is checked otherwise than by a build."""
    if summary and form == "github":
        raise click.UsageError("--summary is for people or JSON: GitHub shows each diagnostic at its line.")
    cache: Use = "no" if no_cache else "read"
    options = options_of(plan, cache, jobs, safe=safe, drafts=drafts, include_roots=include_roots)
    result = checked(site, options) if checked else run(site, NullOutput(), options)
    if codes:
        result = replace(result, diagnostics=tuple(one for one in result.diagnostics if one.code in codes))
    if summary:
        _summarize(result, site, form)
    else:
        show(result, site, form)
    return int(report.failed(result.diagnostics, FATAL[strict]))


def options_of(
    plan: Plan | None,
    cache: Use,
    jobs: int | None,
    *,
    safe: bool,
    drafts: bool = False,
    include_roots: tuple[Path, ...] = (),
) -> Options:
    """Return the options of a build as a command has them; `safe` ones use no cache."""
    return Options(
        plan=plan,
        drafts=drafts,
        trusted=not safe,
        jobs=jobs,
        cache="no" if safe else cache,
        include_roots=all_roots(include_roots, safe=safe),
    )


def _wait(folder: Path) -> None:
    console.note(f"Another build is writing to {console.nearby(folder)}; this one goes on when it has ended.")


def _left(output: FolderOutput, folder: Path) -> None:
    """Say which files a build left as it could not tell them to be its own, and whether the next one will."""
    here, left = console.nearby(folder), output.left
    if left:
        more = f" and {len(left) - LEFT_NAMED:,} more" if len(left) > LEFT_NAMED else ""
        console.note(
            f"{report.counted(len(left), 'file')} of an earlier build left alone: "
            f"{', '.join(left[:LEFT_NAMED])}{more}. There is no record that you made that build on this "
            f"computer. To remove old files, delete {here} and build again."
        )
    if output.fault:
        console.note(
            f"The files in {here} cannot be recorded ({output.fault}), so the next build will remove nothing "
            "there. Set XDG_STATE_HOME to a folder that can be written."
        )


def run(
    site: Path,
    output: Output,
    options: Options,
    shared: SharedCache | None = None,
    executor: Executor | None = None,
) -> Result:
    """Build a site, with a bar for those who look."""
    # A build makes many values that stay, and few circles: looking for these takes a tenth of its time.
    gc.set_threshold(COLLECT, *SELDOM)
    with Bar("Building") as bar:
        return build_site(site, output, options, bar.update, shared, executor=executor)


def show(result: Result, site: Path, form: str) -> None:
    """Diagnostics on standard output; the summary there too when people read it, else on standard error."""
    summary = report.LevelCounts.of(result.diagnostics).summary(result.pages, result.seconds)
    if form == "json":
        console.write(report.to_json(result.diagnostics))
    elif form == "github":
        console.write(report.to_github(result.diagnostics, console.prefix(site, console.repository())))
    else:
        if result.diagnostics:
            _show_text(result, site)
        console.line(summary)
        return
    console.note(summary)


def _summarize(result: Result, site: Path, form: str) -> None:
    """Write the counts by code and message on standard output, with the summary as `show` does."""
    counts = report.count_by_code(result.diagnostics)
    total = report.LevelCounts.of(result.diagnostics).summary(result.pages, result.seconds)
    if form == "json":
        console.write(report.counts_to_json(counts))
        console.note(total)
    else:
        console.lines(report.counts_to_lines(counts, console.prefix(site, Path.cwd())))
        console.line(total)


def _show_text(result: Result, site: Path) -> None:
    with ContentStore(site) as store:
        read = reader(store)
        shown = report.bounded(report.folded(result.diagnostics))
        problems = (report.Problem.of(diagnostic, read) for diagnostic in shown)
        console.lines(report.to_lines(problems, console.prefix(site, Path.cwd())))
