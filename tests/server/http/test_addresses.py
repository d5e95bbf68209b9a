"""Whose request it is: by the other side of its connection, or by what a trusted proxy says."""

from __future__ import annotations

import pytest

from server.http.addresses import UNREADABLE, Proxies, block, network

PROXIES = Proxies(tuple(network(each) for each in ("127.0.0.1", "::1", "10.0.0.0/8", "2001:db8:aa::/48")))

BLOCKS = [
    ("127.0.0.1", ""),
    ("127.8.9.1", ""),
    ("::1", ""),
    ("::ffff:127.0.0.1", ""),
    ("203.0.113.5", "203.0.113.5"),
    ("::ffff:203.0.113.5", "203.0.113.5"),
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    ("2001:db8:1:2::", "2001:db8:1:2::/64"),
    ("fe80::fc:ff%eth0", "fe80::/64"),
]


@pytest.mark.parametrize(("peer", "named"), BLOCKS)
def test_a_client_is_an_ipv4_address_or_a_64_of_ipv6_and_this_machine_is_none(peer: str, named: str) -> None:
    assert block(peer) == named


CLIENTS: list[tuple[list[str], str]] = [
    ([], ""),
    (["203.0.113.5"], "203.0.113.5"),
    (["203.0.113.5:4711"], "203.0.113.5"),
    (["[2001:db8::5]:4711"], "2001:db8::/64"),
    (["2001:db8::5"], "2001:db8::/64"),
    ([" 203.0.113.5 , "], "203.0.113.5"),
    (["198.51.100.9, 203.0.113.5"], "203.0.113.5"),
    (["198.51.100.9", "203.0.113.5"], "203.0.113.5"),
    (["203.0.113.5, 10.1.2.3, 127.0.0.1"], "203.0.113.5"),
    (["127.0.0.1, 203.0.113.5, ::ffff:10.1.2.3"], "203.0.113.5"),
    (["203.0.113.5, 2001:db8:aa::1"], "203.0.113.5"),
    (["10.1.2.3"], ""),
    (["127.0.0.2"], ""),
    (["198.51.100.9, unknown"], UNREADABLE),
    (["198.51.100.9, 203.0.113.999"], UNREADABLE),
    (["_secret"], UNREADABLE),
    (["," * 8000], ""),
]


@pytest.mark.parametrize(("forwarded", "client"), CLIENTS, ids=[str(each[0])[:40] for each in CLIENTS])
def test_a_client_behind_proxies_is_the_first_from_the_right_who_is_no_trusted_one(
    forwarded: list[str], client: str
) -> None:
    assert PROXIES.client(forwarded) == client


@pytest.mark.parametrize("peer", ["127.0.0.1", "10.255.0.1", "::ffff:10.0.0.1", "2001:db8:aa:1::2"])
def test_a_proxy_is_trusted_by_its_address(peer: str) -> None:
    assert PROXIES.trust(peer)


@pytest.mark.parametrize("peer", ["127.0.0.2", "11.0.0.1", "2001:db8:ab::2", "unknown", ""])
def test_nobody_else_is_trusted(peer: str) -> None:
    assert not PROXIES.trust(peer)


@pytest.mark.parametrize(
    "text", ["", "proxy", "1.2.3", "10.0.0.0/33", "10.0.0.1,10.0.0.2", "::ffff:10.0.0.0/104"]
)
def test_what_is_neither_an_address_nor_a_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        network(text)
