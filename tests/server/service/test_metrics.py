"""Metrics at a port of their own: what Prometheus reads, and what never is in it."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import REGISTRY
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families

from builder.version import VERSION
from tests.server.control.people import PASSWORD, account, accounts
from tests.server.dashboard.browser import Browser
from tests.server.service.inside import Inside, inside
from tests.waiting import until

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Inside]:
    with inside(tmp_path / "data", metrics_port=0) as running:
        yield running


def samples(service: Inside) -> Samples:
    """All that is there, by name and labels."""
    told = service.ask("/metrics", port=service.heard.ports["metrics"])
    assert (told.status, told.headers["cache-control"]) == (200, "no-store")
    return {
        (each.name, tuple(sorted(each.labels.items()))): each.value
        for family in text_string_to_metric_families(told.text)
        for each in family.samples
    }


def one(found: Samples, name: str, **labels: str) -> float:
    return found.get((name, tuple(sorted(labels.items()))), 0.0)


def requests(found: Samples, api: str, route: str, method: str, status: str) -> float:
    return one(found, "twinpress_http_requests_total", api=api, route=route, method=method, status=status)


def test_requests_are_counted_by_api_route_method_and_status(service: Inside) -> None:
    before = samples(service)
    for path in ("/sign-in", "/sign-in?next=/a", "/healthz", "/nowhere/one", "/nowhere/two"):
        service.ask(path, Host=f"localhost:{service.port}")
    service.ask("/api/v1/db/databases", Authorization="Bearer nonsense")
    service.ask("/sign-in", "PROPFIND")
    found = samples(service)
    assert requests(before, "dashboard", "/sign-in", "GET", "200") == 0
    assert requests(found, "dashboard", "/sign-in", "GET", "200") == 2
    assert requests(found, "dashboard", "/healthz", "GET", "200") == 1
    assert requests(found, "dashboard", "/{path}", "GET", "404") == 2
    assert requests(found, "dashboard", "/sign-in", "other", "405") == 1
    assert requests(found, "api", "/api/{rest}", "GET", "404") == 1
    timed = {"api": "dashboard", "route": "/healthz"}
    assert one(found, "twinpress_http_request_duration_seconds_count", **timed) == 1
    assert 0 < one(found, "twinpress_http_request_duration_seconds_sum", **timed) < 60


def test_nothing_of_what_clients_send_is_in_a_label(service: Inside) -> None:
    for number in range(20):
        service.ask(f"/somewhere/{number}?a={number}", "GET", Host=f"host-{number}")
        service.ask(f"/api/v1/db/databases/{number}", f"METHOD{number}", Authorization=f"Bearer {number}")
    told = service.ask("/metrics", port=service.heard.ports["metrics"]).text
    assert len([line for line in told.splitlines() if "twinpress_http_requests_total{" in line]) <= 3
    assert "somewhere" not in told
    assert "METHOD" not in told


def test_refused_sign_ins_are_counted_and_good_ones_are_not(service: Inside) -> None:
    account(service.made.desk.database)
    browser = Browser(service.port)
    for password in ("a wrong one", "another wrong one", PASSWORD):
        browser.post("/sign-in", {"email": "me@example.com", "password": password})
    assert one(samples(service), "twinpress_sign_ins_refused_total") == 2


def test_states_of_the_service_are_there(service: Inside) -> None:
    people = accounts(service.made.desk.database)
    for number in range(3):
        people.create(f"{number}@example.org", PASSWORD)
    people.suspend(people.find("0@example.org").id)
    found = samples(service)
    assert one(found, "twinpress_accounts", state="active") == 2
    assert one(found, "twinpress_accounts", state="suspended") == 1
    assert one(found, "twinpress_databases", state="active") == 0
    assert one(found, "twinpress_ready") == 1
    assert one(found, "twinpress_queue_length", queue="passwords") == 0
    build = [dict(labels) for name, labels in found if name == "twinpress_build_info"]
    assert [each["version"] for each in build] == [VERSION]
    assert one(found, "process_resident_memory_bytes") > 1_000_000


def test_open_connections_are_counted(service: Inside) -> None:
    assert one(samples(service), "twinpress_http_connections", listener="service") == 0
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    assert one(samples(service), "twinpress_http_connections", listener="service") == 1
    connection.close()
    until(lambda: one(samples(service), "twinpress_http_connections", listener="service") == 0)


def test_readers_are_counted(service: Inside) -> None:
    until(lambda: "sites" in service.heard.ports)
    port = service.heard.ports["sites"]
    for _ in range(3):
        service.ask("/", port=port, Host="nowhere.localhost")
    found = samples(service)
    assert one(found, "twinpress_sites_up") == 1
    assert one(found, "twinpress_sites_requests_total", status="404") == 3
    assert one(found, "twinpress_sites_request_duration_seconds_count") == 3


def test_prometheus_gets_the_form_that_it_asks_for(service: Inside) -> None:
    kind = "application/openmetrics-text; version=1.0.0"
    told = service.ask("/metrics", port=service.heard.ports["metrics"], Accept=kind)
    assert told.headers["content-type"].startswith("application/openmetrics-text")
    names = {family.name for family in open_metrics(told.text)}
    assert {"twinpress_http_requests", "twinpress_build"} <= names


def test_metrics_are_at_their_own_port_alone_and_nothing_else_is_there(service: Inside) -> None:
    port = service.heard.ports["metrics"]
    assert service.ask("/metrics").status == 404
    assert [service.ask(path, port=port).status for path in ("/", "/healthz", "/api/v1/db")] == [404] * 3


def test_without_the_option_there_is_no_such_port_and_libraries_count_for_themselves(tmp_path: Path) -> None:
    with inside(tmp_path / "data") as running:
        # The port of sites is the last one that is listened to.
        until(lambda: "sites" in running.heard.ports)
        assert set(running.heard.ports) == {"service", "sites"}
    assert not [family for family in REGISTRY.collect() if family.name.startswith("twinpress")]
