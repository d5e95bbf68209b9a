"""The log of the dashboard: each request of a browser has an id, and nothing secret is in its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest

from server.http.addresses import Proxies
from server.http.keyless_limits import KeylessLimits
from server.http.logged_request import LoggedRequest
from tests.server.control.people import PASSWORD, account
from tests.server.dashboard.browser import Browser
from tests.server.service.inside import Inside, inside
from tests.waiting import until


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inside]:
    with inside(tmp_path_factory.mktemp("page-log") / "data") as running:
        account(running.made.desk.database)
        yield running


def last(service: Inside, id: str) -> LoggedRequest:
    """The line about a request."""
    return until(lambda: [each for each in service.heard.requests if each.id == id])[0]


CASES = [
    ("GET", "/sign-in?next=%2Fdatabases", "/sign-in", 200),
    ("GET", "/first/a-secret-token-of-somebody", "/first/{token}", None),
    ("GET", "/nowhere/a-secret-token-of-somebody", "(no such page)", 404),
    ("POST", "/sign-in", "/sign-in", 403),
    ("POST", "/healthz", "(no such page)", 404),
]


@pytest.mark.parametrize(("method", "path", "shown", "status"), CASES)
def test_a_request_has_an_id_in_its_answer_and_a_line_without_what_it_asked_for(
    service: Inside, method: str, path: str, shown: str, status: int | None
) -> None:
    answer = service.ask(path, method, Host=f"localhost:{service.port}")
    line = last(service, answer.headers["x-request-id"])
    assert (line.method, line.path, line.status) == (method, shown, status or answer.status)
    assert (line.area, line.key) == ("dashboard", "")
    assert line.seconds > 0
    assert "secret" not in repr(line)


def test_an_address_that_nobody_has_is_a_page_for_browsers_and_a_line_for_programs(service: Inside) -> None:
    host = f"localhost:{service.port}"
    page = service.ask("/sites/", Host=host, Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (page.status, "There is no such page." in page.text) == (404, True)
    assert '<a href="/">Go to the dashboard</a>' in page.text
    line = service.ask("/sites/", Host=host, Accept="*/*")
    assert (line.status, line.text.startswith("There is no page here.")) == (404, True)


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_that_go_well_are_no_lines(service: Inside, path: str) -> None:
    answer = service.ask(path)
    service.ask("/nowhere")
    until(lambda: service.heard.requests[-1].path == "(no such page)")
    assert answer.headers["x-request-id"] not in [each.id for each in service.heard.requests]


def test_files_of_the_dashboard_are_no_lines(service: Inside) -> None:
    page = service.ask("/sign-in", Host=f"localhost:{service.port}")
    found = re.search(r'href="([^"]+\.css)"', page.text)
    assert found
    answer = service.ask(found[1])
    assert answer.status == 200
    assert answer.headers["x-request-id"] not in [each.id for each in service.heard.requests]


def test_who_is_signed_in_is_named_by_the_session(service: Inside) -> None:
    browser = Browser(service.port)
    browser.post("/sign-in", {"email": "me@example.com", "password": PASSWORD})
    page = browser.get("/account")
    line = last(service, page.headers["x-request-id"])
    ((session,),) = service.made.desk.database.read("SELECT id FROM browser_sessions")
    assert (line.path, line.key) == ("/account", f"session {session}")
    tokens = list(browser.cookies.values())
    assert not [each for each in service.heard.requests for token in tokens if token in repr(each)]


def test_an_address_behind_a_proxy_is_the_client_of_its_line(tmp_path: Path) -> None:
    limits = KeylessLimits(proxies=Proxies((ip_network("127.0.0.1/32"),)))
    with inside(tmp_path / "data", visitors=limits) as running:
        for path in ("/sign-in", "/api/v1/db/databases"):
            answer = running.ask(path, X_Forwarded_For="203.0.113.9")
            assert last(running, answer.headers["x-request-id"]).client == "203.0.113.9"
