"""Print lines and their colours. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from builder.report import Line, visible

if TYPE_CHECKING:
    from server.cli.terminal.rich_stream import Stream


def results() -> Stream:
    """Standard output; made anew, as rich looks at the stream and at NO_COLOR when it is made."""
    return _stream(stderr=False)


def notes() -> Stream:
    """Standard error."""
    return _stream(stderr=True)


def _stream(*, stderr: bool) -> Stream:
    # Loaded here, as most of what is said has no colours, and it takes as long as a small build.
    from server.cli.terminal.rich_stream import Stream  # noqa: PLC0415

    return Stream(stderr=stderr)


def lines(styled: Iterable[Line]) -> None:
    """Print styled lines as a result."""
    results().print_lines(styled)


def tell(styled: Iterable[Line]) -> None:
    """Show styled lines to the person in front of the terminal."""
    notes().print_lines(styled)


def line(text: str) -> None:
    """Print one plain line as a result."""
    _say(sys.stdout, text)


def write(text: str) -> None:
    """Write a result as it is, for a program to read."""
    sys.stdout.write(text)


def note(text: str) -> None:
    """Tell the person in front of the terminal."""
    _say(sys.stderr, text)


def _say(stream: TextIO | None, text: str) -> None:
    if stream is not None:  # closed by whoever started this
        stream.write(f"{visible(text)}\n")
        stream.flush()


def log(text: str) -> None:
    """Write a line of a running service to the person in front of the terminal.

    A terminal that does not take it must not keep a request from its answer.
    """
    with suppress(OSError):
        sys.stderr.write(f"{visible(text)}\n")


def nearby(path: Path) -> str:
    """The path as one would type it here: relative when it lies below the current folder."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would show where symlinks lead
    return str(absolute.relative_to(Path.cwd())) if absolute.is_relative_to(Path.cwd()) else str(absolute)


def prefix(site: Path, base: Path) -> str:
    """Return the prefix of the site's file names with which they can be opened from `base`."""
    folder, start = site.resolve(), base.resolve()
    if folder == start:
        return ""
    return (folder.relative_to(start) if folder.is_relative_to(start) else folder).as_posix() + "/"


def repository() -> Path:
    """Return the folder that GitHub's annotations count from: a workflow's checkout, or the current one."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
