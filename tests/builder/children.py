"""A part of a test in a process of its own: one that may be killed, refused or restricted."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable

NOBODY = 65534


def in_child(act: Callable[[], str]) -> str:
    """Call `act` in a forked child and return its result; "killed" when the child was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            said = act()
        except BaseException:  # noqa: BLE001 - whatever it is, it must not get into the parent's tests
            said = traceback.format_exc()
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read().decode()
    _, status = os.waitpid(child, 0)
    return "killed" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL else said


def drop_privileges() -> None:
    """Be somebody to whom permission bits matter."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
