"""Messages of commands that cannot be carried out: the fault, its place, and the way out."""

from __future__ import annotations

import errno
import io
import os
import traceback

import click

from builder.errors import TwinpressError
from builder.redaction import redacted
from builder.report.visible_text import visible
from builder.store.failures import FULL
from builder.store.reserve import is_full
from server.process.faults import describe

_NO_FOLDER = frozenset({errno.ENOTDIR, errno.EEXIST})
_IN_THE_WAY = "a file is where a folder belongs: move it away"
TRACEBACK = "TWINPRESS_TRACEBACK"


def explain(error: TwinpressError) -> None:
    """An error that a person can mend."""
    place = f"{error.path}: " if error.path else ""
    code = f" [{error.code}]" if error.code else ""
    _say(f"{place}{error.message}{code}", error.hint)


def refused(error: OSError) -> None:
    """The operating system said no, outside of what the builder turns into an error of its own."""
    place = f"{error.filename}: " if error.filename else ""
    hint = _IN_THE_WAY if error.errno in _NO_FOLDER else FULL if is_full(error) else ""
    _say(f"{place}{error.strerror or error}", hint)


def crashed(error: Exception) -> None:
    """A fault of ours. The traceback is for those who ask for it."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    _say(
        f"Twinpress failed: {describe(error)}",
        f"this is a fault of Twinpress; please report it with the output of `{TRACEBACK}=1 twinpress ...`",
    )


def misused(error: click.ClickException) -> None:
    """Wrong usage, in click's own words; what was typed may be a key in the wrong place."""
    said = io.StringIO()
    error.show(said)
    click.echo(_shown(said.getvalue()), err=True, nl=False)


def _shown(text: str) -> str:
    """The text without keys: terminals and the logs of CI are read by others."""
    return redacted(text)


def _say(message: str, hint: str) -> None:
    color = False if os.environ.get("NO_COLOR") else None
    click.echo(click.style("error: ", fg="red", bold=True) + visible(_shown(message)), err=True, color=color)
    if hint:
        click.echo(f"  {visible(_shown(hint))}", err=True, color=color)
