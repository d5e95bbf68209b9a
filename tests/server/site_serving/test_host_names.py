"""The site of a request by the name of its host."""

from __future__ import annotations

import pytest

from tests.server.site_serving.published import HOST

KNOWN = [
    HOST,
    "QUAY.localhost",
    f"{HOST}:8081",
    f"{HOST}:",
    f"{HOST}.",
    f"{HOST}.:1",
    "docs.example.org",
    "xn--bcher-kva.example",
    "XN--BCHER-KVA.example",
    "bücher.example",
    "BÜCHER.example",
]
UNKNOWN = [
    "localhost",
    "127.0.0.1",
    "nobody.localhost",
    "localhost.quay",
    "a.quay.localhost",
    "empty.localhost",
]
BAD = ["", "a b", "a/b", "quay.localhost@x", "[::1]", "quay.localhost:x", "a" * 300, "\xff\xfe.example"]


def _ask(readers, host, path="/hello.txt"):
    return readers.ask(path, [("Host", host.encode())])


@pytest.mark.parametrize("host", KNOWN)
def test_a_site_answers_at_its_names_whatever_the_port(readers, host):
    found = _ask(readers, host)
    assert (found.status, found.body) == (200, b"hello")


@pytest.mark.parametrize("host", UNKNOWN)
def test_other_names_have_nothing_and_say_nothing(readers, host):
    found = _ask(readers, host)
    assert (found.status, found.text) == (404, "There is nothing at this address.\n")
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize("host", BAD, ids=[repr(host[:20]) for host in BAD])
def test_what_is_no_name_is_refused(readers, host):
    assert _ask(readers, host).status in {400, 404}
    assert _ask(readers, host).status == (400 if host.isascii() else _ask(readers, host).status)


def test_two_hosts_are_refused(readers):
    assert readers.ask("/hello.txt", [("Host", HOST), ("Host", HOST)]).status == 400
    assert readers.ask("/hello.txt", [("Host", HOST), ("Host", "reef.localhost")]).status == 400


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        (f"http://{HOST}/hello.txt", HOST, 200),
        (f"http://{HOST.upper()}:81/hello.txt", HOST, 200),
        (f"http://{HOST}/hello.txt", "reef.localhost", 400),
        ("http://reef.localhost/hello.txt", HOST, 400),
        ("ftp://quay.localhost/hello.txt", HOST, 400),
    ],
)
def test_an_absolute_target_names_the_same_host(readers, target, host, status):
    assert readers.ask(target, [("Host", host)]).status == status


@pytest.mark.parametrize(
    ("host", "path", "location"),
    [
        ("www.example.org", "/", "//docs.example.org/"),
        ("www.example.org", "/docs/x?a=%20b", "//docs.example.org/docs/x?a=%20b"),
        ("www.example.org:8081", "/old", "//docs.example.org:8081/old"),
        ("WWW.example.org", "//evil.example/x", "//docs.example.org//evil.example/x"),
    ],
)
def test_a_host_that_leads_to_another_keeps_address_and_port(readers, host, path, location):
    moved = readers.get(path, host)
    assert (moved.status, moved.headers["location"]) == (301, location)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "LOCK"])
def test_sites_are_only_read(readers, method):
    found = readers.get("/hello.txt", method=method)
    assert (found.status, found.headers.get("allow")) == (405, "GET, HEAD")


def test_no_script_becomes_a_service_worker(readers):
    assert readers.get("/worker.js", Service_Worker="script").status == 403


def test_two_sites_share_nothing(readers):
    assert readers.get("/", "reef.localhost").body == b"reef"
    assert readers.get("/hello.txt", "reef.localhost").status == 404
