"""`twinpress publish`, and `twinpress check --against`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from builder import report
from builder.build import Result
from builder.cache import Use
from builder.output import Output
from builder.plan.addresses import Addresses
from builder.plan.options import Options
from builder.plan.vanished import Vanished
from builder.report import counted
from builder.site import Plan
from server.cli.actions.build_site import FATAL, check, options_of, show
from server.cli.actions.build_site import run as build_site
from server.cli.actions.executor import dask_executor, tell_rendered
from server.cli.actions.shared_cache import check_verified, shared_cache, tell_used
from server.cli.terminal import console
from server.static_targets import publish_static
from server.static_targets.former_site import FormerSite, site_at, site_at_commit
from server.static_targets.git_branch import BranchRelease, BranchTarget
from server.static_targets.publish_static import StaticOrder, StaticOutcome, Target
from server.static_targets.release_folder import FolderRelease, ReleaseFolder
from server.static_targets.static_output import AddressesOutput
from server.static_targets.vanished_findings import ADDRESS, findings, redirect_lines, vanished_since

if TYPE_CHECKING:
    from builder.cache.shared_cache import SharedCache
    from server.dask_executor.executor import DaskExecutor

KEEP = 10
FAILED = 1


class _Wishes(Struct, frozen=True):
    """The wishes of whoever publishes."""

    form: str
    strict: bool
    allow_vanished: bool
    despite_errors: bool


def run(
    *,
    site: Path,
    target: str,
    keep: int | None,
    listed: bool,
    number: int | None,
    allow_vanished: bool,
    despite_errors: bool,
    dry_run: bool,
    plan: Plan | None,
    strict: bool,
    form: str,
    jobs: int | None,
    executor: str,
    no_cache: bool,
    cache_from: str,
    cache_to: str,
    verify_cache: float,
    safe: bool,
    include_roots: tuple[Path, ...],
) -> int:
    """Publish a site, list its releases, or roll back."""
    place = publish_static.target_at(target, site, is_trusted=not safe)
    _check_usage(place, keep, listed=listed, rolls_back=number is not None, dry_run=dry_run)
    if listed:
        return _list(place, form)
    if number is not None:
        console.note(
            f"Readers have {publish_static.roll_back(place, site, number or None)} of {_name(place)}."
        )
        return 0
    cache: Use = "no" if no_cache else "keep"
    options = options_of(plan, cache, jobs, safe=safe, include_roots=include_roots)
    options = replace(options, verify_cache=verify_cache)
    check_verified(verify_cache, no_cache=no_cache, safe=safe)
    shared = shared_cache(cache_from, cache_to, site, no_cache=no_cache, safe=safe)
    wishes = _Wishes(form, strict, allow_vanished, despite_errors)
    order = StaticOrder(
        site,
        partial(_built, site, options, shared, dask_executor(executor, jobs, shared, cache_to)),
        partial(_judge, site, wishes),
        keep or KEEP,
        not safe,
    )
    done = (publish_static.rehearse_static if dry_run else publish_static.publish_static)(order, place)
    console.note(_summary(done, place))
    return FAILED if done.state == "refused" else 0


def _built(
    site: Path,
    options: Options,
    shared: SharedCache | None,
    executor: DaskExecutor | None,
    output: Output,
) -> Result:
    result = build_site(site, output, options, shared, executor)
    tell_used(shared, result)
    tell_rendered(executor)
    return result


def _check_usage(place: Target, keep: int | None, *, listed: bool, rolls_back: bool, dry_run: bool) -> None:
    if listed + rolls_back + dry_run > 1:
        raise click.UsageError("--list, --roll-back and --dry-run cannot be combined: choose one of them.")
    if keep is not None and isinstance(place, BranchTarget):
        raise click.UsageError("--keep is for folders: a branch keeps its commits.")


def check_against(against: str, **parameters: Any) -> int:
    """Say what is wrong with a site, and what it would lose that another state of it has."""
    return check(**parameters, checked=partial(_compared, against))


def _compared(against: str, site: Path, options: Options) -> Result:
    url, is_trusted = publish_static.url_of(site), options.trusted
    if against.startswith("git:") and "#" not in against:
        former: FormerSite | None = _at_commit(site, options, against.removeprefix("git:"))
    elif against.startswith("git:"):
        target = publish_static.target_at(against, site, is_trusted=is_trusted)
        former = publish_static.former_site(target, url)
    else:
        former = site_at(against, url)
    output = AddressesOutput()
    result = build_site(site, output, options)
    if former is None:
        console.note(f"Nothing is published at {against} yet, so that nothing can vanish.")
        return result
    lost = vanished_since(former, output.addresses, site, asks_git=is_trusted)
    for line in _redirects(lost):
        console.note(line)
    return _with_findings(result, site, former, lost)


def _at_commit(site: Path, options: Options, ref: str) -> FormerSite:
    """Return what a commit would give to readers. Nothing of its folder `theme` is run."""
    if not options.trusted:
        raise click.UsageError("--against git:COMMIT asks git, and --safe leaves git alone: use one of them.")
    if not ref:
        raise click.UsageError("--against git: names neither a commit nor a branch: write git:COMMIT.")

    def build(folder: Path) -> Addresses:
        output = AddressesOutput()
        build_site(folder, output, Options(plan=options.plan, jobs=options.jobs))
        return output.addresses

    return site_at_commit(ref, site, build)


def _with_findings(result: Result, site: Path, former: FormerSite, lost: Vanished) -> Result:
    found = sorted({*result.diagnostics, *findings(site, former, lost)})
    return replace(result, diagnostics=tuple(found))


def _judge(site: Path, wishes: _Wishes, result: Result, lost: Vanished, former: FormerSite | None) -> bool:
    """Show what is wrong, and return whether the site may be published."""
    told = _with_findings(result, site, former, lost) if former else result
    others = tuple(each for each in told.diagnostics if each.code != ADDRESS)
    show(replace(told, diagnostics=others) if wishes.allow_vanished else told, site, wishes.form)
    has_failed = report.failed(others, FATAL[wishes.strict]) and not wishes.despite_errors
    for line in _ways_out(wishes, lost, has_failed=has_failed):
        console.note(line)
    return not has_failed and (wishes.allow_vanished or not lost.addresses)


def _ways_out(wishes: _Wishes, lost: Vanished, *, has_failed: bool) -> Iterator[str]:
    if lost.addresses and wishes.allow_vanished:
        number = len(lost.addresses)
        yield f"{'1 address' if number == 1 else f'{number:,} addresses'} will lead nowhere, as you allow."
    elif lost.addresses:
        yield from _redirects(lost)
        yield "Readers would lose addresses: redirect them in site.yml, or publish with --allow-vanished."
    if has_failed:
        found = "errors or warnings" if wishes.strict else "errors"
        yield f"The site has {found}: mend them, or publish it with --despite-errors."


def _redirects(lost: Vanished) -> Iterator[str]:
    lines = redirect_lines(lost.addresses)
    if lines:
        yield from ("Add these lines to `redirects` in site.yml:", "", "redirects:", *lines, "")


def _summary(done: StaticOutcome, place: Target) -> str:
    name = _name(place)
    if done.state == "refused":
        return f"Nothing was published to {name}."
    if done.state == "rehearsed":
        return f"This would be published to {name}. Nothing was changed."
    if isinstance(place, BranchTarget):
        if done.state == "unchanged":
            return f"Nothing to publish: {name} has these very files, in commit {done.release[:10]}."
        return f"Published as commit {done.release[:10]} to {name}: {_files(done)}."
    if done.state == "unchanged":
        return f"Nothing to publish: release {done.release} in {name} has these very files."
    deleted = f" Deleted {counted(len(done.deleted), 'old release')}." if done.deleted else ""
    return f"Published release {done.release} in {name}: {_files(done)}.{deleted}"


def _files(done: StaticOutcome) -> str:
    return f"{counted(done.files, 'file')}, {done.changed:,} changed"


def _name(place: Target) -> str:
    return console.nearby(place.folder) if isinstance(place, ReleaseFolder) else str(place)


def _list(place: Target, form: str) -> int:
    """Print the releases, the newest first."""
    current, found = publish_static.releases(place)
    if form == "json":
        records = [msgspec.to_builtins(each) | {"current": each is current} for each in found]
        console.write(json.dumps(records, indent=1) + "\n")
        return 0
    for each in found:
        console.line(_line(each, is_current=each is current))
    if not found:
        console.note(f"Nothing is published to {_name(place)} yet.")
    return 0


def _line(release: FolderRelease | BranchRelease, *, is_current: bool) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(release.created_at))
    if isinstance(release, FolderRelease):
        about = f"{counted(release.pages, 'page')}, {counted(release.files, 'file')}" if release.files else ""
    else:
        about = f"{release.commit[:10]}  {release.subject}"
    return f"{'*' if is_current else ' '} {release.number or '-':>4}  {when}  {about}".rstrip()
