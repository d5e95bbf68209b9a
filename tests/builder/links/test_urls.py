from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.links import urls
from tests.security import dangerous_address

CASES = json.loads((Path(__file__).parent / "urls.json").read_text("utf-8"))
NASTY = st.text(alphabet="javscriptdh:/\\#?&;.x0106&Tabcolon \t\n\r\0\u200b\u00ad%<>\"'")


@pytest.mark.parametrize(("href", "address"), CASES["safe"])
def test_a_path_or_a_common_scheme_may_be_linked(href: str, address: str) -> None:
    assert urls.safe(href) == address


@pytest.mark.parametrize("href", CASES["refused"])
def test_everything_else_is_refused(href: str) -> None:
    assert urls.safe(href) is None


@given(st.one_of(st.text(), NASTY, NASTY.map(lambda text: f"javascript{text}")))
def test_what_passes_is_safe_however_often_it_is_decoded(href: str) -> None:
    address = urls.safe(href)
    while address is not None:
        assert not dangerous_address(address)
        decoded = unescape(address)
        address = decoded if decoded != address else None


@given(st.text())
def test_what_passed_once_passes_unchanged(href: str) -> None:
    address = urls.safe(href)
    assert address is None or urls.safe(address) == address


@pytest.mark.parametrize(
    ("href", "leaves"),
    [("https://a", True), ("mailto:a@b", True), ("/a", False), ("a:b/c?", True), ("", False)],
)
def test_an_external_address_has_a_scheme(href: str, leaves: bool) -> None:
    assert urls.external(href) is leaves


BELOW = [
    ("https://o.example/r/docs/a?b#c", "https://o.example/r", "/docs/a?b#c"),
    ("http://O.EXAMPLE:80/r", "https://o.example/r", "/"),
    ("https://o.example:443/r/a", "https://o.example/r", "/a"),
    ("https://o.example:80/r/a", "https://o.example/r", None),
    ("https://o.example/s/a", "https://o.example/r", None),
    ("https://o.example/rest", "https://o.example/r", None),
    ("https://o.example.org/r/a", "https://o.example/r", None),
    ("https://o.example/a", "", None),
    ("https://o.example:8443/a", "https://o.example:8443", "/a"),
    ("https://o.example/a", "https://o.example:8443", None),
    ("https://o.example:x/a", "https://o.example", None),
    ("mailto:me@o.example", "https://o.example", None),
]


@pytest.mark.parametrize(("href", "site", "rest"), BELOW)
def test_an_address_of_a_site_has_its_host_port_and_folder(href: str, site: str, rest: str | None) -> None:
    assert urls.below(href, site) == rest
