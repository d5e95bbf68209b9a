"""The watch over domains: threads that look at their records when they are due, see `domain_verdicts`.

Apart from the service that starts it, which is of a higher layer.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from server.domains.dns_questions import DnsSettings
from server.domains.domain_look import DomainLook, look, site_addresses
from server.domains.domain_verdicts import DomainVerdicts, Lease
from server.process.faults import describe

AT_ONCE, EACH = 16, 4
"""Looks at a time, and those for one account: servers that do not answer delay those of others little."""
_DUE_AT_ONCE = 500
_ADDRESSES = 60.0
"""Seconds for which the addresses of the host of sites are taken to be the same."""


class DomainWatch:
    """Looks at domains of sites that are reached at the host `sites`. `tell` is told of faults of ours."""

    def __init__(
        self, verdicts: DomainVerdicts, settings: DnsSettings, sites: str, tell: Callable[[str], None]
    ) -> None:
        self._verdicts = verdicts
        self._settings = settings
        self._sites = sites
        self._tell = tell
        self._pool = ThreadPoolExecutor(AT_ONCE, "twinpress-domains")
        self._running = Counter[str]()
        self._ended = False
        self._lock = Lock()
        self._addresses: Sequence[str] = ()
        self._addresses_until = 0.0

    @property
    def sites(self) -> str:
        """The host to which a CNAME record of a domain leads."""
        return self._sites

    @property
    def addresses(self) -> Sequence[str]:
        """The addresses of that host, as far as they are known."""
        return self._addresses

    def run(self) -> None:
        """Begin to look at what is due; what there is no room for comes at the next call."""
        if self._running.total() >= AT_ONCE:
            return
        for domain, account in self._verdicts.due(_DUE_AT_ONCE).items():
            if self._running.total() >= AT_ONCE:
                return
            if self._running[account] < EACH and (lease := self._verdicts.lease(domain)):
                self._count(account, 1)
                self._pool.submit(self._look, lease, account)

    def renew_addresses(self) -> None:
        """Look up the addresses of the host of sites again, when it is time."""
        if time.monotonic() >= self._addresses_until:
            self._addresses = site_addresses(self._settings, self._sites) or self._addresses
            self._addresses_until = time.monotonic() + _ADDRESSES

    def close(self) -> None:
        """End, after the questions that are under way."""
        self._ended = True
        self._pool.shutdown(cancel_futures=True)

    def _look(self, lease: Lease, account: str) -> None:
        try:
            self._verdicts.give(lease, self._seen(lease.domain))
        except Exception as error:  # noqa: BLE001 - the last resort: it is told, and the lease ends by itself
            self._tell(f"Looking at the domain {lease.domain} failed: {describe(error)}")
        finally:
            self._count(account, -1)

    def _seen(self, domain: str) -> DomainLook:
        return look(self._settings, domain, self._sites, self._clock)

    def _clock(self) -> float:
        """Return the time; when the watch ends, the time of all looks is over."""
        return math.inf if self._ended else time.monotonic()

    def _count(self, account: str, number: int) -> None:
        with self._lock:
            self._running[account] += number
            self._running += Counter[str]()  # those with none are not kept
