"""A service that browsers reach by TLS: its cookie is one that no sibling can set, and TLS stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.dashboard.service_address import service_address
from tests.server.control.people import PASSWORD, account
from tests.server.dashboard.browser import Browser
from tests.server.service.inside import Inside, inside

NAME = "app.example.net"
KEPT = "strict-transport-security"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Inside]:
    with inside(tmp_path / "data", url=service_address(f"https://{NAME}")) as running:
        account(running.made.desk.database)
        yield running


def test_the_cookie_is_for_this_host_and_tls_alone(service: Inside) -> None:
    browser = Browser(service.port)
    form = {"email": "me@example.com", "password": PASSWORD}
    page = browser.once("POST", "/sign-in", form | {"next": "/"}, _sent())
    pair, *rest = page.headers["set-cookie"].split("; ")
    assert pair.startswith("__Host-twinpress=")
    assert {*rest} == {"Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax", "Secure"}
    assert browser.get("/account", Host=NAME).path == "/account"
    browser.cookies = {"twinpress": browser.cookies["__Host-twinpress"]}  # as a sibling could set it
    assert browser.get("/account", Host=NAME).path.startswith("/sign-in")


def test_browsers_ask_by_tls_alone_from_then_on(service: Inside) -> None:
    for path in ("/sign-in", "/nowhere", "/api/v1/openapi.json", "/healthz"):
        assert service.ask(path, Host=NAME).headers[KEPT] == "max-age=31536000"


def test_without_tls_nothing_is_said_of_it(tmp_path: Path) -> None:
    with inside(tmp_path / "data") as running:
        assert KEPT not in running.ask("/sign-in").headers


def _sent() -> dict[str, str]:
    return {"Host": NAME, "Origin": f"https://{NAME}", "Sec-Fetch-Site": "same-origin"}
