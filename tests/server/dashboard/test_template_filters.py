"""Times and messages, as the templates write them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from msgspec import Struct

from server.dashboard.template_filters import as_bytes, capital, code, day, finding, moment


def _days_from_now(days: int) -> datetime:
    return datetime.now(UTC).replace(hour=15, minute=4) + timedelta(days)


@pytest.mark.parametrize(
    ("days", "shown"), [(0, "today, 15:04 UTC"), (-1, "yesterday, 15:04 UTC"), (1, "tomorrow, 15:04 UTC")]
)
def test_a_moment_close_by_is_told_by_the_name_of_its_day(days: int, shown: str) -> None:
    at = _days_from_now(days)
    html = moment(int(at.timestamp()))
    assert html.endswith(f">{shown}</time>")
    assert f'datetime="{at:%Y-%m-%dT15:04Z}"' in html
    assert f'title="{at.day} {at:%B %Y}, 15:04 UTC"' in html


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (1024, "1 KB"), (300 * 1024, "300 KB"), (1024 * 1024, "1.0 MB")],
)
def test_sizes_are_told_in_the_unit_that_suits_them(number: int, text: str) -> None:
    assert as_bytes(number) == text


def test_the_year_is_told_where_it_is_another() -> None:
    assert day(0).endswith('title="1 January 1970">1 January 1970</time>')
    assert day("1999-12-31T23:00:00").endswith(">31 December 1999</time>")
    this = datetime.now(UTC)
    assert day(int(time.time())).endswith(f'title="{this.day} {this:%B %Y}">{this.day} {this:%B}</time>')
    assert moment(0).endswith(">1 January 1970, 00:00 UTC</time>")


@pytest.mark.parametrize(
    ("message", "html"),
    [
        ("there is no `Nope`", "there is no <code>Nope</code>"),
        ("`<b>` & `c`", "<code>&lt;b&gt;</code> &amp; <code>c</code>"),
        ("one ` alone", "one ` alone"),
    ],
)
def test_what_a_message_has_in_backticks_is_code(message: str, html: str) -> None:
    assert code(message) == html


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("expected a number", "Expected a number"),
        ("docs/hello: there is one", "docs/hello: there is one"),
        ("site.yml cannot be read", "site.yml cannot be read"),
        ("acme-docs is taken", "acme-docs is taken"),
        ("`x` is no name", "`x` is no name"),
    ],
)
def test_a_message_begins_with_a_capital_and_a_path_does_not(message: str, shown: str) -> None:
    assert capital(message) == shown


class Found(Struct):
    message: str
    hint: str


def test_a_finding_is_a_sentence_with_its_way_out() -> None:
    assert finding(Found("no page `a`", "did you mean `b`?")) == (
        "No page <code>a</code>: did you mean <code>b</code>?"
    )
    assert finding(Found("no page", "")) == "No page."
