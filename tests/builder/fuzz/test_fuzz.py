"""The fuzzer over all rules of `md` and `mdx`: no page's time grows much faster than the page.

What it finds is mended, and becomes a case in `growth.json`. `TWINPRESS_FUZZ` is the number of pieces that
are made at random for each place, beside the pieces that are always the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from builder.paths import Format
from tests.builder.fuzz.pieces import MARKS, singles
from tests.builder.fuzz.places import PLACES
from tests.builder.fuzz.verdict import Case, judge
from tests.builder.fuzz.worker import LIMIT, Worker

pytestmark = pytest.mark.slow

FORMATS: tuple[Format, ...] = ("md", "mdx")
RANDOM = int(os.environ.get("TWINPRESS_FUZZ", "8"))


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    made = Worker(tmp_path_factory.mktemp("site"))
    yield made
    made.close()


def cases(piece: str) -> Iterator[Case]:
    """A piece in both formats; in one of them on lines, elsewhere and before another piece."""
    known, places = singles(), list(PLACES)
    number = known.index(piece)
    form, place = FORMATS[number % 2], places[number % len(places)]
    then, inside = known[(number * 37 + 11) % len(known)], places[number * 7 % len(places)]
    yield from (Case(piece, "body", each) for each in FORMATS)
    yield Case(piece, "lines", form)
    yield Case(piece, place, form)
    yield Case(piece, inside, form, then)


@pytest.mark.parametrize("piece", singles(), ids=[ascii(piece) for piece in singles()])
def test_no_piece_makes_a_page_slow(worker: Worker, piece: str) -> None:
    found = [judge(case, worker) for case in cases(piece)]
    assert [str(one) for one in found if one] == []


@pytest.mark.parametrize("place", PLACES)
@settings(
    max_examples=RANDOM,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(
    piece=st.lists(st.sampled_from(MARKS), min_size=2, max_size=5).map("".join),
    then=st.one_of(st.just(""), st.sampled_from(singles())),
    form=st.sampled_from(FORMATS),
)
def test_no_other_piece_makes_a_page_slow(
    worker: Worker, place: str, piece: str, then: str, form: Format
) -> None:
    found = judge(Case(piece, place, form, then), worker)
    assert not found, str(found)


def test_a_page_that_ends_the_process_is_found_and_the_next_is_measured(worker: Worker) -> None:
    assert worker.seconds("a\n", "md") < LIMIT
    worker.kill()
    assert worker.seconds("a\n", "md") == LIMIT
    assert worker.seconds("a\n", "md") < LIMIT


def test_pages_are_as_long_as_is_asked_for() -> None:
    for place in PLACES:
        for piece in singles()[::20]:
            for then in ("", "b%d "):
                size = len(Case(piece, place, "md", then).text(30_000).encode())
                assert 20_000 < size < 60_000, (piece, place)
