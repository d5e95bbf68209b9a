"""Publish a site without the service: build it, compare it with what readers have, and make the release.

Nothing is published when the site has errors, or when addresses would vanish that readers have: whoever runs
it sees which, and may say that they may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from builder.build import Result
from builder.config import load as load_config
from builder.errors import OutputError
from builder.plan.vanished import Vanished
from builder.report import counted
from builder.site import CONFIG_FILE
from builder.store import failures
from builder.version import VERSION
from server.static_targets.former_site import FormerSite, of_folder
from server.static_targets.git_branch import (
    LISTED,
    BranchRelease,
    BranchTarget,
    fetched_branch,
    release_message,
    source_of,
)
from server.static_targets.release_folder import FolderRelease, ReleaseFolder
from server.static_targets.static_output import AddressesOutput, StaticOutput
from server.static_targets.target_repository import remote_of
from server.static_targets.vanished_findings import vanished_since

Target = ReleaseFolder | BranchTarget
StaticRelease = FolderRelease | BranchRelease
Sink = AddressesOutput | StaticOutput
Build = Callable[[Sink], Result]
Judge = Callable[[Result, Vanished, "FormerSite | None"], bool]
State = Literal["published", "unchanged", "refused", "rehearsed"]

_LONGEST_CONFIG = 4 * 1024 * 1024


class StaticOrder(Struct, frozen=True):
    """A site that is to be published. `build` builds it into a sink.

    `judge` is shown what the build has to say and what would vanish, and says whether it may be published.
    """

    site: Path
    build: Build
    judge: Judge
    keep: int
    is_trusted: bool


class StaticOutcome(Struct, frozen=True):
    """The end of it. `release` is a number, or the id of a commit; `deleted` are old releases.

    `changed` of its files are not as they were, or were not there, or are there no more.
    """

    state: State
    release: str = ""
    files: int = 0
    changed: int = 0
    deleted: tuple[int, ...] = ()


def target_at(named: str, site: Path, *, is_trusted: bool) -> Target:
    """Return the target that is named: a folder, or git:REMOTE#BRANCH. Raises OutputError."""
    if not named.startswith("git:"):
        return ReleaseFolder(Path(named))
    remote, mark, branch = named.removeprefix("git:").rpartition("#")
    if not mark or not remote or not branch:
        hint = "write git:REMOTE#BRANCH, such as git:origin#gh-pages"
        raise OutputError(f"`{named}` names no branch", hint=hint)
    return BranchTarget(remote_of(remote, site, is_trusted=is_trusted), branch)


def url_of(site: Path) -> str:
    """Return the address in `site.yml`, "" for none. Raises StorageError."""
    file = site / CONFIG_FILE
    with failures.reading(CONFIG_FILE):
        try:
            with file.open("rb") as opened:
                return load_config(opened.read(_LONGEST_CONFIG))[0].url or ""
        except FileNotFoundError:
            return ""  # the build says what is missing


def publish_static(order: StaticOrder, target: Target) -> StaticOutcome:
    """Publish a site. Raises TwinpressError."""
    if isinstance(target, ReleaseFolder):
        return _into_folder(order, target)
    return _to_branch(order, target)


def rehearse_static(order: StaticOrder, target: Target) -> StaticOutcome:
    """Build and compare a site, and publish nothing. Raises TwinpressError."""
    if isinstance(target, ReleaseFolder):
        target.refuse_build()
    former, output = former_site(target, url_of(order.site)), AddressesOutput()
    return StaticOutcome("rehearsed" if _allowed(order, former, output) else "refused")


def former_site(target: Target, url: str) -> FormerSite | None:
    """Return what readers of a target have; None for nothing. Raises TwinpressError."""
    if isinstance(target, ReleaseFolder):
        return _of_folder(target, url)
    with fetched_branch(target) as branch:
        return branch.former(url)


def roll_back(target: Target, site: Path, number: int | None) -> str:
    """Give readers a former release, and return what they have now. Raises TwinpressError."""
    if isinstance(target, ReleaseFolder):
        with target.locked(site):
            return f"release {target.roll_back(number)}"
    with fetched_branch(target, depth=LISTED) as branch:
        found = branch.return_to(number)
        branch.push()
        return f"release {found.number}" if found.number else f"commit {found.commit[:10]}"


def _into_folder(order: StaticOrder, target: ReleaseFolder) -> StaticOutcome:
    target.refuse_build()
    with target.locked(order.site), target.staged() as output:
        former = _of_folder(target, url_of(order.site))
        result = _allowed(order, former, output)
        if result is None:
            return StaticOutcome("refused")
        changed = output.count_new()
        if former is not None and not changed:
            return StaticOutcome("unchanged", str(target.current))
        release = target.publish(output, result.pages, _source(order))
        deleted = tuple(target.delete_old(order.keep))
        return StaticOutcome("published", str(release.number), release.files, changed, deleted)


def _to_branch(order: StaticOrder, target: BranchTarget) -> StaticOutcome:
    url = url_of(order.site)
    with fetched_branch(target) as branch:
        former, output = branch.former(url), StaticOutput(branch.work)
        result = _allowed(order, former, output)
        if result is None:
            return StaticOutcome("refused")
        pages = counted(result.pages, "page")
        message = release_message(
            branch.next_number, _source(order), f"{pages}, built by Twinpress {VERSION}."
        )
        if not branch.commit(output, url, message):
            return StaticOutcome("unchanged", branch.tip)
        return StaticOutcome("published", branch.push(), output.files, branch.count_changed())


def _allowed(order: StaticOrder, former: FormerSite | None, output: Sink) -> Result | None:
    """Build the site; None when it may not be published."""
    result = order.build(output)
    lost = Vanished()
    if former is not None:
        lost = vanished_since(former, output.addresses, order.site, asks_git=order.is_trusted)
    return result if order.judge(result, lost, former) else None


def _of_folder(target: ReleaseFolder, url: str) -> FormerSite | None:
    number = target.current
    if not number:
        return None
    release = target.get(number)
    return FormerSite(f"release {number}", of_folder(target.path(number), url), release.source)


def _source(order: StaticOrder) -> str:
    return source_of(order.site) if order.is_trusted else ""


def releases(target: Target) -> tuple[StaticRelease | None, Sequence[StaticRelease]]:
    """Return the release that readers have, and all, the newest first. Raises TwinpressError."""
    if isinstance(target, ReleaseFolder):
        found, current = target.releases(), target.current
        return next((each for each in found if each.number == current), None), found
    with fetched_branch(target, depth=LISTED) as branch:
        commits = branch.releases()
        return (commits[0] if commits else None), commits
