"""Times and messages, as the templates write them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from jinja2 import Environment
from jinja2.nodes import Filter
from msgspec import Struct

from server.dashboard import template_filters
from server.dashboard.routes import ROUTES
from server.dashboard.template_filters import (
    FILTERS,
    as_bytes,
    asks,
    capital,
    code,
    day,
    finding,
    moment,
    pressable,
)
from server.dashboard.visit import Need

TEMPLATES = Path(template_filters.__file__).with_name("templates")


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
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1024, "1 KB"),
        (300 * 1024, "300 KB"),
        (1024**2 - 1, "1.0 MB"),
        (1024**2, "1.0 MB"),
        (1024**3 - 1, "1.0 GB"),
        (2 * 1024**3, "2.0 GB"),
        (5000 * 1024**3, "5,000.0 GB"),
    ],
)
def test_sizes_are_told_in_the_unit_that_suits_them(number: int, text: str) -> None:
    assert as_bytes(number) == text


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=lambda path: path.name)
def test_every_filter_of_a_template_is_there(path: Path) -> None:
    environment = Environment(autoescape=True)
    named = {one.name for one in environment.parse(path.read_text()).find_all(Filter)}
    assert sorted(named - {*FILTERS, *environment.filters}) == []


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


class Owner(Struct):
    """An account, as far as it may change something."""

    suspended: bool


LINKS = [
    ("/sites/a/pages/delete?path=docs/a", False),
    ("/sites/a/delete", False),
    ("/databases/db_a/rotate", False),
    ("/account/export", False),
    ("#new", False),
    ("/sites/a/pages#new", False),
    ("/sites/a/export", True),
    ("/sites/new", False),
    ("/sites/import", False),
    ("/sites/a/domains/docs.example.org/remove", False),
    ("/sites/email", True),
    ("/sites/email/email", False),
    ("/sites/rotate?done=a", True),
    ("/sites/import-docs", True),
    ("/sites/delete-docs/pages", True),
    ("/sites/a/pages/edit?path=docs/delete", True),
    ("/sites/a/pages/history?path=docs/a", True),
    ("https://example.com/delete", True),
    ("/sites/a/pages/edit?path=docs/a#new", True),
]


@pytest.mark.parametrize(("href", "is_active"), LINKS)
def test_links_to_forms_that_change_something_lead_nowhere_for_the_suspended(
    href: str, is_active: bool
) -> None:
    html = f'<p><a class="button" href="{href}">Go</a></p>'
    assert pressable(html, Owner(suspended=False)) == html
    shown = pressable(html, Owner(suspended=True))
    assert ("aria-disabled" not in shown) is (f'href="{href}"' in shown) is is_active
    assert ('aria-describedby="suspended"' in shown) is not is_active


def test_buttons_that_change_something_are_disabled_for_the_suspended() -> None:
    find, save = '<form method="get"><button >', '<form class="x" method="post"><p><button class="y">'
    html = f"{find}Find</button></form>{save}Save</button></form>"
    shown = pressable(html, Owner(suspended=True))
    assert shown.count("disabled") == 1
    assert shown.index("disabled") > shown.index("Find")


def test_each_form_that_asks_for_a_change_is_known() -> None:
    posts = {route.path for route in ROUTES if route.method == "POST"}
    both = {
        route.path: route.act.__name__
        for route in ROUTES
        if route.method == "GET" and route.path in posts and Need.SESSION <= route.need < Need.OPERATOR
    }
    reads = {path for path, act in both.items() if not act.startswith(("ask_", "show_"))}
    assert {path for path in both if not asks(path)} == {*reads, "/step-up"}
