"""Look at sites behind changes: one at a time in the whole service, and nobody waits for it.

A look is due when a site has been quiet for a moment, or its owner wants to see what is wrong. Who is asked
for a site's findings answers at once, from the last look.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from builder.digests import digest
from builder.errors import TwinpressError
from server.authoring.open_site import OpenSite
from server.authoring.site_work import SiteWork
from server.control.errors import SiteNotFound
from server.control.hosted_sites import HostedSite
from server.control.plans import MIB
from server.findings.look_worker import LookOrder
from server.findings.site_findings import (
    FindingsFiles,
    PresentFindings,
    SiteFindings,
    present_findings,
)
from server.hosting.log_once import LogOnce
from server.process.confined_process import kill, started
from server.process.faults import describe
from server.process.file_lock import lock_file
from server.struct_types import prepare

_WORKER = "server.findings.look_worker"
_LOOKING = "looking for what is wrong with sites"
_TICK = 0.5
_LOCK = ".lock"
_FAULT_REST = 30.0
"""Seconds that a site has a rest when a look fails by a fault of ours, as when the disk is full."""
_FORGET = 600.0
"""Seconds between two looks for findings of sites that are gone."""
prepare(SiteFindings)


class LookLimits(Struct, frozen=True):
    """A look takes `seconds` and `memory` bytes at most.

    It waits until nobody has changed the site for `quiet` seconds, but not longer than `patience`; after it
    the site has a rest of `rest` times as long as it took.
    """

    quiet: float = 2.0
    patience: float = 30.0
    rest: float = 5.0
    seconds: float = 120.0
    memory: int = 4096 * MIB


class _Wanted(Struct):
    """A look that is to be: since when, when the site has changed last, and its `state` if that is known."""

    since: float
    changed: float
    mark: bytes = b""
    state: bytes = b""
    is_urgent: bool = False

    def is_due(self, now: float, limits: LookLimits) -> bool:
        """Return whether its time has come."""
        quiet, waited = now - self.changed, now - self.since
        return self.is_urgent or quiet >= limits.quiet or waited >= limits.patience


class Looker:
    """Looks at the sites of `work`; what it finds is kept in files of the folder. `tell` hears of our faults.

    With `analytics`, published pages may have the scripts of statistics.

    Safe to use from several threads. Until it is started, nothing is looked at.
    """

    def __init__(
        self, work: SiteWork, folder: Path, limits: LookLimits | None = None, *, analytics: bool = False
    ) -> None:
        folder.mkdir(0o700, exist_ok=True)
        self.files = FindingsFiles(folder)
        self._folder = folder
        self._work = work
        self._limits = limits or LookLimits()
        self._analytics = analytics
        self._lock = threading.Lock()
        self._wanted: dict[str, _Wanted] = {}
        self._rested: dict[str, float] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = threading.Event()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._forgotten = 0.0
        self._log = LogOnce()

    def start(self, tell: Callable[[str], None]) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, args=(tell,), name="twinpress-looks", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End; a look that is under way is given up."""
        self._ended.set()
        self._asked.set()
        with self._lock:
            if self._process is not None:
                kill(self._process)
        if self._thread is not None:
            self._thread.join()

    def present(self, site: HostedSite, opened: OpenSite) -> PresentFindings:
        """Return what is known to be wrong with a site now; where that is old, a look is wanted.

        Raises StorageError.
        """
        whole, state = opened.service.view.whole_state()
        found = present_findings(self.files.get(site.id), whole, state)
        if not found.is_current and not found.failed:
            self._want(site.id, self._mark(opened), state)
        return found

    def _want(self, site: str, mark: bytes, state: bytes = b"") -> None:
        """Take note that a site is to be looked at; at once, if somebody has asked about this `state`."""
        now = time.monotonic()
        with self._lock:
            wanted = self._wanted.setdefault(site, _Wanted(now, now))
            if mark != wanted.mark:
                wanted.mark, wanted.changed = mark, now
            if state:
                wanted.state, wanted.is_urgent = state, True
        if state:
            self._asked.set()

    def _mark(self, opened: OpenSite) -> bytes:
        mark = opened.history.mark()
        return digest(mark, "analytics") if self._analytics else digest(mark)

    def _run(self, tell: Callable[[str], None]) -> None:
        while not self._ended.is_set():
            self._asked.wait(_TICK)
            self._asked.clear()
            try:
                self._watch()
                if self._look():  # else nothing was tried: a fault goes on
                    self._log.withdraw(_LOOKING, f"{_LOOKING} goes on")
                self._forget()
            except (TwinpressError, OSError) as error:
                said = describe(error) if isinstance(error, OSError) else error
                self._log.make(_LOOKING, f"{_LOOKING} could not be done, and is tried again: {said}")
                self._ended.wait(_TICK)
            except Exception as error:  # noqa: BLE001 - the last resort: it is told, and looks go on
                tell(f"Looking for what is wrong with sites failed: {describe(error)}")
                self._ended.wait(_TICK)

    def _watch(self) -> None:
        """Want a look at each open site that has changed since the last one, by whichever door."""
        for id, opened in self._work.opened.in_use().items():
            mark = self._mark(opened)
            if self.files.mark(id) != mark:
                self._want(id, mark)

    def _look(self) -> bool:
        """Look at a site whose time has come; return whether one was."""
        site = self._due()
        if site is None:
            return False
        with lock_file(self._folder / _LOCK) as ours:
            if not ours:
                return False
            with self._lock:
                wanted = self._wanted.pop(site)
            if self._is_known(site, wanted):
                return False
            begun = time.monotonic()
            self._rested[site] = begun + _FAULT_REST
            self._look_at(site, wanted)
            ended = time.monotonic()
            self._rested[site] = ended + self._limits.rest * (ended - begun)
            return True

    def _is_known(self, site: str, wanted: _Wanted) -> bool:
        """Return whether the last look, which went on when this one was wanted, has seen the same."""
        known = self.files.get(site)
        return known is not None and known.mark == wanted.mark and wanted.state in (b"", known.state)

    def _due(self) -> str | None:
        """Return the site that has waited longest among those whose time has come."""
        now, limits = time.monotonic(), self._limits
        with self._lock:
            due = [
                (wanted.since, site)
                for site, wanted in self._wanted.items()
                if self._rested.get(site, 0.0) <= now and wanted.is_due(now, limits)
            ]
        return min(due)[1] if due else None

    def _look_at(self, site: str, wanted: _Wanted) -> None:
        try:
            found = self._work.sites.get(site)
        except SiteNotFound:
            return
        if found.delete_at is not None:
            return
        looked = self._looked(found)
        if self._ended.is_set():
            return
        before = self.files.get(site)
        state = wanted.state or (before.state if before else b"") if looked.failed else looked.state
        self.files.put(site, replace(looked, mark=wanted.mark, state=state))

    def _looked(self, site: HostedSite) -> SiteFindings:
        order = LookOrder(
            str(self._work.opened.root(site.id)), site.plan, self._limits.memory, self._analytics
        )
        with started(_WORKER) as process:
            self._attach(process)
            try:
                out, _ = process.communicate(msgspec.json.encode(order) + b"\n", self._limits.seconds)
            except subprocess.TimeoutExpired:
                return _failed(f"it took longer than {self._limits.seconds:g} seconds and was given up")
            finally:
                self._attach(None)
                kill(process)
        try:
            return msgspec.msgpack.decode(out, type=SiteFindings)
        except msgspec.DecodeError:
            return _failed("the process that looks at the site has ended; there may be too little memory")

    def _attach(self, process: subprocess.Popen[bytes] | None) -> None:
        with self._lock:
            self._process = process
            if process is not None and self._ended.is_set():
                kill(process)

    def _forget(self) -> None:
        """Delete now and then what is known of sites that are gone."""
        if time.monotonic() - self._forgotten < _FORGET and self._forgotten:
            return
        self._forgotten = time.monotonic()
        self._rested = {site: until for site, until in self._rested.items() if until > self._forgotten}
        self.files.forget(site.id for site in self._work.sites.every())


def _failed(why: str) -> SiteFindings:
    return SiteFindings(at=int(time.time()), failed=why)
