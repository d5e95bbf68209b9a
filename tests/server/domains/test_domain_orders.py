"""A domain that two accounts want, in many orders: readers of it never come to the wrong one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from server.control import ControlDatabase
from server.control.accounts.accounts import Accounts
from server.control.audit import By
from server.control.errors import SiteNotFound
from server.control.hosted_sites import HostedSites
from server.domains.domain_claims import AGAIN, DomainClaims, DomainLimitReached, DomainNotFound, DomainTaken
from server.domains.domain_look import DomainLook, look, proof
from server.domains.domain_name import DomainRules, InvalidDomain
from server.domains.domain_verdicts import DomainVerdicts
from tests.server.control.clock import Clock
from tests.server.control.people import account
from tests.server.domains.name_server import NameServers, txt

CASES = json.loads(Path(__file__).with_name("domain_orders.json").read_text("utf-8"))
DOMAIN, SITES = "docs.quayside.example", "sites.twin.example"
NAME = f"_twinpress.{DOMAIN}"
BY = By("the test")
RULES = DomainRules((SITES,))
DAY = 24 * 3600


class Street:
    """Two accounts with a site each, and what befalls them."""

    def __init__(self, database: ControlDatabase, servers: NameServers) -> None:
        self.clock, self.servers, self.database = Clock(), servers, database
        self.claims = DomainClaims(database, RULES, self.clock)
        self.verdicts = DomainVerdicts(database, self.clock)
        self.sites = HostedSites(database, self.clock)
        self.accounts = Accounts(database, self.clock)
        self.owners = {who: account(database, f"{who.lower()}@example.com").id for who in "AB"}
        self.homes = {
            who: self.sites.create(id, f"site-{who.lower()}", BY).id for who, id in self.owners.items()
        }
        self.values = set[str]()

    def step(self, what: str) -> None:
        who, rest = what[0], what[2:].removeprefix("s ").strip()
        acts: dict[str, Callable[[], object]] = {
            "claims": lambda: self.claims.add(self.homes[who], DOMAIN, BY),
            "removes": lambda: self.claims.remove(self.homes[who], DOMAIN, BY),
            "record comes": lambda: self.put(self.values | {self.value(who)}),
            "record goes": lambda: self.put(self.values - {self.value(who)}),
            "record goes from one server": lambda: self.servers.second.put(
                NAME, "TXT", *(txt(each) for each in self.values - {self.value(who)})
            ),
            "deletes the site": lambda: self.sites.delete(self.homes[who], BY),
            "restores the site": lambda: self.sites.restore(self.homes[who], BY),
            "renames the site": lambda: self.sites.rename(self.homes[who], "another-name", BY),
            "is suspended": lambda: self.accounts.suspend(self.owners[who]),
            "is cleared": lambda: self.accounts.clear(self.owners[who]),
            "account is gone": lambda: self.forget(who),
        }
        all_at_once: dict[str, Callable[[], object]] = {
            "look": lambda: None,
            "6 days": lambda: self.wait(6 * DAY),
            "7 days": lambda: self.wait(7 * DAY),
            "both records come": lambda: self.put({self.value("A"), self.value("B")}),
            "servers fall silent": lambda: self.fall("servfail"),
            "servers answer": lambda: self.fall(""),
        }
        before = self.served()
        (all_at_once.get(what) or acts[rest])()
        assert self.served() in {"", before} or "restores" in what or "days" in what, "without a look"
        self.look()

    def value(self, who: str) -> str:
        return proof(self.owners[who], DOMAIN)

    def put(self, values: set[str]) -> None:
        self.values = values
        for server in (self.servers.first, self.servers.second):
            server.put(NAME, "TXT", *map(txt, sorted(values)))

    def fall(self, how: str) -> None:
        self.servers.first.how = self.servers.second.how = how

    def forget(self, who: str) -> None:
        self.sites.forget(self.homes[who])
        self.database.write("DELETE FROM accounts WHERE id = ?", (self.owners[who],))

    def wait(self, seconds: int) -> None:
        """Let time pass, with looks meanwhile."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now += 6 * 3600
            self.look()

    def look(self) -> None:
        """Look at what is due an hour later, which is everything."""
        self.clock.now += 3600
        for domain in self.verdicts.due(10):
            lease = self.verdicts.lease(domain)
            assert lease
            assert self.verdicts.give(lease, look(self.servers.settings, domain, SITES))

    def served(self) -> str:
        """The one whose site readers of the domain get."""
        hosts = self.claims.hosts()
        there = {site.id for site in self.sites.every() if site.delete_at is None}
        (found,) = [
            who
            for who, id in self.homes.items()
            if id in there & hosts.keys() and DOMAIN in hosts[id].domains
        ] or [""]
        return found


@pytest.fixture
def street(database: ControlDatabase, servers: NameServers) -> Street:
    return Street(database, servers)


@pytest.mark.parametrize("name", CASES)
def test_readers_never_come_to_the_wrong_one(street: Street, name: str) -> None:
    for what, whose in CASES[name]:
        street.step(what)
        assert street.served() == whose, what


def test_a_pending_claim_reserves_nothing_and_tells_who_has_it(street: Street) -> None:
    for what in ("A claims", "A's record comes", "B claims", "B's record comes"):
        street.step(what)
    (mine,), (other,) = (street.claims.list(home) for home in street.homes.values())
    assert (mine.state, mine.held, other.state, other.held) == ("unrouted", False, "taken", True)
    street.servers.put(DOMAIN, "CNAME", f"{SITES}.")
    street.step("A's record goes from one server")
    assert street.claims.get(street.homes["A"], DOMAIN).state == "failing"
    assert street.served() == "A"


def test_who_loses_a_domain_is_at_its_own_host_again(street: Street) -> None:
    street.servers.put(DOMAIN, "CNAME", f"{SITES}.")
    for what in ("A claims", "A's record comes"):
        street.step(what)
    assert street.claims.of_site(street.homes["A"]).main == DOMAIN
    for what in ("B claims", "B's record comes", "A's record goes"):
        street.step(what)
    assert street.claims.of_site(street.homes["A"]).main == ""
    assert street.claims.of_site(street.homes["B"]).main == DOMAIN
    said = [action for (action,) in street.database.read("SELECT action FROM audit ORDER BY number")]
    assert said[-2:] == ["domain.lose", "domain.verify"]


def told(street: Street, who: str) -> list[str]:
    """The events of which an account was told, the first one first."""
    rows = "SELECT event FROM notices WHERE account = ? ORDER BY number"
    return [str(event) for (event,) in street.database.read(rows, (street.owners[who],))]


@pytest.mark.parametrize(
    ("steps", "events"),
    [
        (["A's record goes", "look"], ["domain.broken"]),
        (["A's record goes", "A's record comes", "look"], ["domain.broken", "domain.mended"]),
        (["servers fall silent", "7 days", "servers answer"], []),
        (["B claims", "A's record goes", "look", "B's record comes"], ["domain.broken"]),
        (["B claims", "B's record comes", "A's record goes"], ["domain.broken"]),
    ],
)
def test_who_has_a_domain_is_told_when_it_breaks(street: Street, steps: list[str], events: list[str]) -> None:
    for id in street.owners.values():
        street.database.write("INSERT INTO mail_choices (account, created_at) VALUES (?, 1)", (id,))
    for what in ("A claims", "A's record comes", "A's record goes", "A's record comes"):
        street.step(what)
    assert told(street, "A") == [], "it has led nowhere yet"
    street.servers.put(DOMAIN, "CNAME", f"{SITES}.")
    street.step("look")
    for what in steps:
        street.step(what)
    assert (told(street, "A"), told(street, "B")) == (events, [])


def test_a_name_below_a_domain_is_for_who_proves_it(street: Street) -> None:
    for what in ("A claims", "A's record comes"):
        street.step(what)
    below = f"blog.{DOMAIN}"
    street.claims.add(street.homes["B"], below, BY)
    street.servers.put(f"_twinpress.{below}", "TXT", txt(street.value("A")), txt(street.value("B")))
    street.look()
    assert street.claims.get(street.homes["B"], below).verified_at is None
    street.servers.put(f"_twinpress.{below}", "TXT", txt(proof(street.owners["B"], below)))
    street.look()
    assert street.claims.get(street.homes["B"], below).verified_at
    assert street.served() == "A"


def test_the_owner_chooses_the_main_host_and_what_leads_to_it(street: Street) -> None:
    home, other = street.homes["A"], street.homes["B"]
    names = [each.name for each in street.claims.add(home, "quayside.example", BY, both=True)]
    assert names == ["quayside.example", "www.quayside.example"]
    for name in names:
        street.servers.put(f"_twinpress.{name}", "TXT", txt(proof(street.owners["A"], name)))
    street.servers.put("www.quayside.example", "CNAME", f"{SITES}.")
    street.look()
    hosts = street.claims.of_site(home)
    assert (hosts.main, hosts.leads, hosts.domains) == ("", True, dict.fromkeys(names, True))
    street.servers.put("quayside.example", "A", "192.0.2.40")
    street.look()
    assert street.claims.of_site(home).main == "quayside.example"
    street.claims.set_main(home, "www.quayside.example", BY)
    street.claims.set_leads(home, "quayside.example", False, BY)
    street.claims.set_leads(home, "", False, BY)
    street.look()
    hosts = street.claims.of_site(home)
    assert (hosts.main, hosts.leads) == ("www.quayside.example", False)
    assert hosts.domains == {"quayside.example": False, "www.quayside.example": True}
    for name in ("other.example", DOMAIN):
        with pytest.raises(DomainNotFound):
            street.claims.set_main(home, name, BY)
    with pytest.raises(DomainNotFound):
        street.claims.set_main(other, "quayside.example", BY)
    with pytest.raises(DomainNotFound):
        street.claims.remove(other, "quayside.example", BY)
    street.claims.remove(home, "www.quayside.example", BY)
    assert street.claims.of_site(home).main == ""


def test_an_owner_that_wants_no_other_main_host_gets_none(street: Street) -> None:
    street.claims.set_main(street.homes["A"], "", BY)
    street.servers.put(DOMAIN, "CNAME", f"{SITES}.")
    for what in ("A claims", "A's record comes"):
        street.step(what)
    assert street.claims.of_site(street.homes["A"]).main == ""


def test_a_plan_has_so_many_domains(street: Street) -> None:
    home = street.homes["A"]
    for number in range(5):
        street.claims.add(home, f"d{number}.quayside.example", BY)
    with pytest.raises(DomainLimitReached):
        street.claims.add(home, DOMAIN, BY)
    street.claims.remove(home, "d0.quayside.example", BY)
    street.claims.add(home, DOMAIN, BY)
    with pytest.raises(DomainTaken):
        street.claims.add(home, f"{DOMAIN.upper()}.", BY)


def test_what_both_names_have_no_room_for_adds_none(street: Street) -> None:
    home = street.homes["A"]
    for number in range(4):
        street.claims.add(home, f"d{number}.quayside.example", BY)
    with pytest.raises(DomainLimitReached):
        street.claims.add(home, "quayside.example", BY, both=True)
    assert len(street.claims.list(home)) == 4


def test_a_domain_is_looked_at_soon_then_often_then_hourly(street: Street) -> None:
    street.claims.add(street.homes["A"], DOMAIN, BY)
    begun, looks = street.clock.now, list[float]()
    while street.clock.now < begun + 3 * 3600:
        for domain in street.verdicts.due(10):
            looks.append(street.clock.now - begun)
            lease = street.verdicts.lease(domain)
            assert lease
            street.verdicts.give(lease, DomainLook())
        street.clock.now += 1
    assert looks[:3] == [0, 20, 40]
    assert len([each for each in looks if each < 600]) == 30
    assert len(looks) == 30 + 3
    street.claims.look_again(street.homes["A"], DOMAIN, BY)
    assert [*street.verdicts.due(10)] == [DOMAIN]


def test_nobody_has_a_domain_looked_at_without_a_pause(street: Street) -> None:
    home = street.homes["A"]
    for _ in range(3):
        street.claims.add(home, DOMAIN, BY)
        lease = street.verdicts.lease(DOMAIN)
        if lease:
            street.verdicts.give(lease, DomainLook())
        street.claims.look_again(home, DOMAIN, BY)
        assert not street.verdicts.due(10)
        street.claims.remove(home, DOMAIN, BY)
    street.clock.now += AGAIN
    street.claims.add(home, DOMAIN, BY)
    assert [*street.verdicts.due(10)] == [DOMAIN]


def test_an_answer_that_is_too_late_is_of_no_account(street: Street) -> None:
    """A process was held up for long; meanwhile another has looked, and the domain has moved."""
    for what in ("A claims", "A's record comes", "B claims", "look"):
        street.step(what)
    street.clock.now += 3600
    slow = street.verdicts.lease(DOMAIN)
    assert slow
    assert street.verdicts.lease(DOMAIN) is None
    old = look(street.servers.settings, DOMAIN, SITES)
    for what in ("B's record comes", "A's record goes"):
        street.step(what)
    assert street.served() == "B"
    assert not street.verdicts.give(slow, old)
    assert street.served() == "B"


def test_names_that_nobody_claims_are_forgotten(street: Street) -> None:
    street.step("A claims")
    street.verdicts.forget_unclaimed()
    assert street.database.read("SELECT name FROM domains") == [(DOMAIN,)]
    street.step("A removes")
    assert not street.verdicts.due(10)
    street.verdicts.forget_unclaimed()
    assert street.database.read("SELECT name FROM domains") == []


def test_an_operator_clears_all_claims_of_a_name(street: Street) -> None:
    for what in ("A claims", "A's record comes", "B claims"):
        street.step(what)
    assert {each.account for each in street.claims.clear(DOMAIN, BY)} == {*street.owners.values()}
    assert (street.claims.every(), street.served()) == ([], "")
    with pytest.raises(DomainNotFound):
        street.claims.clear(DOMAIN, BY)


def test_a_site_that_is_to_be_deleted_takes_no_domain(street: Street) -> None:
    street.sites.delete(street.homes["A"], BY)
    with pytest.raises(SiteNotFound):
        street.claims.add(street.homes["A"], DOMAIN, BY)


def test_what_has_become_a_host_of_the_service_is_served_no_more(street: Street) -> None:
    """The service was started again, with another address of sites."""
    street.servers.put(DOMAIN, "CNAME", f"{SITES}.")
    for what in ("A claims", "A's record comes"):
        street.step(what)
    home = street.homes["A"]
    assert street.claims.of_site(home).main == DOMAIN
    again = DomainClaims(street.database, DomainRules(("quayside.example",)), street.clock)
    assert (again.of_site(home).main, again.of_site(home).domains) == ("", {})
    assert again.hosts()[home].domains == {}


def test_what_cannot_be_a_domain_is_refused(street: Street) -> None:
    with pytest.raises(InvalidDomain):
        street.claims.add(street.homes["A"], f"x.{SITES}", BY)
