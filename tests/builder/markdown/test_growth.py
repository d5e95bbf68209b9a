"""Pages whose time grew by more than their length: each was found once, by the fuzzer or by reading."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token

from builder.markdown.commonmark.media import tag
from builder.markdown.commonmark.toc import TocEntry
from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.mdx.chunk.places import Places, Searches
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.pairs import pairs
from builder.search.part import sections
from builder.unicode import ROW, normal
from tests.builder.fuzz.product import Product
from tests.builder.fuzz.verdict import FLOOR, Case
from tests.time_bounds import processor_seconds

CASES = json.loads((Path(__file__).parent / "growth.json").read_text())
SIZES = 15_000, 60_000
MOST = 2.0
"""The factor by which time may outgrow the page; these grew 2 to 4 times as fast, and up to the square."""
MANY = 60_000
SECONDS = 4.0
"""For so many of a thing; they took from 10 s to a minute."""
TRIES = 6
"""The least time counts: other processes only add to it."""


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    made = Product(tmp_path_factory.mktemp("site"))
    yield made
    made.close()


@pytest.mark.parametrize("given", CASES, ids=[case["name"] for case in CASES])
def test_the_time_of_a_page_grows_with_its_length(product: Product, given: dict[str, str]) -> None:
    case = Case(given["piece"], given.get("place", "body"), given["form"], given.get("then", ""))  # type: ignore[arg-type]
    times = [float("inf"), float("inf")]
    for _ in range(TRIES):
        times = [
            min(known, product.seconds(case.text(size), case.form))
            for known, size in zip(times, SIZES, strict=True)
        ]
        growth = times[1] / max(FLOOR, times[0]) / (SIZES[1] / SIZES[0])
        if growth <= MOST:
            return
    pytest.fail(f"{times}: {growth:.1f} times as fast as the page")


def test_headings_of_the_first_level_do_not_copy_what_is_above_them() -> None:
    body = "".join(f'<h1 id="a{number}">a</h1>\n' for number in range(MANY))
    toc = tuple(TocEntry(1, f"a{number}", "a") for number in range(MANY))
    assert len(sections(body, toc)) == MANY
    with processor_seconds(SECONDS):
        sections(body, toc)


@pytest.mark.parametrize("address", ["ftp://a{:06}", "ftp://\u00e9{:06}"])
def test_refused_addresses_are_looked_for_in_order(address: str) -> None:
    """Those that are shown otherwise than they are written are found nowhere."""
    addresses = [address.format(number) for number in range(MANY)]
    chunk = Chunk(" ".join(f"<{one}>" for one in addresses), 1)
    tokens = [Token("inline", "", 0, map=[0, 1])]
    searches = Searches(tokens, Places(tokens, chunk))
    wanted = [quote(one, safe=":/") for one in addresses]
    found = [searches.text(0, text).offset for one in wanted for text in (one, f"<{one}>")]
    if wanted == addresses:
        length = len(addresses[0]) + 3
        assert found == [at for number in range(MANY) for at in (number * length + 1, number * length)]
    other = Searches(tokens, Places(tokens, chunk))
    with processor_seconds(SECONDS):
        for one in wanted:
            other.text(0, one)


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFKD"])
def test_marks_are_put_in_order_a_row_at_a_time(form: Literal["NFC", "NFKC", "NFKD"]) -> None:
    marks = "\u0301\u0323" * MANY
    with processor_seconds(SECONDS):
        normal(form, f"a{marks}b{marks}")
    assert normal(form, f"a{marks}b") == unicodedata.normalize(form, f"a{marks[:ROW]}b")


@given(st.text(st.sampled_from("aé\u0301\u0323\u05b7漢ガﾊﾞ🙂"), max_size=ROW), st.integers(1, 100))
def test_other_text_has_its_normal_form(text: str, times: int) -> None:
    """However long: marks at the end of each piece are fewer than what stands in a row at most."""
    whole = f"{text}x" * times
    assert normal("NFC", whole) == unicodedata.normalize("NFC", whole)


def test_an_address_is_not_read_to_its_end_for_each_image() -> None:
    address = f"https://e.org/{'x' * 10 * MANY}"
    with processor_seconds(SECONDS):
        for _ in range(MANY):
            tag(address)


def test_braces_look_for_an_empty_line_once() -> None:
    text = "a{\n" * MANY + "\n\n" + "}" * MANY
    with processor_seconds(SECONDS):
        pairs(Braces(text))
