"""Become the browser: take its two pipes, give up what it does not need, and another user's rights with it.

Run as `python -I -m server.screenshots.launch ORDER` by `browser_process`: a server itself must not give up
what is given up here.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Mapping
from fcntl import F_DUPFD, fcntl

import msgspec
from msgspec import Struct

COMMANDS, ANSWERS = 3, 4
"""The descriptors at which Chromium reads commands, and writes answers."""
_APART = 10
_NEW_NETWORK = 0x40000000
_NICE = 10


class LaunchOrder(Struct, frozen=True):
    """The command to become, its environment, the pipes that it gets, and its limits.

    `user` and `group` are None where it stays the user who starts it. Of `memory` each process may have so
    many bytes, of `processor` so many seconds, and no file gets larger than `file`.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    commands: int
    answers: int
    user: int | None
    group: int | None
    memory: int
    processor: int
    file: int


def main() -> None:
    """Read the order, and obey it."""
    order = msgspec.json.decode(sys.argv[1], type=LaunchOrder)
    _place_pipes(order)
    _limit(order)
    if order.user is not None and order.group is not None:
        _leave_network()
        os.setgroups([])
        os.setgid(order.group)
        os.setuid(order.user)
    os.execve(order.command[0], order.command, dict(order.environment))  # noqa: S606 - a fixed command


def _place_pipes(order: LaunchOrder) -> None:
    apart = fcntl(order.commands, F_DUPFD, _APART), fcntl(order.answers, F_DUPFD, _APART)
    for descriptor, place in zip(apart, (COMMANDS, ANSWERS), strict=True):
        os.dup2(descriptor, place)
        os.close(descriptor)
    os.closerange(ANSWERS + 1, _APART + 3)


def _limit(order: LaunchOrder) -> None:
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, order.file),
        (resource.RLIMIT_CPU, order.processor),
        (resource.RLIMIT_DATA, order.memory),
    ):
        resource.setrlimit(kind, (most, most))
    os.nice(_NICE)


def _leave_network() -> None:
    """Go where no network is, as root on Linux may. The browser is given none in any case."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).unshare(_NEW_NETWORK)


if __name__ == "__main__":
    main()
