"""One writer at a time in a site: within this process and across processes.

The lock is a file, `.twinpress/state/lock`, held with `flock`: the system lets go of it when its process
ends, however that happens, so there is nothing to clean up.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from builder.errors import StorageBusy
from builder.store import walk

STATE = (".twinpress", "state")
NAME = "lock"
PATIENCE = 30.0
"""Seconds that a writer waits for its turn, unless it says something else."""
_PAUSE = 0.002


class SiteLock:
    """The lock of the site whose folder is open as `root`, for which one waits `patience` seconds.

    That may be changed at any time, also while somebody waits.
    """

    def __init__(self, root: int, patience: float = PATIENCE) -> None:
        self._root = root
        self.patience = patience
        self._threads = threading.Lock()

    @contextmanager
    def hold(self) -> Iterator[int]:
        """Wait for the lock; gives the descriptor of the state folder, which is made if it is not there.

        Raises StorageBusy when patience is at its end, and OSError or Blocked when the folder cannot be made.
        """
        began = time.monotonic()
        if not self._threads.acquire(timeout=self.patience):
            raise self._impatient()
        try:
            with state_folder(self._root) as state:
                lock = self._wait(state, began)
                try:
                    yield state
                finally:
                    _release(lock)
        finally:
            self._threads.release()

    def _wait(self, state: int, began: float) -> int:
        while (lock := _try(state)) is None:
            if time.monotonic() - began > self.patience:
                raise self._impatient()
            time.sleep(_PAUSE)
        return lock

    def _impatient(self) -> StorageBusy:
        return StorageBusy(
            f"somebody else has been writing to this site for more than {self.patience:g} seconds",
            path="/".join((*STATE, NAME)),
            hint="wait, or end that program",
        )

    @contextmanager
    def attempt(self) -> Iterator[int | None]:
        """Take the lock if nobody holds it, else give None. Raises FileNotFoundError without state folder."""
        with walk.folder(self._root, STATE) as state:
            lock = _try(state)
            try:
                yield None if lock is None else state
            finally:
                if lock is not None:
                    _release(lock)


@contextmanager
def state_folder(root: int) -> Iterator[int]:
    """The descriptor of `.twinpress/state`; made, for this user's eyes only, if it is not there."""
    with ExitStack() as opened:
        try:
            state = opened.enter_context(walk.folder(root, STATE))
        except FileNotFoundError:
            _make_state(root)
            state = opened.enter_context(walk.folder(root, STATE))
        yield state


def _make_state(root: int) -> None:
    outer, inner = STATE
    _make(root, outer, 0o777)
    with walk.folder(root, (outer,)) as folder:
        _make(folder, inner, 0o700)


def _make(parent: int, name: str, mode: int) -> None:
    try:
        os.mkdir(name, mode, dir_fd=parent)
    except FileExistsError:
        return
    os.fsync(parent)


def _try(state: int) -> int | None:
    """The descriptor of the locked file, or None when somebody else has it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    lock = os.open(NAME, flags, 0o600, dir_fd=state)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Somebody may have removed the file since it was opened; then the next one locks another file.
        current = walk.look(state, NAME)
        if current is not None and current.st_ino == os.fstat(lock).st_ino:
            return lock
    except OSError as error:
        os.close(lock)
        if error.errno in {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}:
            return None
        raise
    os.close(lock)
    return None


def _release(lock: int) -> None:
    """Unlock by word, not only by closing: a process forked meanwhile has the descriptor open, too."""
    fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(lock)
