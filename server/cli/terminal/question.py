"""Ask whoever sits in front of the terminal before something is done that cannot be undone."""

from __future__ import annotations

import os
import sys

import click

from builder.report import visible


def agreed(text: str) -> bool:
    """Return whether the answer is yes; nothing is asked, and it counts as yes, where nobody could answer."""
    if not somebody_is_there():
        return True
    # On standard error: standard output is for results, which may go into a file.
    return click.confirm(visible(text), err=True)


def somebody_is_there() -> bool:
    """Return whether a person could answer in the terminal."""
    return _has_terminal() and _is_in_front()


def _has_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _is_in_front() -> bool:
    """Return whether typed text comes here: the terminal stops a background job that reads."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return True  # no terminal that stops jobs
