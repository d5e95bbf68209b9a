"""Several services on one data folder: they come and go one at a time, and the last one stops the server.

Both locks are the operating system's, so that a killed service holds none.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from server.postgres.errors import EngineError, EngineUnavailable
from server.postgres.run.server_files import ServerFiles
from server.process.interrupts import breakable

PATIENCE = 90.0
"""Seconds that one waits for another to start or stop the server."""
_PAUSE = 0.02


@contextmanager
def turn(place: ServerFiles) -> Iterator[None]:
    """For the time of the block no other service prepares, starts or stops the server."""
    descriptor = _open(place, "turn.lock")
    try:
        deadline = time.monotonic() + PATIENCE
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                message = "another service has been starting or stopping the server for too long"
                raise EngineUnavailable(message, path=str(place.root), hint="try again")
            with breakable():
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


class ServiceShare:
    """One service's share in the server. Taken, asked and given back within its `turn`."""

    def __init__(self, place: ServerFiles) -> None:
        self._descriptor = _open(place, "services.lock")
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def alone(self) -> bool:
        """Return whether no other service has a share now."""
        alone = _locked(self._descriptor, fcntl.LOCK_EX)
        # To ask for the whole gives one's share away, also when it is refused.
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        return alone

    def close(self) -> None:
        """Give it back."""
        os.close(self._descriptor)


def is_used(place: ServerFiles) -> bool:
    """Return whether a service uses the server, or starts or stops it now. Waits for nobody."""
    if not place.root.exists():
        return False
    turn, services = _open(place, "turn.lock"), _open(place, "services.lock")
    try:
        return not (_locked(turn, fcntl.LOCK_EX) and _locked(services, fcntl.LOCK_EX))
    finally:
        os.close(services)
        os.close(turn)


@contextmanager
def claimed(place: ServerFiles, patience: float) -> Iterator[int]:
    """A descriptor for programs to inherit: nobody else can claim the data while one of them lives.

    Those of a killed service may go on for a while, and those of another container cannot be seen. Raises
    EngineError when they do not end within `patience` seconds.
    """
    descriptor = _open(place, "server.lock")
    try:
        deadline = time.monotonic() + patience
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise _unseen(place)
            with breakable():
                time.sleep(_PAUSE)
        yield descriptor
    finally:
        os.close(descriptor)


def _unseen(place: ServerFiles) -> EngineError:
    message = "a server runs on these data that cannot be seen from here, such as one in another container"
    return EngineError(message, path=str(place.data), hint="end it first: two would destroy the data")


def _open(place: ServerFiles, name: str) -> int:
    return os.open(place.root / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
