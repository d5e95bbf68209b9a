"""The process that builds one site, and sees nothing but the folder with its sources.

The order is the first line of the standard input; each line of the standard output is an event. It is a
process of its own: pages of strangers are rendered in it.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from pathlib import Path

import msgspec

from builder.build import Result, build
from builder.diagnostic_codes import CODES
from builder.errors import StorageError, TwinpressError
from builder.plan.options import Options
from builder.store import failures
from builder.workers.processors import COLLECT
from server.process.confine import confine, end_with
from server.publishing.build_order import FILES, MADE, MOST_TOLD, SITE, BuildEvent, BuildOrder
from server.publishing.release_output import ReleaseOutput
from server.releases.release import encode_files

_EVERY = 0.2
"""Seconds between two lines about progress."""


def main() -> None:
    """Read the order, and obey it; the argument is the number of the process that wants it."""
    end_with(int(sys.argv[1]))  # else it would change files that the next service builds from
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=BuildOrder)
    folder = Path(order.folder)
    confine(folder, order.memory)
    gc.set_threshold(COLLECT)
    try:
        with failures.writing(""):
            event = _built(order, folder)
        _tell(event)
    except TwinpressError as error:
        refused = f"{error.message} ({error.hint})" if error.hint else error.message
        _tell(BuildEvent(refused=refused, may_pass=isinstance(error, StorageError)))


def _built(order: BuildOrder, folder: Path) -> BuildEvent:
    """Build the site, and write the list of its files. Raises TwinpressError."""
    output = ReleaseOutput(folder / MADE, fresh=order.fresh)
    # One process: semaphores for several lie in a folder that all programs share, which is not to be seen.
    options = Options(
        plan=order.plan,
        url=order.url,
        cache="keep",
        jobs=1,
        counts_searches=order.counts_searches,
        analytics=order.analytics,
    )
    result = build(folder / SITE, output, options, _Progress())
    beside = folder / f".{FILES}"
    beside.write_bytes(encode_files(output.files))
    beside.rename(folder / FILES)
    return _ended(result, len(output.files))


def _ended(result: Result, files: int) -> BuildEvent:
    levels = [CODES[each.code].level for each in result.diagnostics]
    return BuildEvent(
        done=result.pages,
        pages=result.pages,
        ended=True,
        diagnostics=result.diagnostics[:MOST_TOLD],
        errors=levels.count("error"),
        warnings=levels.count("warning"),
        files=files,
    )


class _Progress:
    """Tells how many pages are done, now and then."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, done: int, pages: int) -> None:
        """Tell it, if it is time."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            _tell(BuildEvent(done=done, pages=pages))


def _tell(event: BuildEvent) -> None:
    os.write(1, msgspec.json.encode(event) + b"\n")


if __name__ == "__main__":
    main()
