"""Confine the process to its site, before it reads anything of it.

The environment is scrubbed by whoever starts the process. Here it gives up memory beyond its limit, dumps of
memory, and, where Linux has Landlock, all files but those of the site and of Python, and all of the network.
"""

from __future__ import annotations

import os
import resource
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from server.site_previews.worker import landlock

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


def confine(site: Path, memory: int) -> None:
    """Give up everything that showing the site does not need. Raises OSError."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if landlock.version():
        landlock.restrict(readable=tuple(_programs()), writable=(site,))


def _programs() -> Iterator[Path]:
    """The folders of Python and of Twinpress, and those of the system that both load from."""
    places = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *sys.path, *_SYSTEM, *_DEVICES)
    for place in dict.fromkeys(filter(None, places)):
        if os.path.exists(place):  # noqa: PTH110 - a name of an archive may stand in `sys.path`
            yield Path(place)
