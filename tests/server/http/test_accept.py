from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.http.accept import HTML, JSON, parse, prefers_markdown
from tests.time_bounds import processor_seconds

CASES = json.loads(Path(__file__).with_name("accept.json").read_text("utf-8"))

PIECES = [
    "text",
    "html",
    "markdown",
    "*",
    "/",
    ",",
    ";",
    "q",
    "=",
    "0",
    "1",
    ".",
    "5",
    '"',
    "\\",
    " ",
    "é",
    "\n",
]
"""The pieces of headers, so that random ones come near to good ones."""

WEIGHTS = st.integers(0, 1000).map(lambda thousandths: f"{thousandths / 1000:.3f}")


@pytest.mark.parametrize(("who", "accept", "expected"), CASES, ids=[case[0] for case in CASES])
def test_the_form_that_a_client_would_rather_have(who, accept, expected):
    assert ("markdown" if prefers_markdown(accept, HTML) else "html") == expected


def test_what_markdown_is_compared_with_is_the_callers_choice():
    assert prefers_markdown(["text/markdown, text/html;q=0.1"], JSON)
    assert prefers_markdown(["application/json;q=0.5, text/*"], JSON)
    assert not prefers_markdown(["application/json, text/markdown;q=0.9"], JSON)
    assert not prefers_markdown(["application/json, text/plain, */*"], JSON)


@given(
    st.lists(st.text(max_size=20) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join), max_size=3)
)
def test_any_text_is_read_and_gives_weights_from_zero_to_one(accept):
    assert all(0 <= each.weight <= 1 for each in parse(accept))
    prefers_markdown(accept, HTML)


@given(WEIGHTS, WEIGHTS, st.permutations(["text/html", "text/markdown", "*/*;q=0.5", "broken"]))
def test_the_greater_weight_wins_in_any_order_beside_anything(html, markdown, ranges):
    assume(markdown != html)
    weights = {"text/html": f";q={html}", "text/markdown": f";q={markdown}"}
    accept = [each + weights.get(each, "") for each in ranges]
    assert prefers_markdown(accept, HTML) == (float(markdown) > float(html))
    assert prefers_markdown([", ".join(accept)], HTML) == prefers_markdown(accept, HTML)


@pytest.mark.parametrize(
    "piece", ['"', '"\\', '\\"', ",", ";", 'a/b;c="', "text/markdown;", "q=0.", " ", "a"]
)
def test_a_long_header_is_read_in_time_that_grows_with_its_length(piece):
    with processor_seconds(10):
        prefers_markdown([piece * 200_000], HTML)
