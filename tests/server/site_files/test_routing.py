from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.site_files.routing import Moved, Route, answer, former

TABLE = json.loads(Path(__file__).with_name("routing.json").read_text("utf-8"))
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
        assert isinstance(place, Route)
        assert place.output in OUTPUTS


FORMER = [
    ("/docs/x", ["", "/repo"], "/repo/docs/x"),
    ("/", ["", "/repo"], "/repo/"),
    ("/docs/guide", ["", "/repo"], "/repo/docs/guide/"),
    ("/docs/guide/a b", ["", "/repo"], "/repo/docs/guide/a%20b"),
    ("/repo/docs/x", ["/repo", ""], "/docs/x"),
    ("/repo", ["/repo", ""], "/"),
    ("/repo/old/docs/x", ["/repo", "/repo/old", "/new"], "/new/docs/x"),
    ("/docs/nowhere", ["", "/repo"], None),
    ("/elsewhere/docs/x", ["/repo", ""], None),
    ("/repository/docs/x", ["/repo", ""], None),
    ("/docs/x", ["/repo"], None),
]


@pytest.mark.parametrize(("path", "bases", "expected"), FORMER)
def test_what_was_below_an_earlier_base_path_is_led_to(path, bases, expected):
    place = former(path, OUTPUTS, bases)
    assert (place and place.location) == expected


@given(
    st.text(alphabet="/.docsguidexrp\\ é", max_size=30),
    st.permutations(["", "/docs", "/x/docs", "/r"]).map(lambda bases: bases[:3]),
)
def test_what_is_led_to_is_there(path, bases):
    place = former(f"/{path}", OUTPUTS, bases)
    if place:
        assert place.location.startswith(f"{bases[-1]}/")
        assert not place.location.startswith("//")
        assert not isinstance(found := answer(unquote(place.location), OUTPUTS, bases[-1]), Moved)
        assert found.status == 200
