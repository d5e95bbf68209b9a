"""Dates of each source's last change, from the git history of a site that somebody keeps in a repository.

git itself is asked: it reads ten thousand commits in the time that a library in Python needs for a hundred.
A repository's own configuration may name programs for git to run. What is asked here runs none of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from msgspec import Struct, field

from builder.diagnostics import Diagnostic

_FOLDERS = ("docs", "pages")
_SECONDS = 20
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    # A part that is missing would be fetched, by a program that the repository may name.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""Nothing is written into the repository, fetched for it, or asked of anybody."""
_ELSEWHERE = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
})  # fmt: skip
"""What hooks of git hand to the programs that they run, as a build may be one: it is about another place."""
_SAFE = (
    "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "log.showSignature=false", "-c", "log.showRoot=true",
)  # fmt: skip
_MARK = "\x01"


class LastChanged(Struct, frozen=True):
    """`dates` gives the day, as `2026-11-21`, of a file such as `docs/guide/install.mdx`, in UTC."""

    dates: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


class _Answer(Struct, frozen=True):
    """The answer of git; `fault` is empty when it did what it was asked to."""

    text: str
    fault: str = ""


def last_changes(root: Path) -> LastChanged:
    """The days on which the files of the site in `root` were last committed. Total.

    There are none outside a repository and before the first commit. A shallow clone does not know them, as
    all files seem to have come with its last commit, and neither does a repository that git cannot read:
    both are told.
    """
    if not _in_repository(root):
        return LastChanged()  # git would say so, too, but takes longer than to look
    asked = _git(root, "rev-parse", "--is-shallow-repository", "HEAD")
    shallow, _, head = asked.text.strip().partition("\n")
    if asked.fault:
        return LastChanged() if shallow else _unread(asked.fault)
    if shallow == "true":
        message = "the clone is shallow, so pages do not show when they were last updated"
        hint = "fetch the whole history, or write `last_updated: false`"
        return LastChanged(diagnostics=(Diagnostic("site.yml", 0, 0, "history-shallow", message, hint),))
    return _changes(root, head)


@lru_cache(maxsize=4)
def _changes(root: Path, head: str) -> LastChanged:
    """The same for one state of the history, which a preview asks for again and again."""
    answer = _git(
        root, "log", "-z", f"--format=%x{ord(_MARK):02x}%ct", "--name-only", "--no-renames", "--no-ext-diff",
        "--relative", head, "--", *_FOLDERS,
    )  # fmt: skip
    return _unread(answer.fault) if answer.fault else LastChanged(_dates(answer.text))


def _dates(text: str) -> dict[str, str]:
    """The day of each file in what git has listed, the newest commit first."""
    dates: dict[str, str] = {}
    for commit in text.split(_MARK)[1:]:
        stamp, _, names = commit.partition("\0")
        day = _day(stamp)
        for name in names.strip("\n\0").split("\0"):
            dates.setdefault(name, day)
    return {name: day for name, day in dates.items() if day}


def _day(stamp: str) -> str:
    """The day of a moment; none beyond the year 9999, which a commit may name like any other number."""
    try:
        return datetime.fromtimestamp(int(stamp), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _in_repository(root: Path) -> bool:
    """Return whether somebody keeps the folder in a repository."""
    here = root.resolve()
    return any(os.path.exists(folder / ".git") for folder in (here, *here.parents))  # noqa: PTH110 - total


def _unread(fault: str) -> LastChanged:
    message = f"git does not show when pages were last updated: {fault}"
    hint = "let git read the history, or write `last_updated: false`"
    return LastChanged(diagnostics=(Diagnostic("site.yml", 0, 0, "history-unread", message, hint),))


def _git(root: Path, *arguments: str) -> _Answer:
    """Ask git."""
    import subprocess  # noqa: PLC0415 - slow to load, and not every site is in a repository

    command = ["git", *_SAFE, *arguments]
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are our own
            command, cwd=root, env=kept | _QUIET, capture_output=True, timeout=_SECONDS, check=False
        )
    except OSError:
        return _Answer("", "it is not installed")
    except subprocess.TimeoutExpired:
        return _Answer("", f"it has not answered within {_SECONDS} seconds")
    text, said = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return _Answer(text, _fault(said) if done.returncode else "")


def _fault(said: str) -> str:
    """The line in which git says what is wrong."""
    lines = [line.removeprefix("fatal: ") for line in said.splitlines() if line.startswith("fatal: ")]
    return lines[0] if lines else "it failed"
