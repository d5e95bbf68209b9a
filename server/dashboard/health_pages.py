"""The operator's look at the service: what is well, what is not, and what waits to be done."""

from __future__ import annotations

import asyncio
import platform
import resource
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from aiohttp import web
from msgspec import Struct

from builder.report.summary import counted
from builder.version import VERSION
from server.control.plans import connections_of
from server.control.sqlite.database import ControlDatabase
from server.dashboard.desk import Desk, ServedSites
from server.dashboard.operator_pages import OPERATOR
from server.dashboard.template_filters import moment
from server.dashboard.visit import DashboardRoute, Need, Visit
from server.databases.database_work import DatabaseWork
from server.hosting import hosted

SCARCE, FULL = 0.1, 0.02
"""Parts of a disk that are free, below which it is nearly full, and as good as full."""
_GIB = 1024**3
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes of a unit in which the system counts the memory of a process."""
_SINCE = int(time.time())
"""The service loads this module when it starts."""
_STATES = {
    "active": "active",
    "creating": "being created",
    "deleting": "being deleted",
    "disabled": "suspended",
}
_WHAT = "Published sites"
_SERVED = {
    "own": (
        "Served by a process of their own",
        "Not served just now: the log of the service says why",
    ),
    "inside": ("Served by the service itself", ""),
    "none": (
        "Served by twinpress sites, which runs by itself",
        "twinpress sites does not run at the port of sites",
    ),
}
"""Words by who serves them: while they are served, and while they are not."""
_DUE = """
    SELECT (SELECT COUNT(*) FROM accounts WHERE delete_at IS NOT NULL),
        (SELECT COUNT(*) FROM sites WHERE delete_at IS NOT NULL)
"""


class HealthLine(Struct, frozen=True):
    """One thing that an operator looks at; a `state` of "" is a figure that is neither good nor bad."""

    what: str
    says: str
    state: Literal["ok", "warn", "bad", ""] = ""


async def health(visit: Visit) -> web.StreamResponse:
    """Show how the service does, and what it is about to do."""
    return visit.show("operator-health.html", here=OPERATOR, lines=await health_lines(visit.desk))


async def health_lines(desk: Desk) -> Sequence[HealthLine]:
    """Return all that an operator looks at."""
    return [*_process(desk), *await asyncio.to_thread(lambda: list(_stored(desk)))]


def _process(desk: Desk) -> Iterator[HealthLine]:
    """All that belongs to the event loop of this process."""
    yield HealthLine("Version", f"Twinpress {VERSION}, Python {platform.python_version()}")
    yield HealthLine("Running since", moment(_SINCE))
    yield HealthLine("Memory", f"{_most_memory() / 1024**2:,.0f} MiB at most since then")
    yield _server(desk.databases)
    yield _sites(desk.served())
    yield HealthLine("Sites in use", f"{desk.sites.opened.length:,}")
    yield HealthLine("Passwords to be checked", f"{desk.slow.length:,}")
    yield HealthLine("Exports being downloaded", f"{desk.exports.length:,}")


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT


def _server(databases: DatabaseWork | None) -> HealthLine:
    if databases is None:
        return HealthLine("PostgreSQL", "Not used: the service was started with --no-databases")
    if not databases.hosting.is_well():
        return HealthLine("PostgreSQL", "Cannot be reached: the log of the service says why", "bad")
    leads = "This process" if databases.hosting.leads() else "Another process of this service"
    return HealthLine("PostgreSQL", f"{leads} looks after it", "ok")


def _sites(served: ServedSites) -> HealthLine:
    says, away = _SERVED[served.by]
    return HealthLine(_WHAT, says, "ok") if served.is_up else HealthLine(_WHAT, away, "bad")


def _stored(desk: Desk) -> Iterator[HealthLine]:
    """All that is read from the disk. Not for the event loop."""
    yield _disk(desk)
    if desk.databases is not None:
        yield _databases(desk.database)
        yield _waiting(desk)
    accounts, sites = (int(count or 0) for count in desk.database.read(_DUE)[0])
    said = f"{counted(accounts, 'account')} and {counted(sites, 'site')}, each after its seven days"
    yield HealthLine("To be deleted", said)


def _disk(desk: Desk) -> HealthLine:
    used = shutil.disk_usage(desk.sites.opened.root(""))
    free = used.free / used.total
    state: Literal["ok", "warn", "bad"] = "bad" if free < FULL else "warn" if free < SCARCE else "ok"
    return HealthLine("Disk", f"{used.free / _GIB:,.1f} of {used.total / _GIB:,.1f} GiB are free", state)


def _databases(control: ControlDatabase) -> HealthLine:
    found: Counter[str] = Counter(row.status for row in hosted.every(control))
    said = ", ".join(f"{found[state]:,} {word}" for state, word in _STATES.items() if found[state])
    return HealthLine("Databases", said or "None", "bad" if found["error"] else "")


def _waiting(desk: Desk) -> HealthLine:
    waiting = len(hosted.unsettled(desk.database, connections_of(desk.plans), int(time.time())))
    said = f"{counted(waiting, 'database')} to be changed in PostgreSQL" if waiting else "Nothing waits"
    return HealthLine("Work", said, "warn" if waiting else "ok")


ROUTES = (DashboardRoute("GET", f"{OPERATOR}/health", Need.OPERATOR, health),)
