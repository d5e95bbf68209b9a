"""Find out who has a file open to write into it; nothing else shows that somebody is about to save it.

An editor that has opened a file by its name writes into that one, whatever it is called by then; on a busy
machine that may be some time later. Linux counts those who can write into a file, and says whether there are
any to who asks for a lease on it (fcntl(2)). macOS does not say it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
import time

from builder.store import walk
from builder.store.exchange import has_exchange

PATIENCE = 0.2
"""Seconds in which an editor that has opened a file has saved it, on a busy machine too. A program that keeps
its file open, as those that write logs do, is not waited for any longer."""
_PAUSE = 0.001


def let_go(folder: int, name: str, patience: float = 0.0) -> bool:
    """Whether nobody has a file open for writing, as far as the system tells, after so many seconds at most.

    It tells an owner of his files, and root of all, where it knows an exchange of names. Raises
    FileNotFoundError and OSError.
    """
    end = time.monotonic() + patience
    if not _is_held(folder, name):
        return True
    # Network drives refuse leases for reasons of their own. They know no exchange either.
    if not has_exchange(folder):
        return True
    while time.monotonic() < end:
        time.sleep(_PAUSE)
        if not _is_held(folder, name):
            return True
    return False


def _is_held(folder: int, name: str) -> bool:
    if sys.platform != "linux":
        return False
    try:
        descriptor, _ = walk.open_file(folder, name)
    except walk.Blocked:
        return False  # no file, which whoever reads it will say
    try:
        # Who opens it while we have the lease waits for its end, and we get a signal: not one that ends us.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        # Any other number: there are no leases here, or none for us. What is written shows once it is there.
        return error.errno == errno.EAGAIN
    finally:
        os.close(descriptor)
    return False
