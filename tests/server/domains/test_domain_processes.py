"""Several processes over one database: each look is made once, and nobody gets a domain twice."""

from __future__ import annotations

import multiprocessing
import time
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

from server.control import ControlDatabase
from server.control.audit import By
from server.control.hosted_sites import HostedSites
from server.control.sqlite.data_folder import open_data
from server.domains.dns_questions import DnsSettings
from server.domains.domain_claims import DomainClaims
from server.domains.domain_look import proof
from server.domains.domain_name import DomainRules
from server.domains.domain_verdicts import DomainVerdicts
from server.domains.domain_watch import DomainWatch
from tests.server.control.people import account
from tests.server.domains.name_server import RESOLVER, NameServers, txt
from tests.waiting import PATIENCE, until

SITES, BY = "sites.twin.example", By("the test")
NAMES = [f"d{number}.quayside.example" for number in range(5)]
RULES = DomainRules((SITES,))


def race(data: Path, port: int, site: str, line: Connection) -> None:
    """Claim all names, and look at what is due, beside another process that does the same."""
    told = list[str]()
    with open_data(data) as database:
        claims, settings = DomainClaims(database, RULES), DnsSettings(resolver=(RESOLVER, port))
        line.send("ready")
        line.recv()
        for name in NAMES:
            claims.add(site, name, BY)
        with closing(DomainWatch(DomainVerdicts(database), settings, SITES, told.append)) as watch:
            until(lambda: watch.run() or line.poll(0.01))
    line.send(told)


def holders(database: ControlDatabase) -> set[tuple[str, int]]:
    sql = "SELECT domain, COUNT(*) FROM domain_claims WHERE verified_at IS NOT NULL GROUP BY domain"
    return {(str(name), int(str(count))) for name, count in database.read(sql)}


def test_two_processes_that_claim_and_look_at_once(tmp_path: Path, servers: NameServers) -> None:
    with open_data(tmp_path / "data") as database:
        owners = [account(database, f"{who}@example.com").id for who in "ab"]
        sites = [
            HostedSites(database).create(id, f"site-{number}", BY).id for number, id in enumerate(owners)
        ]
        for name in NAMES:
            servers.resolver.put(f"_twinpress.{name}", "TXT", *(txt(proof(owner, name)) for owner in owners))
        spawn = multiprocessing.get_context("spawn")
        lines, processes = [], []
        for site in sites:
            here, there = spawn.Pipe()
            process = spawn.Process(target=race, args=(tmp_path / "data", servers.port, site, there))
            process.start()
            lines.append(here)
            processes.append(process)
        assert [line.recv() for line in lines] == ["ready", "ready"]
        for line in lines:
            line.send("go")
        until(lambda: holders(database) == {(name, 1) for name in NAMES})
        time.sleep(1)
        for line in lines:
            line.send("end")
        assert [line.recv() for line in lines] == [[], []]
        for process in processes:
            process.join(PATIENCE)
        assert holders(database) == {(name, 1) for name in NAMES}
    for name in NAMES:
        asked = [one for one in servers.resolver.asked if one[:2] == (f"_twinpress.{name}", "TXT")]
        assert len(asked) <= 3, "each claim has it looked at, by one of the processes"
