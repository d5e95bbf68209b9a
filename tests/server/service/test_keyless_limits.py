"""Clients without keys may ask the service so often and no more, by the address that trusted proxies tell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.service.hosting import DATABASES, Client, Service, hosting
from tests.server.service.place import data_folder

OFTEN = 2
"""In a minute: the next one is half a minute away, however busy the machine."""
CLIENT, OTHER = "203.0.113.5", "203.0.113.6"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service that is asked through a proxy on its own machine."""
    limits = ("--requests", "0", "--address-requests", str(OFTEN), "--trusted-proxy", "127.0.0.1")
    with data_folder() as place, hosting(place, "--port", "0", *limits) as running:
        yield running


def statuses(client: Client, address: str, count: int) -> list[int]:
    """Return the status of its answers from there, each of which is as the document says."""
    return [client.ask("GET", DATABASES, X_Forwarded_For=address).status for _ in range(count)]


def test_who_guesses_keys_is_refused_and_who_has_one_at_the_same_address_is_not(service: Service) -> None:
    client = service.client()
    guessing, without = client.with_key("svc_db_none"), client.with_key("")
    assert statuses(guessing, CLIENT, 1) + statuses(without, CLIENT, 1) == [401] * OFTEN
    refused = guessing.ask("GET", DATABASES, X_Forwarded_For=CLIENT)
    assert (refused.status, refused.code) == (429, "RATE_LIMITED")
    assert 1 <= int(refused.headers["retry-after"]) <= 60 / OFTEN
    assert statuses(client, CLIENT, 3 * OFTEN) == [200] * 3 * OFTEN
    assert statuses(without, OTHER, 1) == [401]


def test_the_proxy_itself_is_answered_as_often_as_it_asks(service: Service) -> None:
    asked = [service.preview.get("/healthz").status for _ in range(3 * OFTEN)]
    assert asked == [200] * 3 * OFTEN
