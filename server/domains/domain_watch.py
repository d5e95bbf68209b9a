"""The watch over domains: looks at their records when they are due, and who has each after a look.

Processes of one service look in turns: who looks holds a lease, and an answer that comes after the lease has
gone to another is of no account. So no old answer is taken for a newer one.
"""

from __future__ import annotations

import math
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from msgspec import Struct

from server.control import audit
from server.control.audit import Action, Event
from server.control.notices.deliveries import Notices
from server.control.notices.events import DomainBroken, DomainMended
from server.control.sqlite.database import ControlDatabase, Row, Transaction
from server.domains.dns_questions import DnsSettings
from server.domains.domain_claims import EVERY, QUICK_EVERY, give_up
from server.domains.domain_look import DomainLook, look, proof, site_addresses
from server.process.faults import describe

MOVES_AFTER = 7 * 24 * 3600
"""Seconds for which a record has to be failing before another account gets the name that proves itself."""
LEASE = 60
"""Seconds that a look may take, and much longer than it does."""
SERVICE = "Twinpress"
"""The actor of what nobody has asked for just then."""


class Lease(Struct, frozen=True):
    """The right to look at a domain, and to say what was found."""

    domain: str
    token: str


class _Claim(Struct, frozen=True):
    account: str
    site: str
    verified_at: int | None
    failing_since: int | None
    may_have: bool
    """Whether the account is not suspended, and the site is not to be deleted."""
    is_kept: bool
    """Whether the site is not to be deleted: else its record holds the name against nobody."""
    companion: bool

    def value(self, domain: str) -> str:
        return proof(self.account, domain)


# Times that are further away than any that is set are those of a clock that was set back since.
_IS_DUE = "(next_at <= ?1 OR next_at > ?2) AND (lease_until <= ?1 OR lease_until > ?3)"
_DUE = f"""
    SELECT name, MIN(account) FROM domains JOIN domain_claims ON domain = name
    WHERE {_IS_DUE} GROUP BY name, next_at ORDER BY next_at LIMIT ?4
"""  # noqa: S608 - a constant
_LEASED = f"UPDATE domains SET lease = ?4, lease_until = ?6 WHERE name = ?5 AND {_IS_DUE}"  # noqa: S608
_CLAIMS = """
    SELECT domain_claims.account, domain_claims.site, verified_at, failing_since, accounts.suspended = 0,
        sites.delete_at IS NULL, companion
    FROM domain_claims JOIN accounts ON accounts.id = domain_claims.account
        JOIN sites ON sites.id = domain_claims.site
    WHERE domain = ? ORDER BY domain_claims.created_at, domain_claims.account
"""
_UNCLAIMED = "DELETE FROM domains WHERE NOT EXISTS (SELECT 1 FROM domain_claims WHERE domain = name)"
_LOOKED = """
    UPDATE domains SET looked_at = ?, routing = ?, routing_found = ?, lease = '', lease_until = 0,
        next_at = CASE WHEN quick_until > ? THEN ? ELSE ? END WHERE name = ?
"""
_TOLD = "UPDATE domain_claims SET ownership = ?, ownership_found = ? WHERE domain = ? AND account = ?"
_HOLDER = "UPDATE domain_claims SET verified_at = ?, failing_since = ? WHERE domain = ? AND account = ?"
_HELD = "SELECT account FROM domain_claims WHERE domain = ? AND verified_at IS NOT NULL"
_TELL = """
    SELECT domain_claims.account, sites.name, told FROM domain_claims JOIN sites ON sites.id = site
    WHERE domain = ? AND verified_at IS NOT NULL AND sites.delete_at IS NULL
"""
_SAID = "UPDATE domain_claims SET told = ? WHERE domain = ? AND account = ?"
_MAIN = """
    INSERT INTO site_hosts (site, main) VALUES (?, ?)
    ON CONFLICT (site) DO UPDATE SET main = excluded.main WHERE site_hosts.main IS NULL
"""


class DomainVerdicts:
    """The verdicts on domains in a database. `clock` gives the seconds since 1970."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._notices = Notices(database, clock)

    def due(self, most: int) -> Mapping[str, str]:
        """Return domains whose next look is due and that nobody looks at, those that wait longest first.

        With each comes one of the accounts that claim it.
        """
        rows = self._database.read(_DUE, (*self._times(), most))
        return {str(name): str(account) for name, account in rows}

    def lease(self, domain: str) -> Lease | None:
        """Take a look as one's own; None where another process has, or it is not due any more."""
        token = secrets.token_hex(8)
        is_ours = self._database.write(_LEASED, (*self._times(), token, domain, self._now() + LEASE))
        return Lease(domain, token) if is_ours else None

    def forget_unclaimed(self) -> None:
        """Remove names that nobody claims any more."""
        self._database.write(_UNCLAIMED)

    def give(self, lease: Lease, look: DomainLook) -> bool:
        """Note what was found, and who has the domain now; False where the lease has gone to another."""
        with self._database.change() as change:
            ours = "SELECT 1 FROM domains WHERE name = ? AND lease = ?"
            if not change.read(ours, (lease.domain, lease.token)):
                return False
            claims = [_claim(row) for row in change.read(_CLAIMS, (lease.domain,))]
            for each in claims:
                told = look.told(each.value(lease.domain))
                change.write(_TOLD, (*told, lease.domain, each.account))
            self._settle(change, lease.domain, claims, look)
            self._tell_holder(change, lease.domain, look)
            self._looked(change, lease.domain, look)
            return True

    def _settle(self, change: Transaction, domain: str, claims: Sequence[_Claim], look: DomainLook) -> None:
        """Decide who has the domain: the same as before, or the first that proves itself where it is free."""
        now = self._now()
        before = next((each for each in claims if each.verified_at is not None), None)
        if before is not None:
            is_there = look.is_everywhere(before.value(domain))
            since = None if is_there else before.failing_since or now
            change.write(_HOLDER, (before.verified_at, since, domain, before.account))
            if not _may_move(before, look, domain, since, now):
                self._make_main(change, domain, before, look)
                return
        after = next(
            (
                each
                for each in claims
                if each is not before and each.may_have and look.is_everywhere(each.value(domain))
            ),
            None,
        )
        if after is not None:
            self._move(change, domain, before, after)
        self._make_main(change, domain, after or before, look)

    def _move(self, change: Transaction, domain: str, before: _Claim | None, after: _Claim) -> None:
        if before is not None:
            self._tell(change, domain, "another account has proved that it is theirs")
            change.write(_HOLDER, (None, None, domain, before.account))
            give_up(change, before.account, domain)
            self._note(change, before.account, "domain.lose", domain)
        change.write(_HOLDER, (self._now(), None, domain, after.account))
        self._note(change, after.account, "domain.verify", domain)

    def _tell_holder(self, change: Transaction, domain: str, look: DomainLook) -> None:
        """Tell who has the domain when it breaks, and when it is right again."""
        for (account,) in change.read(_HELD, (domain,)):
            why = _why_broken(look, proof(str(account), domain))
            if why is not None:
                self._tell(change, domain, why)

    def _tell(self, change: Transaction, domain: str, why: str) -> None:
        """Tell who has the domain why it is broken, or with "" that it is right, if that is news."""
        for account, site, told in change.read(_TELL, (domain,)):
            if told == ("broken" if why else "right") or (why and told == "new"):
                continue
            change.write(_SAID, ("broken" if why else "right", domain, account))
            name = str(site)
            if why:
                self._notices.note(change, str(account), DomainBroken(name, domain, why))
            elif told == "broken":
                self._notices.note(change, str(account), DomainMended(name, domain))

    def _make_main(self, change: Transaction, domain: str, holder: _Claim | None, look: DomainLook) -> None:
        """Have the first domain to which readers come be the main host, where the owner has chosen none."""
        if holder is not None and look.routing == "right" and not holder.companion and holder.is_kept:
            change.write(_MAIN, (holder.site, domain))

    def _looked(self, change: Transaction, domain: str, look: DomainLook) -> None:
        now = self._now()
        values = (now, look.routing, look.routing_found, now, now + QUICK_EVERY, now + EVERY, domain)
        change.write(_LOOKED, values)

    def _note(self, change: Transaction, account: str, action: Action, domain: str) -> None:
        audit.note(change, Event(self._now(), account, SERVICE, action, domain))

    def _times(self) -> tuple[int, int, int]:
        """Return the time, and others after which no look, and no lease, can have been set of late."""
        now = self._now()
        return now, now + 2 * EVERY, now + 2 * LEASE

    def _now(self) -> int:
        return int(self._clock())


def _why_broken(look: DomainLook, value: str) -> str | None:
    """Return why readers do not come, or soon will not; "" when all is right, None when nobody can say."""
    ownership, found = look.told(value)
    if "failed" in {ownership, look.routing}:
        return None
    if ownership != "found":
        return f"the TXT record is not as it has to be: {found or 'there is none'}"
    if look.routing != "right":
        return f"it does not lead here: {look.routing_found or 'it leads nowhere'}"
    return ""


def _may_move(before: _Claim, look: DomainLook, domain: str, since: int | None, now: int) -> bool:
    """Return whether the domain is free for another who proves itself."""
    if not before.is_kept or look.is_gone(before.value(domain)):
        return True
    return since is not None and since <= now - MOVES_AFTER


def _claim(row: Row) -> _Claim:
    account, site, verified_at, failing_since, may_have, is_kept, companion = row
    return _Claim(
        str(account),
        str(site),
        None if verified_at is None else int(verified_at),
        None if failing_since is None else int(failing_since),
        bool(may_have) and bool(is_kept),
        bool(is_kept),
        bool(companion),
    )


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
