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
