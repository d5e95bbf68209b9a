"""Confine the process to its site, before it reads anything of it.

The environment is scrubbed by whoever starts the process. Here it gives up memory beyond its limit, dumps of
memory, and, where Linux has Landlock (5.13 and later), all files but those of the site and of Python, and all
of the network. Python has no functions for Landlock: its three system calls are made by their numbers, which
are the same on all machines.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

# With one arena, glibc reserves no 64 MB of address space for each thread, which would count as memory.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
"""All that a process which is confined gets: nothing of the service's own, in which there may be keys and
addresses with passwords."""
_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/etc/ld.so.cache",
)
_DEVICES = ("/dev/null", "/dev/urandom")
"""What a module that is loaded later may need of the system."""


def end_with(parent: int) -> None:
    """Have the system end this process when the one that started it has ended, which may be by now.

    On Linux alone; it counts as ended when the thread has that started this process.
    """
    if sys.platform == "linux" and _libc().prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != parent:
        sys.exit(1)


def confine(site: Path, memory: int) -> None:
    """Give up everything that showing the site does not need. Raises OSError."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if landlock_version():
        _restrict(readable=tuple(_programs()), writable=(site,))


def confine_to(readable: Iterable[Path], writable: Iterable[Path], *, connects: bool = False) -> None:
    """Give up all files but these and those of Python, dumps of memory, and to listen by TCP.

    Unless it `connects`, that is given up too. Sockets that listen already go on, and so do sockets that are
    files. Raises OSError.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if landlock_version():
        _restrict((*_programs(), *readable), writable, _BIND if connects else _NETWORK)


def _programs() -> Iterator[Path]:
    """The folders of Python and of Twinpress, and those of the system that both load from."""
    places = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *sys.path, *_SYSTEM, *_DEVICES)
    for place in dict.fromkeys(filter(None, places)):
        if os.path.exists(place):  # noqa: PTH110 - a name of an archive may stand in `sys.path`
            yield Path(place)


_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_GIVE_VERSION = 1
_RULE_BENEATH = 1
_END_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_EXECUTE = 1 << 0
_ODD_FILES = 1 << 6 | 1 << 10 | 1 << 11 | 1 << 12
"""Make devices, pipes and symbolic links: the service, which may do more, works on the same files later."""
_ON_FILES = 1 << 1 | _READ_FILE | 1 << 14 | 1 << 15
"""Write, read, truncate, and control a device: what can be allowed on a file that is no folder."""
_FILES = {1: 13, 2: 14, 3: 15, 4: 15}
"""Bits of rights on files by version; 16 from the fifth on (linux/landlock.h)."""
_BIND, _NETWORK, _SCOPES = 0b01, 0b11, 0b11
"""Bind, or bind and connect, by TCP, since version 4; abstract sockets and signals of others, since 6."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def landlock_version() -> int:
    """Return the version of Landlock that this system has; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    found: int = _libc().syscall(_CREATE, None, ctypes.c_size_t(0), _GIVE_VERSION)
    return max(0, found)


def _restrict(readable: Iterable[Path], writable: Iterable[Path], network: int = _NETWORK) -> None:
    """Give up all rights but to read below some places, and to change files below others. Raises OSError.

    Of the `network`, these rights are given up.
    """
    number = landlock_version()
    every = (1 << _FILES.get(number, 16)) - 1
    wanted = _Ruleset(every, network if number >= 4 else 0, _SCOPES if number >= 6 else 0)
    rules = _called(_CREATE, ctypes.byref(wanted), ctypes.c_size_t(ctypes.sizeof(wanted)), 0)
    try:
        for place in readable:
            _allow(rules, place, _READ_FILE | _READ_FOLDER)
        for place in writable:
            _allow(rules, place, every & ~_EXECUTE & ~_ODD_FILES)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        _called(_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, place: Path, rights: int) -> None:
    descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = rights if place.is_dir() else rights & _ON_FILES
        _called(_ADD_RULE, rules, _RULE_BENEATH, ctypes.byref(_Beneath(allowed, descriptor)), 0)
    finally:
        os.close(descriptor)


def _called(number: int, *arguments: object) -> int:
    found: int = _libc().syscall(number, *arguments)
    if found < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    return found


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
