"""The public address of sites, as an operator writes it, and the names below it."""

from __future__ import annotations

import pytest

from server.dashboard.service_address import InvalidAddress, service_address
from server.service.host_settings import HostSettings
from server.site_previews.sites_origin import sites_origin

SERVICE = service_address("https://app.example.net")


@pytest.mark.parametrize(
    ("text", "preview"),
    [
        ("https://sites.example.net", "https://preview-a.sites.example.net"),
        ("https://app.example.net:8443/", "https://preview-a.app.example.net:8443"),
        ("https://SITES.example.net:443", "https://preview-a.sites.example.net"),
        ("http://localhost:8081", "http://preview-a.localhost:8081"),
    ],
)
def test_each_preview_has_a_name_below_that_of_sites(text: str, preview: str) -> None:
    assert sites_origin(text, SERVICE).below("preview-a") == preview


@pytest.mark.parametrize(
    "text",
    [
        "https://app.example.net",
        "https://APP.example.net:443/",
        "https://192.0.2.7",
        "http://127.0.0.1:8081",
        "http://[::1]:8081",
        "http://sites.example.net",
        "sites.example.net",
        "https://sites.example.net/path",
    ],
)
def test_what_cannot_be_their_address_is_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(InvalidAddress) as refused:
        sites_origin(text, SERVICE)
    assert refused.value.hint


def test_an_address_without_tls_is_refused_for_what_readers_would_lose() -> None:
    with pytest.raises(
        InvalidAddress, match="drafts would be read, and pages changed, on the way"
    ) as refused:
        sites_origin("http://sites.example.net", SERVICE)
    assert "https://sites.example.net" in str(refused.value.hint)
    with pytest.raises(InvalidAddress, match="passwords would be read on the way"):
        service_address("http://app.example.net")


@pytest.mark.parametrize(
    ("port", "sites", "ports"),
    [(8080, None, (8080, 8081)), (0, None, (0, 0)), (65535, None, (65535, 0)), (8080, 0, (8080, 0))],
)
def test_without_a_port_of_their_own_they_get_the_next(
    tmp_path_factory: pytest.TempPathFactory, port: int, sites: int | None, ports: tuple[int, int]
) -> None:
    assert HostSettings(tmp_path_factory.getbasetemp(), port=port, sites_port=sites).ports == ports
