"""Budgets of work: what goes beyond is text, with a diagnostic, and nothing is lost or takes for ever."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from html import unescape

import pytest

from builder.markdown.commonmark import tables
from builder.markdown.commonmark.parser import base
from builder.markdown.commonmark.parser_notes import notes
from tests.time_bounds import enough

MIB = 1 << 20
SECONDS = 4.0
"""Of CPU, twice what a page may take on a machine that does nothing else."""

OVER: dict[str, Callable[[], str]] = {
    "emphasis": lambda: "*a* " * (MIB // 4),
    "links": lambda: "[a](b)" * (MIB // 6),
    "brackets": lambda: "[" * (MIB // 2) + "]" * (MIB // 2),
    "labels": lambda: "[a](" * (MIB // 4),
    "mail addresses": lambda: "a@b.c " * (MIB // 6),
    "tags": lambda: "a <b> " * (MIB // 6),
    "lines": lambda: "a\n" * (MIB // 2),
    "items": lambda: "- a\n" * (MIB // 4),
    "empty items": lambda: "-\n" * (MIB // 2),
    "headings": lambda: "# a\n" * (MIB // 4),
    "deep quotes": lambda: ">" * 1000 + "a\n" + "b\n" * 400_000,
    "deep lists": lambda: "".join(f"{' ' * 2 * depth}- a\n" for depth in range(900)),
    "cells": lambda: "|" + "a|" * 200 + "\n|" + "-|" * 200 + "\n" + "|b\n" * 200_000,
    "one address for many links": lambda: f"[a]: /{'b' * 50_000}\n\n" + "[a] " * 200_000,
}
UNDER: dict[str, Callable[[], str]] = {
    "open tags": lambda: "some text <a " * (MIB // 13),
    "comments": lambda: "some more text <!-- " * (MIB // 20),
    "backticks": lambda: "".join("e" + "`" * length for length in range(1400)),
    "a long title": lambda: '[a]: b "' + "c " * (MIB // 2),
    "definitions": lambda: "".join(f"[a{number}]: b\n" for number in range(70_000)),
    "closing brackets": lambda: "http://a.b/" + ")" * MIB,
    "local parts": lambda: "a." * (MIB // 2) + "@",
    "pipes": lambda: "|" * MIB,
}


@cache
def over(name: str) -> tuple[str, set[str], float]:
    """One of the pages that are too much."""
    return parsed(OVER[name]())


def parsed(source: str) -> tuple[str, set[str], float]:
    """The HTML, the codes of the notes, and the CPU time of a page."""
    md, env = base("md"), dict[str, object]()
    start = time.process_time()
    html = md.render(source, env)
    return html, {one.code for one in notes(env)}, time.process_time() - start


@pytest.mark.parametrize("name", OVER)
def test_too_much_of_a_thing_is_text_with_a_diagnostic(name: str) -> None:
    html, codes, seconds = over(name)
    assert "budget-exceeded" in codes
    assert enough(SECONDS, seconds)
    assert len(html) < 12 * MIB


@pytest.mark.parametrize("name", UNDER)
def test_much_text_that_is_no_markup_is_quick(name: str) -> None:
    _, codes, seconds = parsed(UNDER[name]())
    assert "budget-exceeded" not in codes
    assert enough(SECONDS, seconds)


@pytest.mark.parametrize("name", ["emphasis", "links", "items", "headings", "deep lists", "lines"])
def test_no_letter_is_lost_over_the_budget(name: str) -> None:
    shown = unescape(re.sub(r"<[^>]*>", "", over(name)[0]))
    assert shown.count("a") == OVER[name]().count("a")


def test_what_follows_a_block_that_is_too_deep_is_read_as_ever() -> None:
    html, codes, _ = parsed(
        "> " * 100 + "a\n\n*b*\n\n" + "".join(f"{'  ' * n}- c\n" for n in range(60)) + "\n# d\n"
    )
    assert codes == {"budget-exceeded"}
    assert "<p><em>b</em></p>" in html
    assert html.endswith("<h1>d</h1>\n")


def test_images_within_descriptions_have_an_end() -> None:
    html, codes, _ = parsed("![" * 15 + "a" + "](b)" * 15)
    assert html.count("<img") == 1
    assert codes == set()
    assert enough(SECONDS, parsed("![" * 100_000 + "a" + "](b)" * 100_000)[2])


def test_cells_that_are_filled_up_count() -> None:
    html, codes, _ = parsed("|" + "a|" * 1000 + "\n|" + "-|" * 1000 + "\n" + "b\n" * 100)
    assert codes == {"budget-exceeded"}
    assert html.count("<td>") + html.count("<th>") == tables.MAX_CELLS


def test_a_page_written_for_readers_is_far_within_the_budgets() -> None:
    dense = (
        "## A title\n\nSome *text*, `code`, a [link](/docs/a).\n\n- one\n- **two**\n\n|a|b|\n|-|-|\n|c|d|\n\n"
    )
    prose = f"{dense}{'Words that say something, and more words after them. ' * 12}\n\n"
    assert parsed(dense * (MIB // 5 // len(dense)))[1] == set()
    assert parsed(prose * (MIB // len(prose)))[1] == set()
