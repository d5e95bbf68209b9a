"""Limits of clients that have shown no key, each known by its address behind a trusted proxy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from server.http.addresses import Proxies, network
from server.http.buckets import KNOWN, OwnBuckets
from server.http.connection_room import Wire
from server.http.keyless_limits import KeylessLimits
from server.http.limits import RateLimit
from tests.server.api.raw import Raw, read
from tests.server.authoring.inside import BASE, UNLIMITED, Hosted, hosted
from tests.sites import write_site

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}
DOCUMENT = "/api/v1/openapi.json"
SCRIPT = "/_tp/reload.js"
PROXY = Proxies((network("127.0.0.1"),))
OFTEN = 5
CLIENT, OTHER = "203.0.113.5", "203.0.113.6"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_site(tmp_path, SITE)


@contextmanager
def behind(root: Path, *, connections: int = 0, requests: int = OFTEN, proxies=PROXY) -> Iterator[Hosted]:
    """A server behind a proxy, for which no time passes."""
    visitors = KeylessLimits(connections, requests, proxies, RateLimit(lambda: 0.0))
    with hosted(root, UNLIMITED, Wire(visitors=visitors)) as server:
        yield server


def ask(server: Hosted, target: str, forwarded: str = CLIENT, key: str = "", **headers: str) -> Raw:
    """One request that the proxy hands on."""
    return server.ask("GET", target, key, X_Forwarded_For=forwarded, **headers)


def assert_limited(answer: Raw) -> None:
    """It is refused as the documentation says."""
    assert (answer.status, answer.code) == (429, "RATE_LIMITED")
    assert answer.headers["retry-after"] == "12"
    assert answer.envelope["error"] == "a client without a key may make 5 requests in a minute; wait 12 s"


@pytest.mark.parametrize("target", [DOCUMENT, SCRIPT])
def test_an_address_may_ask_so_often_without_a_key_and_others_are_not_hindered(
    root: Path, target: str
) -> None:
    with behind(root) as server:
        assert [ask(server, target).status for _ in range(OFTEN)] == [200] * OFTEN
        assert_limited(ask(server, target))
        assert ask(server, target, OTHER).status == 200


SAME = [
    f"198.51.100.9, {CLIENT}",
    f"{CLIENT}:4711",
    f"::ffff:{CLIENT}",
    f"{CLIENT}, 127.0.0.1",
    f"127.0.0.1, {CLIENT}",
]


def test_nobody_is_somebody_else_by_what_a_client_can_send(root: Path) -> None:
    with behind(root) as server:
        assert [ask(server, DOCUMENT, each).status for each in SAME] == [200] * OFTEN
        assert_limited(ask(server, DOCUMENT))
        assert_limited(ask(server, DOCUMENT, Forwarded=f"for={OTHER}"))
        assert_limited(ask(server, DOCUMENT, Authorization="Bearer svc_docs_none"))


def test_addresses_of_one_network_of_ipv6_are_one_client(root: Path) -> None:
    with behind(root) as server:
        same = [ask(server, DOCUMENT, f"2001:db8:1:2::{number}").status for number in range(OFTEN)]
        assert same == [200] * OFTEN
        assert_limited(ask(server, DOCUMENT, "2001:db8:1:2:ffff::1"))
        assert ask(server, DOCUMENT, "2001:db8:1:3::1").status == 200


@pytest.mark.parametrize("forwarded", ["", "127.0.0.1", "::1"])
def test_the_proxy_and_this_machine_are_under_no_limit(root: Path, forwarded: str) -> None:
    with behind(root) as server:
        assert {ask(server, DOCUMENT, forwarded).status for _ in range(3 * OFTEN)} == {200}


def test_who_is_no_trusted_proxy_is_not_believed(root: Path) -> None:
    """This machine is no trusted proxy here: what it asks counts for itself, and it is under no limit."""
    with behind(root, proxies=Proxies((network("192.0.2.0/24"),))) as server:
        assert {ask(server, DOCUMENT).status for _ in range(3 * OFTEN)} == {200}


def test_a_bad_key_is_as_good_as_none_and_a_good_one_is_not_counted(root: Path) -> None:
    with behind(root) as server:
        page = f"{BASE}/ai/page?path=docs/a"
        assert {ask(server, page, key=server.long).status for _ in range(3 * OFTEN)} == {200}
        bad = [ask(server, page, key="svc_docs_none"), ask(server, page), ask(server, f"{BASE}/none")]
        assert {answer.status for answer in bad} == {401}
        assert {ask(server, "/api/v1/none").status for _ in range(OFTEN - len(bad))} == {401}
        assert_limited(ask(server, page, key="svc_docs_none"))
        assert_limited(ask(server, page))
        assert ask(server, page, key=server.long).status == 200


def test_an_address_may_have_so_many_requests_on_their_way(root: Path) -> None:
    page = b'{"path": "docs/x", "body": "Hello."}'

    def begin(server: Hosted, opened: ExitStack, address: str):
        """A request whose body is yet to come."""
        connection = opened.enter_context(server.connect())
        lines = (b"X-Forwarded-For: " + address.encode(), b"Expect: 100-continue")
        length = f"Content-Length: {len(page)}".encode()
        connection.sendall(server.head(b"PUT /api/v1/pages/ai/page HTTP/1.1", *lines, length) + b"\r\n")
        return connection

    with behind(root, connections=2) as server, ExitStack() as opened:
        busy = [begin(server, opened, CLIENT) for _ in range(2)]
        assert [read(connection).status for connection in busy] == [100, 100]
        refused = read(begin(server, opened, CLIENT))
        assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "RATE_LIMITED", "1")
        assert "may have 2 connections open at a time" in str(refused.envelope["error"])
        assert read(begin(server, opened, OTHER)).status == 100
        for connection in busy:
            connection.sendall(page)
            assert read(connection).code == "ok"
        assert read(begin(server, opened, CLIENT)).status == 100


def test_of_very_many_addresses_those_that_asked_last_are_known() -> None:
    own = OwnBuckets()
    rate = RateLimit(lambda: 0.0, own)
    for number in range(KNOWN + 10):
        rate.take(str(number), OFTEN)
    assert (own.get("9", 0), own.get("10", 0)) == (None, (OFTEN - 1, 0.0))
    assert own.get(str(KNOWN + 9), 0) == (OFTEN - 1, 0.0)
