"""When each source was last changed, from the git history of a site that somebody keeps in a repository.

git itself is asked: it reads ten thousand commits in the time that a library in Python needs for a hundred.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from builder.diagnostics import Diagnostic

_FOLDERS = ("docs", "pages")
_SECONDS = 20
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
"""Nothing is written into the repository, fetched for it, or asked of anybody."""
_MARK = "\x01"


@dataclass(frozen=True, slots=True)
class Updated:
    """`dates` gives the day, as `2026-11-21`, of a file such as `docs/guide/install.mdx`, in UTC."""

    dates: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def last_changes(root: Path) -> Updated:
    """The days on which the files of the site in `root` were last committed. Total.

    There are none without git or outside a repository. A shallow clone does not know them and says so:
    there, all files seem to have come with the last commit.
    """
    asked = _git(root, "rev-parse", "--is-shallow-repository", "HEAD")
    shallow, _, head = asked.strip().partition("\n")
    if not head:
        return Updated()
    if shallow == "true":
        message = "the clone is shallow, so pages do not tell when they were last updated"
        hint = "fetch the whole history, or write `last_updated: false`"
        return Updated(diagnostics=(Diagnostic("site.yml", 0, 0, "history-shallow", message, hint),))
    return Updated(_dates(root, head))


@lru_cache(maxsize=4)
def _dates(root: Path, head: str) -> Mapping[str, str]:
    """The same for one state of the history, which a preview asks for again and again."""
    text = _git(
        root, "-c", "log.showSignature=false", "log", "-z", f"--format=%x{ord(_MARK):02x}%ct",
        "--name-only", "--no-renames", "--relative", head, "--", *_FOLDERS,
    )  # fmt: skip
    dates: dict[str, str] = {}
    for commit in text.split(_MARK)[1:]:
        stamp, _, names = commit.partition("\0")
        if stamp.strip().isdecimal():
            day = datetime.fromtimestamp(int(stamp), UTC).date().isoformat()
            for name in names.strip("\n\0").split("\0"):
                dates.setdefault(name, day)
    return dates


def _git(root: Path, *arguments: str) -> str:
    """What git answers; nothing when it fails or is not there."""
    command = ["git", *arguments]
    environment = {**os.environ, **_QUIET}
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are our own
            command, cwd=root, env=environment, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
