"""The entry point: runs a command and turns whatever ends it into a message and an exit code.

0    done, nothing wrong
1    the site has errors (with --strict: or warnings), or an undo has conflicts
2    it could not be done: wrong usage, no site there, no room on the disk
70   a fault of Twinpress itself
130  stopped with Ctrl+C (`serve` and `host`: 0, their normal end)
141  nobody reads the output any more
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import NoReturn

import click

from builder.errors import TwinpressError
from server.cli import later
from server.cli.commands import twinpress

FAILED, BROKEN, INTERRUPTED = 2, 70, 130


def run() -> NoReturn:
    """Run the command line and end the process, without freeing one by one the values that a build made."""
    try:
        code = main()
        if code != INTERRUPTED:
            atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED  # pressed again, while the first time was being heeded
    except OSError:
        sys.exit(code)  # the interpreter says what became of the output
    os._exit(code)


def main() -> int:
    """Run the command line in `sys.argv` and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character gets its number
            stream.reconfigure(errors="backslashreplace")
    try:
        code = twinpress.main(prog_name="twinpress", standalone_mode=False)
    except click.ClickException as error:
        later.tell("misused", error)
        return FAILED
    except click.Abort:
        return INTERRUPTED
    except TwinpressError as error:
        later.tell("explain", error)
        return FAILED
    except OSError as error:
        later.tell("refused", error)
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last resort; it says so and asks for a report
        later.tell("crashed", error)
        return BROKEN
    return code if isinstance(code, int) else 0
