"""Ask git about the repository that a site lies in.

A repository's own configuration may name programs for git to run. What is asked here runs none of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

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
ELSEWHERE = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
})  # fmt: skip
"""What hooks of git hand to the programs that they run, as a build may be one: it is about another place."""
_SAFE = (
    "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "log.showSignature=false", "-c", "log.showRoot=true",
)  # fmt: skip


class GitAnswer(Struct, frozen=True):
    """The answer of git; `fault` is empty when it did what it was asked to."""

    output: bytes
    fault: str = ""

    @property
    def text(self) -> str:
        """The answer as text; bytes that are no UTF-8 are replaced."""
        return self.output.decode("utf-8", "replace")


def ask(root: Path, *arguments: str, given: bytes = b"") -> GitAnswer:
    """Ask git in the folder `root`; `given` is its standard input. Total."""
    import subprocess  # noqa: PLC0415 - slow to load, and not every site is in a repository

    try:
        done = subprocess.run(  # noqa: S603 - the arguments are our own
            command(arguments),
            cwd=root,
            env=environment(),
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except OSError:
        return GitAnswer(b"", "it is not installed")
    except subprocess.TimeoutExpired:
        return GitAnswer(b"", f"it has not answered within {_SECONDS} seconds")
    return GitAnswer(done.stdout, _fault(done.stderr.decode("utf-8", "replace")) if done.returncode else "")


def command(arguments: Sequence[str]) -> Sequence[str]:
    """Return how git is run with these arguments."""
    return ("git", *_SAFE, *arguments)


def environment() -> dict[str, str]:
    """Return the environment in which git is run: nothing in it leads to another repository."""
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    return kept | _QUIET


def _fault(said: str) -> str:
    """The line in which git says what is wrong."""
    lines = [line.removeprefix("fatal: ") for line in said.splitlines() if line.startswith("fatal: ")]
    return lines[0] if lines else "it failed"
