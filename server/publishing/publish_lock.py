"""Two locks of a site for publishing: one for who builds it, and one for who changes or sweeps its releases.

Files held with `flock`: the system lets them go when their process ends, however that happens. A roll back
does not wait for a build, but for a sweep, which would delete what it gives to readers.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path


def switch_lock(work: Path) -> AbstractContextManager[bool]:
    """Hold the lock for changing which release readers have, and for deleting others."""
    return _lock(work / "switch", wait=True)


def publish_lock(work: Path) -> AbstractContextManager[bool]:
    """Hold the lock for building the site whose folder is `work`; False where somebody else has it."""
    return _lock(work / "lock", wait=False)


@contextmanager
def _lock(file: Path, *, wait: bool) -> Iterator[bool]:
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _locked(descriptor, wait)
    finally:
        os.close(descriptor)


def _locked(descriptor: int, wait: bool) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
