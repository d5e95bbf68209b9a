"""Web addresses that are links as they stand: how long a domain may be, what it costs if there is none."""

from __future__ import annotations

import re

import pytest

from builder.markdown.commonmark.budget import KEY, MAX_INLINE, Meter
from builder.markdown.commonmark.domains import MAX_DOMAIN
from builder.markdown.commonmark.parser import base
from builder.markdown.commonmark.parser_notes import notes
from builder.paths import Format
from tests.builder.bodies import rendered

LABEL = "a" * 49 + "."


def linked(source: str) -> list[str]:
    """The texts that are links."""
    return re.findall(r"<a [^>]*>([^<]*)</a>", base("md").render(source))


def spent(source: str) -> int:
    """The steps of the page's budget that its text takes."""
    meter = Meter()
    base("md").render(source, {KEY: meter})
    return MAX_INLINE - meter.left


@pytest.mark.parametrize("before", ["", "http://", "https://"])
@pytest.mark.parametrize("after", ["", "/path", ":80/"])
def test_a_domain_has_up_to_253_characters(before: str, after: str) -> None:
    longest = f"www.{LABEL * 4}{'b' * 49}"
    assert len(longest) == MAX_DOMAIN == 253
    assert linked(f"{before}{longest}{after}") == [f"{before}{longest}{after}"]
    assert linked(f"{before}{longest}b{after}") == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("www.x_y._www.a", ["www.a"]),
        ("www._www.a.b", ["www._www.a.b"]),
        ("www._._www.a.b_www.c", ["www.c"]),
        ("www._b.c", []),
        ("www.a_b._www.c.d._www.e", ["www.e"]),
        ("www.-_-._www.a", ["www.a"]),
        (f"www._{LABEL * 5}_www.a.b", ["www.a.b"]),
        (f"www._{LABEL * 5}_www._www.a_.b www.c", ["www.c"]),
        ("www._ www._www.a", ["www.a"]),
        ("www.a_b (www.a.b) *www.a_b* *www.c*", ["www.a.b", "www.c"]),
        ("[www.a_b](c) www.d http://_ http://e", ["www.a_b", "www.d", "http://e"]),
    ],
)
def test_what_is_no_domain_may_have_one_within(source: str, found: list[str]) -> None:
    assert linked(source) == found


@pytest.mark.parametrize("piece", ["www._", "www.a_b.", "*www.", "(www.a_", f"www.{LABEL * 6}_ "])
def test_what_is_refused_costs_by_its_length_and_not_by_the_square(piece: str) -> None:
    small, large = (spent(piece * (size // len(piece))) for size in (4_000, 40_000))
    assert large < 11 * small


def test_what_is_read_for_nothing_is_taken_of_the_budget() -> None:
    word = f"www.{'a' * 100_000}_b"
    assert spent(f"{word} ") > 100_000 // 100
    env: dict[str, object] = {KEY: Meter(left=1_000)}
    html = base("md").render(f"*a*\n\n{word}\n\n*b*", env)
    assert {one.code for one in notes(env)} == {"budget-exceeded"}
    assert html == f"<p><em>a</em></p>\n<p>{word}</p>\n<p>*b*</p>\n"


@pytest.mark.parametrize("form", ["md", "mdx"])
@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("[<https://a.b>](/x)", '<p><a href="/x">https://a.b</a></p>\n'),
        ("[a *<https://a.b>* b](/x)", '<p><a href="/x">a <em>https://a.b</em> b</a></p>\n'),
        ("[<me@a.b>](/x) <me@a.b>", '<p><a href="/x">me@a.b</a> <a href="mailto:me@a.b">me@a.b</a></p>\n'),
        ("[<tp:a>](/x)", '<p><a href="/x">tp:a</a></p>\n'),
        ("[<tp:a>](/x", "<p>[&lt;tp:a&gt;](/x</p>\n"),
    ],
)
def test_an_address_within_a_link_is_text(form: Format, source: str, html: str) -> None:
    assert re.sub(' class="tp-bare"', "", rendered(source, form).html) == html
