"""Looks at the records of a domain, at real name servers: what is found, and what is not asked at all."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from server.domains.dns_questions import LOOK, MOST_ALIASES, DnsSettings
from server.domains.domain_look import DomainLook, look, proof, site_addresses
from server.domains.public_address import is_public
from tests.server.domains.name_server import FIRST, RESOLVER, SECOND, NameServers, records, txt
from tests.time_bounds import in_time

CASES = json.loads(Path(__file__).with_name("domain_look.json").read_text("utf-8"))
ACCOUNT, DOMAIN, SITES = "account1", "docs.quayside.example", "sites.twin.example"
NAME = f"_twinpress.{DOMAIN}"
PROOF = proof(ACCOUNT, DOMAIN)


def seen(servers: NameServers, settings: DnsSettings | None = None) -> DomainLook:
    return look(settings or servers.settings, DOMAIN, SITES)


def fill(servers: NameServers, case: dict[str, Any]) -> None:
    text = json.dumps(case["records"]).replace("PROOF", PROOF)
    records(servers, json.loads(text.replace("OTHER-NAME", proof(ACCOUNT, "other.quayside.example"))))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_what_is_found(servers: NameServers, case: dict[str, Any]) -> None:
    fill(servers, case)
    for settings in (servers.settings, servers.asking_one):
        found = seen(servers, settings)
        ownership, told = found.told(PROOF)
        assert (ownership, found.routing) == (case["ownership"], case["routing"])
        assert case.get("told", "") in told
        assert case.get("found", "") in found.routing_found
        assert "\0" not in told


def test_a_value_is_of_one_account_and_one_name() -> None:
    values = {proof(account, name) for account in ("a", "b") for name in ("x.example", "y.example")}
    assert len(values) == 4
    assert all(value.startswith("twinpress=") and len(value) < 60 for value in values)


def test_the_servers_of_the_zone_are_asked_without_recursion_and_not_the_resolver(
    servers: NameServers,
) -> None:
    servers.resolver.put(NAME, "TXT", txt(PROOF))
    assert seen(servers).told(PROOF) == ("missing", "")
    assert (NAME, "TXT", False) in servers.first.asked
    assert (NAME, "TXT", False) in servers.second.asked


def test_all_servers_have_to_say_it(servers: NameServers) -> None:
    servers.first.put(NAME, "TXT", txt(PROOF))
    found = seen(servers)
    assert found.told(PROOF) == ("wrong", "nothing yet at `ns2.servers.example`")
    assert (found.is_everywhere(PROOF), found.is_gone(PROOF)) == (False, False)


@pytest.mark.parametrize("how", ["silent", "servfail", "lame"])
def test_a_server_that_is_of_no_use_is_left_out(servers: NameServers, how: str) -> None:
    servers.first.put(NAME, "TXT", txt(PROOF))
    servers.second.how = how
    found = seen(servers)
    assert found.told(PROOF) == ("found", "")
    servers.first.drop(NAME, "TXT")
    found = seen(servers)
    assert found.told(PROOF)[0] == "missing"
    assert not found.is_gone(PROOF), "nobody knows what the other one has"


@pytest.mark.parametrize("how", ["silent", "servfail", "lame"])
def test_servers_of_no_use_prove_nothing(servers: NameServers, how: str) -> None:
    servers.put(NAME, "TXT", txt(PROOF))
    servers.first.how = servers.second.how = how
    with in_time(LOOK + 3):
        found = seen(servers)
    assert found.told(PROOF)[0] == found.routing == "failed"
    assert (found.is_everywhere(PROOF), found.is_gone(PROOF)) == (False, False)


def test_a_question_that_is_lost_is_put_again(servers: NameServers) -> None:
    servers.put(NAME, "TXT", txt(PROOF))
    servers.second.how = "lossy"
    found = seen(servers)
    assert [each.fault for each in found.answers] == ["", ""]
    assert found.told(PROOF) == ("found", "")


def test_a_resolver_that_does_not_answer_proves_nothing(servers: NameServers) -> None:
    servers.put(NAME, "TXT", txt(PROOF))
    servers.resolver.how = "silent"
    found = seen(servers)
    assert found.told(PROOF) == ("failed", "it did not answer in time")
    assert not found.is_gone(PROOF)


def test_a_record_that_needs_tcp_is_read(servers: NameServers) -> None:
    servers.put(NAME, "TXT", txt(PROOF), *(txt(f"{number} {'x' * 200}") for number in range(20)))
    assert seen(servers).told(PROOF) == ("found", "")
    assert (NAME, "TXT", True) in servers.first.asked


@pytest.mark.parametrize("texts", [[txt("x" * 60_000)], [txt(str(number)) for number in range(500)]])
def test_an_answer_of_64_kb_is_none(servers: NameServers, texts: list[str]) -> None:
    servers.put(NAME, "TXT", txt(PROOF), *texts)
    with in_time(3):
        found = seen(servers)
    ownership, why = found.told(PROOF)
    assert (ownership, "too large" in why, len(why) < 200) == ("failed", True, True)
    assert not found.is_gone(PROOF)


def test_a_chain_of_aliases_is_followed_for_some_steps(servers: NameServers) -> None:
    names = [DOMAIN, *(f"a{number}.quayside.example" for number in range(40)), SITES]
    for name, target in pairwise(names):
        servers.put(name, "CNAME", f"{target}.")
    found = seen(servers)
    assert (found.routing, "CNAME records one behind another" in found.routing_found) == ("failed", True)
    assert len(servers.resolver.asked) < 30 + MOST_ALIASES


def test_a_server_at_a_private_address_is_refused_whatever_the_zone_says(servers: NameServers) -> None:
    servers.put(NAME, "TXT", txt(PROOF))
    settings = DnsSettings(system=((RESOLVER, servers.port),), port=servers.port)
    found = seen(servers, settings)
    assert "private network" in found.told(PROOF)[1]
    assert servers.first.asked == servers.second.asked == []


def test_a_name_that_is_public_at_first_and_private_later_is_looked_up_once(servers: NameServers) -> None:
    """The address that was checked is the one that is asked: there is no second look to be lied to."""
    servers.put(NAME, "TXT", txt(PROOF))
    checked = list[str]()

    def rebound(address: str) -> bool:
        checked.append(address)
        servers.resolver.put("ns1.servers.example", "A", "127.0.0.99")
        servers.resolver.put("ns2.servers.example", "A", "127.0.0.99")
        return address in {FIRST, SECOND}

    settings = DnsSettings(system=((RESOLVER, servers.port),), port=servers.port, may_ask=rebound)
    assert seen(servers, settings).told(PROOF)[0] == "found"
    asked = [name for name, kind, _ in servers.resolver.asked if kind == "A" and name.startswith("ns")]
    assert sorted(asked) == sorted(2 * ["ns1.servers.example", "ns2.servers.example"])
    assert "127.0.0.99" in checked


def test_a_zone_with_many_servers_is_asked_at_some(servers: NameServers) -> None:
    names = [f"ns{number}.servers.example." for number in range(50)]
    servers.resolver.put("quayside.example", "NS", *names)
    for name in names:
        servers.resolver.put(name.removesuffix("."), "A", FIRST)
    servers.put(NAME, "TXT", txt(PROOF))
    assert seen(servers).told(PROOF)[0] == "found"
    assert servers.first.asked.count((NAME, "TXT", False)) <= 6


def test_a_zone_without_servers_is_told(servers: NameServers) -> None:
    servers.resolver.drop("quayside.example", "NS")
    assert seen(servers).told(PROOF) == ("failed", "no name servers are known for it")


def test_the_addresses_of_sites_are_known(servers: NameServers) -> None:
    assert site_addresses(servers.settings, SITES) == ["192.0.2.40"]
    assert site_addresses(servers.settings, "none.twin.example") == []


@pytest.mark.parametrize("address", [FIRST, SECOND])
def test_the_servers_of_this_test_are_loopback_ones(address: str) -> None:
    assert not is_public(address)
