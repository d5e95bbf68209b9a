"""Two locks of a site for publishing: one for who builds it, and one for who changes or sweeps its releases.

A roll back does not wait for a build, but for a sweep, which would delete what it gives to readers.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from server.process.file_lock import lock_file


def switch_lock(work: Path) -> AbstractContextManager[bool]:
    """Hold the lock for changing which release readers have, and for deleting others."""
    return _lock(work / "switch", wait=True)


def publish_lock(work: Path) -> AbstractContextManager[bool]:
    """Hold the lock for building the site whose folder is `work`; False where somebody else has it."""
    return _lock(work / "lock", wait=False)


def _lock(file: Path, *, wait: bool) -> AbstractContextManager[bool]:
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    return lock_file(file, wait=wait)
