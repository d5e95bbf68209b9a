"""The verdicts on domains: when each is looked at next, and who has it after a look, in the database.

Processes of one service look in turns: who looks holds a lease, and an answer that comes after the lease has
gone to another is of no account. So no old answer is taken for a newer one.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from server.control import audit
from server.control.audit import Action, Event
from server.control.notices.deliveries import Notices
from server.control.notices.events import DomainBroken, DomainMended
from server.control.sqlite.database import ControlDatabase, Row, Transaction
from server.domains.domain_claims import EVERY, QUICK_EVERY, give_up
from server.domains.domain_look import DomainLook, proof

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
        others = (each for each in claims if each is not before and each.may_have)
        after = next((each for each in others if look.is_everywhere(each.value(domain))), None)
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
