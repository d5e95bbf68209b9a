"""Pages whose time grew by more than their length: each was found once, by the fuzzer or by reading."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.commonmark.toc import TocEntry
from builder.search.sections import sections
from tests.builder.fuzz.product import Product
from tests.builder.fuzz.verdict import FLOOR, Case

CASES = json.loads((Path(__file__).parent / "growth.json").read_text())
SIZES = 15_000, 60_000
MOST = 2.0
"""How much faster than the page its time may grow; these grew 2 to 4 times as fast, and up to the square."""
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
    count = 60_000
    body = "".join(f'<h1 id="a{number}">a</h1>\n' for number in range(count))
    toc = tuple(TocEntry(1, f"a{number}", "a") for number in range(count))
    found = sections(f"\n{body}", toc)
    assert len(found) == count
    assert found[0] == ("", "", "a")
