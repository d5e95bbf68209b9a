"""Ask whoever sits in front of the terminal before something is done that cannot be undone."""

from __future__ import annotations

import sys

import click

from builder.report import visible


def agreed(text: str) -> bool:
    """Whether the answer is yes; nothing is asked, and it counts as yes, where nobody could answer."""
    if not somebody_is_there():
        return True
    # On standard error: standard output is for results, which may go into a file.
    return click.confirm(visible(text), err=True)


def somebody_is_there() -> bool:
    """Whether a person could answer in the terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
