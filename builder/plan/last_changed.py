"""Dates of each source's last change, from the git history of a site that somebody keeps in a repository.

git itself is asked: it reads ten thousand commits in the time that a library in Python needs for a hundred.
A layer below `prepare`: it knows git, and no site.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from msgspec import Struct, field

from builder.diagnostics import Diagnostic
from builder.plan.ask_git import ask

_FOLDERS = ("docs", "pages")
_MARK = "\x01"
LISTING = ("log", "-z", f"--format=%x{ord(_MARK):02x}%ct", "--name-only", "--no-renames", "--no-ext-diff")
"""Has git list the files of each commit."""
_STATE = ("rev-parse", "--is-shallow-repository", "HEAD")
"""Has git name the last commit, and whether it knows those before."""


class LastChanged(Struct, frozen=True):
    """`dates` gives the day, as `2026-11-21`, of a file such as `docs/guide/install.mdx`, in UTC."""

    dates: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def last_changes(root: Path) -> LastChanged:
    """The days on which the files of the site in `root` were last committed. Total.

    There are none outside a repository and before the first commit. A shallow clone does not know them, as
    all files seem to have come with its last commit, and neither does a repository that git cannot read:
    both are told.
    """
    if not _in_repository(root):
        return LastChanged()  # git would say so, too, but takes longer than to look
    asked = ask(root, *_STATE)
    shallow, _, head = asked.text.strip().partition("\n")
    if asked.fault:
        return LastChanged() if shallow else _unread(asked.fault)
    if shallow == "true":
        message = "the clone is shallow, so pages do not show when they were last updated"
        hint = "fetch the whole history, or write `last_updated: false`"
        return LastChanged(diagnostics=(Diagnostic("site.yml", 0, 0, "history-shallow", message, hint),))
    return _changes(root, head)


def history_state(root: Path) -> tuple[str, str]:
    """Return what tells whether `last_changes` could be others by now: while it stays, they are the same."""
    if not _in_repository(root):
        return "", ""
    asked, replaced = ask(root, *_STATE, "--show-prefix"), ask(root, "for-each-ref", "refs/replace")
    return f"{asked.text}{replaced.text}", f"{asked.fault}{replaced.fault}"


@lru_cache(maxsize=4)
def _changes(root: Path, head: str) -> LastChanged:
    """The same for one state of the history, which a preview asks for again and again."""
    answer = ask(root, *LISTING, "--relative", head, "--", *_FOLDERS)
    return _unread(answer.fault) if answer.fault else LastChanged(days_of(answer.text))


def days_of(text: str) -> dict[str, str]:
    """The day of each file in what git has listed by `LISTING`, the newest commit first."""
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
