"""The domains of sites, as rows: who wants a name, who has it, and where each leads.

A claim reserves nothing: the first whose record is seen gets the name, see `domain_verdicts`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from builder.errors import TwinpressError
from server.control import audit
from server.control.audit import Action, By, Event
from server.control.errors import SiteNotFound
from server.control.plans import PLANS, PlanName, Plans
from server.control.sqlite.database import ControlDatabase, Transaction
from server.domains.domain import SELECT, Domain, SiteHosts, to_domain
from server.domains.domain_name import DomainRules, companion

QUICK, QUICK_EVERY, EVERY = 600, 20, 3600
"""Seconds for which a new domain is looked at every QUICK_EVERY seconds, and later every EVERY."""
AGAIN = 5
"""Seconds between two looks at a domain at least, whoever wants them."""


class DomainNotFound(TwinpressError):
    """The site has no such domain."""


class DomainTaken(TwinpressError):
    """The account has this domain already, for this site or another."""


class DomainLimitReached(TwinpressError):
    """The account has as many domains as its plan allows."""


_HOSTS = """
    SELECT domain_claims.site, domain, domain_claims.leads, COALESCE(main, ''), COALESCE(site_hosts.leads, 1)
    FROM domain_claims LEFT JOIN site_hosts ON site_hosts.site = domain_claims.site
    WHERE verified_at IS NOT NULL
"""
_CLAIM = "INSERT INTO domain_claims (domain, account, site, created_at, companion) VALUES (?, ?, ?, ?, ?)"
_LOOK = """
    INSERT INTO domains (name, next_at, quick_until) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET quick_until = excluded.quick_until, next_at = CASE
        WHEN domains.looked_at > excluded.next_at - ? AND domains.looked_at <= excluded.next_at
            THEN domains.looked_at + ? ELSE excluded.next_at END
"""
_SET_MAIN = """
    INSERT INTO site_hosts (site, main) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET main = excluded.main
"""
_SET_LEADS = """
    INSERT INTO site_hosts (site, leads) VALUES (?, ?) ON CONFLICT (site) DO UPDATE SET leads = excluded.leads
"""


class DomainClaims:
    """The domains in a database. `clock` gives the seconds since 1970. Safe to use from several threads."""

    def __init__(
        self,
        database: ControlDatabase,
        rules: DomainRules,
        clock: Callable[[], float] = time.time,
        plans: Plans = PLANS,
    ) -> None:
        self._database = database
        self._rules = rules
        self._clock = clock
        self._plans = plans

    def list(self, site: str) -> Sequence[Domain]:
        """All domains of a site, the oldest first."""
        where = f"{SELECT} WHERE site = ? ORDER BY created_at, companion, domain"
        return [to_domain(row) for row in self._database.read(where, (site,))]

    def of_account(self, account: str) -> Sequence[Domain]:
        """All domains of an account by name."""
        where = f"{SELECT} WHERE account = ? ORDER BY domain"
        return [to_domain(row) for row in self._database.read(where, (account,))]

    def every(self) -> Sequence[Domain]:
        """All domains of all accounts by name, whoever has each first."""
        return [
            to_domain(row)
            for row in self._database.read(f"{SELECT} ORDER BY domain, verified_at IS NULL, created_at")
        ]

    def get(self, site: str, name: str) -> Domain:
        """Return this domain of a site. Raises DomainNotFound."""
        return _one(self._database, site, name)

    def hosts(self) -> Mapping[str, SiteHosts]:
        """Return the hosts of all sites that have a verified domain, by the ids of sites."""
        found = dict[str, SiteHosts]()
        for site, domain, leads, main, own_leads in self._database.read(_HOSTS):
            before = found.get(str(site), SiteHosts(str(main), bool(own_leads), {}))
            domains = {**before.domains, str(domain): bool(leads)}
            found[str(site)] = SiteHosts(before.main, before.leads, domains)
        return {site: self._valid(each) for site, each in found.items()}

    def of_site(self, site: str) -> SiteHosts:
        """Return the hosts of one site."""
        rows = self._database.read(f"{_HOSTS} AND domain_claims.site = ?", (site,))
        domains = {str(row[1]): bool(row[2]) for row in rows}
        kept = self._database.read("SELECT main, leads FROM site_hosts WHERE site = ?", (site,))
        main, leads = kept[0] if kept else ("", 1)
        return self._valid(SiteHosts(str(main or ""), bool(leads), domains))

    def add(self, site: str, text: str, by: By, *, both: bool = False) -> Sequence[Domain]:
        """Claim a domain for a site; with `both`, the name with or without `www.` too, as its companion.

        Raises InvalidDomain, DomainTaken, DomainLimitReached and SiteNotFound.
        """
        name = self._rules.parse(text)
        other = companion(name) if both else ""
        with self._database.change() as change:
            by.check()
            account = _account_of(change, site)
            self._claim(change, site, account, name, by)
            if other and not _mine(change, account, other):
                self._claim(change, site, account, other, by, is_companion=True)
            return [_one(change, site, each) for each in (name, other) if each and _at(change, site, each)]

    def remove(self, site: str, name: str, by: By) -> None:
        """Give a domain up: nobody has it then, until somebody's record is seen. Raises DomainNotFound."""
        with self._database.change() as change:
            by.check()
            found = _one(change, site, name)
            give_up(change, found.account, name)
            change.write("DELETE FROM domain_claims WHERE domain = ? AND site = ?", (name, site))
            self._note(change, by, found.account, "domain.remove", name)

    def look_again(self, site: str, name: str, by: By) -> None:
        """Have a domain looked at soon, and often for some minutes. Raises DomainNotFound."""
        with self._database.change() as change:
            by.check()
            _one(change, site, name)
            self._look(change, name)

    def set_main(self, site: str, name: str, by: By) -> None:
        """Have a verified domain be the main host of its site, "" is the site's own. Raises DomainNotFound.

        Its pages name the new one when the site is published again.
        """
        with self._database.change() as change:
            by.check()
            account = _account_of(change, site)
            if name and _one(change, site, name).verified_at is None:
                raise DomainNotFound(
                    f"`{name}` is not verified yet", hint="wait until its TXT record is found"
                )
            change.write(_SET_MAIN, (site, name))
            self._note(change, by, account, "domain.main", name or site)

    def set_leads(self, site: str, name: str, leads: bool, by: By) -> None:
        """Have a host of a site lead to the main one, or show the site itself; "" is the site's own.

        Raises DomainNotFound.
        """
        with self._database.change() as change:
            by.check()
            _account_of(change, site)
            if not name:
                change.write(_SET_LEADS, (site, int(leads)))
                return
            found = _one(change, site, name)
            sql = "UPDATE domain_claims SET leads = ? WHERE domain = ? AND account = ?"
            change.write(sql, (int(leads), name, found.account))

    def clear(self, name: str, by: By) -> Sequence[Domain]:
        """Remove all claims of a name, whosever; return them. Raises DomainNotFound where there is none."""
        with self._database.change() as change:
            by.check()
            found = [to_domain(row) for row in change.read(f"{SELECT} WHERE domain = ?", (name,))]
            if not found:
                hint = "`twinpress admin domain list` shows those that there are"
                raise DomainNotFound("nobody has claimed this domain", hint=hint)
            for each in found:
                give_up(change, each.account, name)
                self._note(change, by, each.account, "domain.remove", name)
            change.write("DELETE FROM domains WHERE name = ?", (name,))
            return found

    def _valid(self, hosts: SiteHosts) -> SiteHosts:
        """Leave out what is a host of the service by now, and a main host that is gone."""
        domains = {name: leads for name, leads in hosts.domains.items() if not self._rules.owns(name)}
        return SiteHosts(hosts.main if hosts.main in domains else "", hosts.leads, domains)

    def _claim(
        self, change: Transaction, site: str, account: str, name: str, by: By, *, is_companion: bool = False
    ) -> None:
        mine = _mine(change, account, name)
        if mine:
            where = "this site" if mine == site else "another of your sites"
            raise DomainTaken(f"`{name}` is a domain of {where} already", hint="remove it there first")
        self._check_room(change, account)
        self._look(change, name)
        change.write(_CLAIM, (name, account, site, int(self._clock()), int(is_companion)))
        self._note(change, by, account, "domain.add", name)

    def _look(self, change: Transaction, name: str) -> None:
        now = int(self._clock())
        change.write(_LOOK, (name, now, now + QUICK, AGAIN, AGAIN))

    def _check_room(self, change: Transaction, account: str) -> None:
        ((kept,),) = change.read("SELECT plan FROM accounts WHERE id = ?", (account,))
        plan: PlanName = msgspec.convert(kept, PlanName)
        most = self._plans[plan].domains
        ((count,),) = change.read("SELECT COUNT(*) FROM domain_claims WHERE account = ?", (account,))
        if int(str(count)) >= most:
            hint = "remove one to add another; those that are not verified count, too"
            raise DomainLimitReached(f"the {plan} plan has {most} domains, and all are in use", hint=hint)

    def _note(self, change: Transaction, by: By, account: str, action: Action, name: str) -> None:
        audit.note(change, Event(int(self._clock()), account, by.actor, action, name))


def give_up(change: Transaction, account: str, name: str) -> None:
    """Have a site whose main host was this domain of an account be at its own host again."""
    of_account = "site IN (SELECT id FROM sites WHERE account = ?)"
    sql = f"UPDATE site_hosts SET main = NULL WHERE main = ? AND {of_account}"  # noqa: S608 - a constant
    change.write(sql, (name, account))


def _account_of(change: Transaction, site: str) -> str:
    rows = change.read("SELECT account FROM sites WHERE id = ? AND delete_at IS NULL", (site,))
    if not rows:
        raise SiteNotFound("there is no such site here", hint="look at the list of your sites")
    return str(rows[0][0])


def _mine(change: Transaction, account: str, name: str) -> str:
    """Return the site of an account that claims a domain, "" for none."""
    sql = "SELECT site FROM domain_claims WHERE account = ? AND domain = ?"
    rows = change.read(sql, (account, name))
    return str(rows[0][0]) if rows else ""


def _at(change: Transaction, site: str, name: str) -> bool:
    return bool(change.read("SELECT 1 FROM domain_claims WHERE site = ? AND domain = ?", (site, name)))


def _one(reader: Transaction | ControlDatabase, site: str, name: str) -> Domain:
    rows = reader.read(f"{SELECT} WHERE site = ? AND domain = ?", (site, name)) if name.isascii() else []
    if not rows:
        raise DomainNotFound("the site has no such domain", hint="look at the list of its domains")
    return to_domain(rows[0])
