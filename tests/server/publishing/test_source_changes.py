"""The sources of a release beside those of now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.publishing.source_changes import ShownPages, moves_of, source_changes

CASES = json.loads(Path(__file__).with_name("source_changes.json").read_text())


def _shown(case: dict[str, Any], name: str) -> Any:
    return case[name].__contains__ if name in case else lambda _: True


def _told(before: dict[str, str], now: dict[str, str], shown: ShownPages, moves: dict[str, str]) -> list[str]:
    old, new = ({path: text.encode() for path, text in files.items()} for files in (before, now))
    return [
        f"{each.kind} {each.what} {each.path}" + (f" from {each.former}" if each.former else "")
        for each in source_changes(old, new, shown, moves)
    ]


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_changes_are_told_as_readers_notice_them(case: dict[str, Any]) -> None:
    shown = ShownPages(_shown(case, "was"), _shown(case, "will"))
    assert _told(case["before"], case["now"], shown, case.get("moves", {})) == case["changes"]


@pytest.mark.parametrize(
    ("steps", "moves"),
    [
        ([], {}),
        ([{"a": "b"}], {"a": "b"}),
        ([{"a": "b"}, {"b": "c"}], {"a": "c"}),
        ([{"a": "b"}, {"b": "a"}], {}),
        ([{"a": "b", "b": "a"}], {"a": "b", "b": "a"}),
        ([{"a": "b"}, {"x": "a"}], {"a": "b", "x": "a"}),
    ],
)
def test_a_page_that_moves_again_has_moved_once(steps: list[dict[str, str]], moves: dict[str, str]) -> None:
    assert moves_of(steps) == moves


names = ["docs/a.md", "docs/a.mdx", "docs/a.llms.md", "docs/b.md", "pages/c.md", "static/d.png", "site.yml"]
sites = st.dictionaries(st.sampled_from(names), st.sampled_from([b"1", b"2", b"3"]))


@given(before=sites, now=sites)
def test_the_changes_make_one_site_of_the_other(before: dict[str, bytes], now: dict[str, bytes]) -> None:
    made = _noticed(before)
    changes = source_changes(before, now, ShownPages(lambda _: True, lambda _: True), {})
    for change in changes:
        for each in change.files:
            assert before.get(each.former) == each.before
            made.pop(each.former, None)
    made |= {each.file: each.after for change in changes for each in change.files if each.after is not None}
    assert made == _noticed(now)


def _noticed(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out a twin without a page."""
    has_page = {"docs/a.md", "docs/a.mdx"} & files.keys()
    return {file: data for file, data in files.items() if file != "docs/a.llms.md" or has_page}
