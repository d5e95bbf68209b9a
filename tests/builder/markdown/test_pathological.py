"""Whole builds of pages of the largest size, each of one kind of text that is slow in some parser.

Some kinds are always built; `make slow` builds all of them, and `python -m tests.bench.pathological` prints a
table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.paths import Format
from builder.store import PAGE_LIMIT
from tests.builder.pathological import FORMATS, KINDS, seconds
from tests.time_bounds import enough

SECONDS = 4.0
"""Of CPU, twice what a page may take on a machine that does nothing else."""


@pytest.mark.parametrize("step", [18, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", FORMATS)
def test_no_page_up_to_the_limit_takes_long(tmp_path: Path, form: Format, step: int) -> None:
    names = list(KINDS)[FORMATS.index(form) * (step // 2) :: step]
    spent = {
        name: seconds(tmp_path / str(number), name, form, PAGE_LIMIT) for number, name in enumerate(names)
    }
    slowest = max(spent, key=spent.__getitem__)
    print(f"slowest of {len(spent)}: {slowest}, {spent[slowest]:.2f} s")
    assert {name: taken for name, taken in spent.items() if not enough(SECONDS, taken)} == {}


def test_a_kind_is_as_large_as_is_asked_for() -> None:
    for name, make in KINDS.items():
        for size in (100_000, 400_000):
            assert size // 2 < len(make(size).encode()) <= size, name
