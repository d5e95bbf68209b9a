from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.preview.address import Found, Moved, answer

TABLE = json.loads(Path(__file__).with_name("address.json").read_text("utf-8"))
OUTPUTS = frozenset(TABLE["outputs"])


def shown(place):
    if isinstance(place, Moved):
        return f"-> {place.location}"
    return "404" if place.status == 404 else place.output


@pytest.mark.parametrize(("path", "expected"), TABLE["cases"])
def test_an_address_is_answered_as_by_a_static_host_with_clean_urls(path, expected):
    assert shown(answer(path, OUTPUTS, "")) == expected


@pytest.mark.parametrize(("path", "expected"), TABLE["base_cases"])
def test_a_site_with_a_base_path_answers_below_it(path, expected):
    assert shown(answer(path, OUTPUTS, "/my repo")) == expected


def test_without_a_not_found_page_there_is_no_answer():
    assert answer("/docs/nothing", {"index.html"}, "") is None


@given(st.text(alphabet="/.docsguidexllm\\ é", max_size=30), st.sampled_from(["", "/docs", "/x/docs"]))
def test_a_redirect_stays_on_this_server_and_leads_to_a_page(path, base):
    place = answer(path, OUTPUTS, base)
    if isinstance(place, Moved):
        assert place.location.startswith("/")
        assert not place.location.startswith("//")
    else:
        assert isinstance(place, Found)
        assert place.output in OUTPUTS
