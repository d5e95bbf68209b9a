"""The process that looks at one site, and sees nothing but its folder.

The order is the first line of the standard input; the findings are all of the standard output. It is a
process of its own: pages of strangers are rendered in it.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from builder.errors import ConfigError, TwinpressError
from builder.plan.options import Options
from builder.produce.check_site import CheckedSite, check_site
from builder.site import empty_site, sources_digest
from builder.workers.processors import COLLECT
from server.control.plans import PlanName
from server.findings.site_findings import SiteFindings, findings_of
from server.process.confine import confine, end_with

_NICE = 10
"""Steps by which everything else that the machine does goes before."""


class LookOrder(Struct, frozen=True):
    """The line that the process reads: the folder of the site, its owner's plan, bytes of address space."""

    root: str
    plan: PlanName
    memory: int
    analytics: bool = False


def main() -> None:
    """Read the order, and obey it; the argument is the number of the process that gives it."""
    end_with(int(sys.argv[1]))  # else nobody would end a look that takes too long
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=LookOrder)
    os.nice(_NICE)
    confine(Path(order.root), order.memory)
    gc.set_threshold(COLLECT)
    sys.stdout.buffer.write(msgspec.msgpack.encode(_looked(order)))


def _looked(order: LookOrder) -> SiteFindings:
    """Look at the site, with a cache in its folder: only pages that have changed are rendered again."""
    # One process: semaphores for several lie in a folder that all programs share, which is not to be seen.
    options = Options(plan=order.plan, cache="keep", jobs=1, analytics=order.analytics)
    at = int(time.time())
    try:
        found = check_site(Path(order.root), options)
    except ConfigError:  # there is nothing in it
        found = CheckedSite(empty_site(order.plan), ())
    except TwinpressError as error:
        return SiteFindings(at=at, failed=f"{error.message} ({error.hint})" if error.hint else error.message)
    return findings_of(found.site, found.diagnostics, sources_digest(found.site), at)


if __name__ == "__main__":
    main()
