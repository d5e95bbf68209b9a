"""The words between the service and the process that builds a site."""

from __future__ import annotations

from msgspec import Struct

from builder.diagnostics import Diagnostic
from server.control.plans import MIB, PlanName

MADE, SITE = "made", "site"
"""The folders in the one that the process sees: objects that it makes, and the sources."""
FILES = "files.msgpack"
"""The list of all files of the build, in the same folder."""
MOST_TOLD = 1000
"""Diagnostics that are told one by one; of others the number is."""


class BuildLimits(Struct, frozen=True):
    """A build may take `memory` bytes of address space, and `seconds`."""

    memory: int = 4096 * MIB
    seconds: float = 600.0


class BuildOrder(Struct, frozen=True):
    """The first line that the process reads: its folder, and how the site is to be built.

    `url` is the address at which readers will have the site. With `fresh` every file is made, also those
    that the build before has made. With `counts_searches` the search tells of what it does not find;
    with `analytics` pages may have the scripts of `analytics` in `site.yml`.
    """

    folder: str
    plan: PlanName
    url: str
    memory: int
    fresh: bool = False
    counts_searches: bool = False
    analytics: bool = False


class BuildEvent(Struct, frozen=True, omit_defaults=True):
    """A line that the process writes: pages done of all, or the end of the build, or why there is none.

    With `ended` come the first MOST_TOLD diagnostics, and the numbers of errors and warnings among all. What
    the disk has `refused` `may_pass`.
    """

    done: int = 0
    pages: int = 0
    ended: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    errors: int = 0
    warnings: int = 0
    files: int = 0
    refused: str = ""
    may_pass: bool = False
