"""The watch over domains: many at a time, and nobody's dead servers in the way of others."""

from __future__ import annotations

import threading
from contextlib import closing

from server.control import ControlDatabase
from server.control.audit import By
from server.control.hosted_sites import HostedSites
from server.control.plans import PLANS
from server.domains.dns_questions import DnsSettings
from server.domains.domain_claims import DomainClaims
from server.domains.domain_look import DomainLook, proof
from server.domains.domain_name import DomainRules
from server.domains.domain_verdicts import DomainVerdicts
from server.domains.domain_watch import EACH, DomainWatch
from tests.server.control.clock import Clock
from tests.server.control.people import account
from tests.server.domains.name_server import RESOLVER, NameServers, txt
from tests.time_bounds import in_time
from tests.waiting import until

BY, SITES = By("the test"), "sites.twin.example"


def test_domains_are_looked_at_though_the_clock_is_set_back(database: ControlDatabase) -> None:
    clock = Clock()
    claims = DomainClaims(database, DomainRules((SITES,)), clock)
    site = HostedSites(database).create(account(database, plan="premium").id, "quay", BY).id
    claims.add(site, "docs.quayside.example", BY)
    verdicts = DomainVerdicts(database, clock)
    lease = verdicts.lease("docs.quayside.example")
    assert lease is not None
    clock.now -= 30 * 86_400  # the process that looks is killed, and the clock is set back
    lease = verdicts.lease("docs.quayside.example")
    assert lease is not None
    assert verdicts.give(lease, DomainLook())
    assert not verdicts.due(9)
    clock.now -= 30 * 86_400
    assert list(verdicts.due(9)) == ["docs.quayside.example"]
    claims.look_again(site, "docs.quayside.example", BY)
    assert claims.get(site, "docs.quayside.example").next_at == int(clock.now)


def test_domains_of_one_account_do_not_delay_those_of_others(
    database: ControlDatabase, servers: NameServers
) -> None:
    claims = DomainClaims(database, DomainRules((SITES,)))
    ids = [account(database, f"{who}@example.com", "premium").id for who in ("many", "few")]
    sites = [HostedSites(database).create(id, f"site-{number}", BY).id for number, id in enumerate(ids)]
    assert PLANS["premium"].domains > 60
    for number in range(60):
        claims.add(sites[0], f"d{number}.dead.example", BY)
    claims.add(sites[1], "docs.quayside.example", BY)
    servers.put("_twinpress.docs.quayside.example", "TXT", txt(proof(ids[1], "docs.quayside.example")))
    servers.resolver.silent_below = "dead.example"
    told = list[str]()
    settings = DnsSettings(resolver=(RESOLVER, servers.port))
    with closing(DomainWatch(DomainVerdicts(database), settings, SITES, told.append)) as watch:
        with in_time(5):
            until(lambda: watch.run() or claims.get(sites[1], "docs.quayside.example").verified_at)
        sql = "SELECT COUNT(*) FROM domains WHERE lease <> ''"
        ((leased,),) = database.read(sql)
        assert int(str(leased)) == EACH
        with in_time(5):  # questions under way are the last ones
            watch.close()
    assert told == []
    assert all(not each.name.startswith("twinpress-domains") for each in threading.enumerate())
