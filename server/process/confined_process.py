"""Start and end the processes that work on the files of one site, each in a session of its own.

The process confines itself (`confine`), and ends with the one that started it, whose number it is told.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress

from server.process.confine import ENVIRONMENT


def started(module: str) -> subprocess.Popen[bytes]:
    """Start a module of ours with nothing of the service's but two pipes. Raises OSError."""
    return subprocess.Popen(  # noqa: S603 - our own module
        (sys.executable, "-I", "-m", module, str(os.getpid())),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd="/",
        env=ENVIRONMENT,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all of its session, unless it has been waited for: then its number is free."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
