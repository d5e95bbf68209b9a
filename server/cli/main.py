"""The entry point: runs a command and turns whatever ends it into a message and an exit code.

0    done, nothing wrong
1    the site has errors (with --strict: or warnings) or would lose addresses, a link to
     another host is broken, an undo, push or pull has
     conflicts, a backup lacks databases
2    it could not be done: wrong usage, no site there, no room on the disk
70   a fault of Twinpress itself
130  stopped with Ctrl+C (`serve` and `host`: 0, their normal end)
141  nobody reads the output any more
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from builder.errors import TwinpressError
from server.cli import loading
from server.cli.commands.commands import twinpress

FAILED, BROKEN, INTERRUPTED = 2, 70, 130


def run() -> NoReturn:
    """Run the command line and end the process, without freeing one by one the values that a build made."""
    try:
        code = main()
        if code != INTERRUPTED:
            atexit._run_exitfuncs()
        code = _written_out(code)
    except KeyboardInterrupt:
        code = INTERRUPTED  # pressed again, while the first time was being heeded
    os._exit(code)


def _written_out(code: int) -> int:
    """Write out what is left of the output; the exit code is another one where that cannot be done."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        return loading.UNREAD
    except OSError as error:
        if code != FAILED:  # else it has been told
            with suppress(OSError):
                loading.tell("refused", error)
        return FAILED
    return code


def main() -> int:
    """Run the command line in `sys.argv` and return the exit code."""
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character gets its number
            stream.reconfigure(errors="backslashreplace")
    try:
        code = twinpress.main(prog_name="twinpress", standalone_mode=False)
    except click.ClickException as error:
        loading.tell("misused", error)
        return FAILED
    except click.Abort:
        return INTERRUPTED
    except TwinpressError as error:
        loading.tell("explain", error)
        return FAILED
    except OSError as error:
        loading.tell("refused", error)
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last resort; it says so and asks for a report
        loading.tell("crashed", error)
        return BROKEN
    return code if isinstance(code, int) else 0


def _open_closed() -> None:
    """Open the streams that were closed by whoever started this: a file of a site would get their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - until the end
