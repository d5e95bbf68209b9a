"""Builds that publish nothing: what readers would find wrong, and which places on pages would be gone.

Addresses follow from the sources; anchors and most diagnostics only from a build. The build's cache is that
of the next release, so what was built here is not built again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from builder.errors import StorageBusy, TwinpressError
from builder.plan.vanished import Vanished, VanishedAnchor, vanished
from builder.store import ContentStore
from server.control.hosted_sites import HostedSite
from server.process.faults import describe
from server.publishing.build_order import BuildLimits
from server.publishing.make_release import ReleaseMaker, ReleaseNews, ReleaseOrder
from server.publishing.parts import PublishingParts
from server.publishing.publish_lock import publish_lock
from server.publishing.release_addresses import addresses_in
from server.publishing.run_build import BuildFailed, Stop

LIMITS = BuildLimits(seconds=60.0)
MOST_KNOWN = 256
"""Rehearsals that are known, one a site."""
MOST_ANCHORS = 100
_PATIENCE = 2.0
_LOOK = 0.1
"""Seconds between two looks whether somebody publishes the site."""
_QUIET = ReleaseNews(*[lambda _: None] * 4)
_PUBLISHED = "the site is being published"


class Rehearsal(Struct, frozen=True):
    """A build for one state of a site, which `mark` names; `said` says why there is none, if it failed.

    Where only others were in the way, the mark is None, so that it is begun again. `anchors` are the first
    places on pages that the live release has and this build has not, `lost` is the number of all; `errors`
    counts what the build found.
    """

    mark: object
    state: Literal["running", "done", "failed"] = "running"
    said: str = ""
    anchors: tuple[VanishedAnchor, ...] = ()
    lost: int = 0
    errors: int = 0


class Rehearsals:
    """Rehearses one site at a time. Safe to use from several threads."""

    def __init__(self, parts: PublishingParts, limits: BuildLimits = LIMITS) -> None:
        self._parts = parts
        self._limits = limits
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Rehearsal, Stop]] = {}
        self._pool = ThreadPoolExecutor(1, "twinpress-rehearsals")

    def ask(self, site: HostedSite, mark: object, moved: Mapping[str, str]) -> Rehearsal:
        """Return the rehearsal of the site in the state that `mark` names; it is begun where there is none.

        `moved` says of former addresses where their page is now.
        """
        with self._lock:
            known = self._known.get(site.id)
            if known is not None and (known[0].mark == mark or known[0].state == "running"):
                return known[0]
            begun, stop = Rehearsal(mark), Stop()
            self._known.pop(site.id, None)  # the newest are the last
            self._known[site.id] = begun, stop
            for old in list(self._known)[:-MOST_KNOWN]:
                del self._known[old]
        self._pool.submit(self._run, site, begun, stop, moved)
        return begun

    def known(self, site: str) -> Rehearsal | None:
        """Return the last rehearsal of a site that was asked for."""
        with self._lock:
            found = self._known.get(site)
        return found[0] if found else None

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            for _, stop in self._known.values():
                stop.ask("the service is stopping")
        self._pool.shutdown(cancel_futures=True)

    def _run(self, site: HostedSite, begun: Rehearsal, stop: Stop, moved: Mapping[str, str]) -> None:
        if self.known(site.id) is not begun:
            return  # so many others were asked for since that nobody knows it any more
        try:
            ended = self._rehearsed(site, begun, stop, moved)
        except TwinpressError as error:
            is_in_the_way = isinstance(error, StorageBusy) or error.message == _PUBLISHED
            mark = None if is_in_the_way else begun.mark
            ended = replace(begun, mark=mark, state="failed", said=error.message)
        except Exception as error:  # noqa: BLE001 - the last resort: its owner and the log are told
            self._parts.tell(f"Rehearsing the site {site.id} failed: {describe(error)}")
            ended = replace(begun, state="failed", said="Twinpress failed; the log of the service says more")
        with self._lock:
            if site.id in self._known:
                self._known[site.id] = ended, stop

    def _rehearsed(
        self, site: HostedSite, begun: Rehearsal, stop: Stop, moved: Mapping[str, str]
    ) -> Rehearsal:
        parts, limits = self._parts, self._limits
        work, releases = parts.folders.work(site.id), parts.folders.releases(site.id)
        wanted = ReleaseOrder(site.plan, parts.url(site), "", analytics=parts.analytics)
        with publish_lock(work) as ours, ContentStore(parts.root(site.id), patience=_PATIENCE) as store:
            if not ours or self._is_wanted(site):
                raise BuildFailed(_PUBLISHED)
            with self._giving_way(site, stop):
                maker = ReleaseMaker(store, work, releases, time.time, limits)
                made = maker.rehearse(wanted, _QUIET, stop)
            live = releases.pointer().live
            lost = vanished(addresses_in(releases, live), made.addresses, moved) if live else Vanished()
        return replace(
            begun,
            state="done",
            anchors=lost.anchors[:MOST_ANCHORS],
            lost=len(lost.anchors),
            errors=made.event.errors,
        )

    @contextmanager
    def _giving_way(self, site: HostedSite, stop: Stop) -> Iterator[None]:
        """Have the build end when somebody publishes the site, in whichever process of the service."""
        ended = threading.Event()

        def look() -> None:
            while not ended.wait(_LOOK):
                if self._is_wanted(site):
                    stop.ask(_PUBLISHED)
                    break

        thread = threading.Thread(target=look, name="twinpress-rehearsal-end", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _is_wanted(self, site: HostedSite) -> bool:
        job = self._parts.jobs.last(site.id)
        return job is not None and job.is_under_way and not job.is_put_off
