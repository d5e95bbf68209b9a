"""The process for readers as the service starts it: `python -m server.site_serving`.

It goes on when the service is killed. It holds a lock, and its number stands in the locked file, so that the
next start of the service finds and ends it.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from builder.errors import TwinpressError
from server.process import interrupts
from server.site_serving.run import RELEASES, ReadersSettings, serve

LOCK = "serving.lock"
_PATIENCE = 10.0
"""Seconds to wait for the lock: the process before may be about to end."""
_PAUSE = 0.02
_OWN_FOLDER, _OWN_FILE = 0o700, 0o600
_FAILED = 2


class _Stderr:
    """Writes lines to standard error, which nobody may read any more."""

    def listening(self, host: str, port: int) -> None:
        """Nothing to say: the service knows where it is."""

    def fault(self, text: str) -> None:
        """Write what failed."""
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)  # noqa: T201 - the service reads it


def main() -> int:
    """Serve until told to stop; gives the exit code."""
    audience = _Stderr()
    with interrupts.kept():
        settings = _settings()
        try:
            descriptor = hold_lock(settings.data / RELEASES)
            asyncio.run(serve(settings, audience))
        except (TwinpressError, OSError) as error:
            audience.fault(f"Published sites cannot be served: {error}")
            return _FAILED
        os.close(descriptor)
    return 0


def hold_lock(folder: Path) -> int:
    """Take the lock in the folder of releases, and write this process's number into it; gives its descriptor.

    Raises TwinpressError where another process holds it, and OSError.
    """
    folder.mkdir(_OWN_FOLDER, parents=True, exist_ok=True)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWN_FILE)
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(descriptor)
                hint = "end it, or give it another folder"
                raise TwinpressError("another process serves the sites of this folder", hint=hint) from None
            time.sleep(_PAUSE)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, b"%d" % os.getpid(), 0)
    return descriptor


def _settings() -> ReadersSettings:
    parser = argparse.ArgumentParser(prog="python -m server.site_serving")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--previews", type=Path)
    return ReadersSettings(**vars(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
