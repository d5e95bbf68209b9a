"""Each test that is put off to the weekly run is there, and so are the files that try the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.weekly import PUT_OFF

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("file", PUT_OFF)
def test_what_is_put_off_is_there(file: str) -> None:
    source = (TESTS / file).read_text("utf-8")
    names = {beginning.partition("[")[0] for beginning in PUT_OFF[file]}
    assert {name for name in names if not re.search(rf"def {name}\w*\(", source)} == set()


def test_the_files_that_try_the_same_are_there() -> None:
    reasons = (reason for file in PUT_OFF.values() for reason in file.values())
    named = {found for reason in reasons for found in re.findall(r"[\w/]+\.py", reason)}
    known = [f"/{path.relative_to(TESTS).as_posix()}" for path in TESTS.rglob("*.py")]
    assert {one for one in named if not any(path.endswith(f"/{one}") for path in known)} == set()
