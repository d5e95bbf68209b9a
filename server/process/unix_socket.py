"""Sockets that are files: reached by names of any length, and put in the place of others at once.

The system takes some hundred bytes as the name of such a file, and folders of data may lie deeper than that.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from builder.errors import TwinpressError

_LONGEST = 100
"""Bytes of a name that each system takes."""
_BACKLOG = 64
_OWN = 0o700


class NameTooLong(TwinpressError):
    """The name of a socket is longer than this system takes."""


@contextmanager
def short_name(path: Path) -> Iterator[str]:
    """Give a name of the file that is short enough while the block runs. Raises OSError and NameTooLong."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield str(_by_descriptor(descriptor, path))
    finally:
        os.close(descriptor)


def _by_descriptor(folder: int, path: Path) -> Path:
    found = Path(f"/proc/self/fd/{folder}")
    if not found.exists():
        hint = "use a folder of data with a shorter name"
        raise NameTooLong("the name of a socket is too long for this system", path=str(path), hint=hint)
    return found / path.name


def own_folder(path: Path) -> Path:
    """Create a folder that nobody else may enter, unless it is there. Raises OSError."""
    path.mkdir(_OWN, parents=True, exist_ok=True)
    path.chmod(_OWN)
    return path


def listening_at(path: Path) -> socket.socket:
    """Listen at a name, in the place of whoever did so before. Raises OSError and NameTooLong."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with short_name(beside) as name:
            found.bind(name)
        found.listen(_BACKLOG)
        beside.replace(path)
    except BaseException:
        found.close()
        beside.unlink(missing_ok=True)
        raise
    return found


def connected_to(path: Path, seconds: float) -> socket.socket | None:
    """Connect; None where nobody listens. Each wait on the socket takes `seconds` at most. Raises OSError."""
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    found.settimeout(seconds)
    try:
        with short_name(path) as name:
            found.connect(name)
    except (FileNotFoundError, ConnectionRefusedError):
        found.close()
        return None
    except BaseException:
        found.close()
        raise
    return found


def forget_dead(folder: Path) -> None:
    """Remove the sockets of a folder at which nobody listens any more: those of killed processes."""
    for path in folder.iterdir():
        if path.is_socket():
            with suppress(OSError):
                line = connected_to(path, 1.0)
                if line is None:
                    path.unlink(missing_ok=True)
                else:
                    line.close()
