"""Edits of a text: at the one place that is meant, or refused with the places that it could be."""

from __future__ import annotations

import pytest

from builder.changes.edit_text import RefusedEdit, edited
from builder.changes.steps import LineReplacement, TextReplacement
from builder.errors import PageTooLarge, TwinpressError
from tests.time_bounds import processor_seconds

TEXT = "one\ntwo\nthree\n"
Edit = TextReplacement | LineReplacement


def lines(first: int, last: int, text: str) -> LineReplacement:
    return LineReplacement(first, last, text)


MADE: list[tuple[str, tuple[Edit, ...], str]] = [
    (TEXT, (TextReplacement("two", "2"),), "one\n2\nthree\n"),
    (TEXT, (TextReplacement("two\n", ""),), "one\nthree\n"),
    (TEXT, (TextReplacement("o", "0", everywhere=True),), "0ne\ntw0\nthree\n"),
    (TEXT, (TextReplacement("two", "four"), TextReplacement("four", "five")), "one\nfive\nthree\n"),
    (TEXT, (lines(2, 2, "2"),), "one\n2\nthree\n"),
    (TEXT, (lines(2, 3, "2\n3"),), "one\n2\n3"),
    (TEXT, (lines(2, 3, ""),), "one\n"),
    (TEXT, (lines(2, 1, "1.5"),), "one\n1.5\ntwo\nthree\n"),
    (TEXT, (lines(4, 3, "four\n"),), "one\ntwo\nthree\nfour\n"),
    (TEXT, (lines(1, 1, "1"), lines(3, 3, "3\n")), "1\ntwo\n3\n"),
    (TEXT, (lines(3, 3, "3\n"), lines(1, 1, "1")), "1\ntwo\n3\n"),
    (TEXT, (lines(2, 1, "a"), lines(2, 1, "b")), "one\na\nb\ntwo\nthree\n"),
    (TEXT, (TextReplacement("1", "uno"), lines(1, 1, "1")), "uno\ntwo\nthree\n"),
    ("", (lines(1, 0, "new"),), "new\n"),
    ("one", (lines(2, 1, "two"),), "one\ntwo\n"),
    ("a\r\nb\r\n", (TextReplacement("a\nb", "c\nd"),), "c\r\nd\r\n"),
    ("a\r\nb\r\n", (TextReplacement("b\r\n", "c\n"),), "a\r\nc\r\n"),
    ("a\r\nb\r\n", (lines(1, 1, "x\ny"),), "x\r\ny\r\nb\r\n"),
]


@pytest.mark.parametrize(("text", "edits", "wanted"), MADE)
def test_each_edit_is_made_where_it_is_meant(text: str, edits: tuple[Edit, ...], wanted: str) -> None:
    assert edited(text, list(enumerate(edits))).text == wanted


REFUSED: list[tuple[str, tuple[Edit, ...], str]] = [
    (TEXT, (TextReplacement("four", "4"),), "edits[0].old: this text is not there (read the page again"),
    (
        TEXT,
        (TextReplacement("ONE two", "4"),),
        "not there (at line 1 it stands with other spaces or in other",
    ),
    (
        TEXT,
        (TextReplacement("o", "0"),),
        "edits[0].old: this text stands 2 times, at lines 1, 2 (make it longer",
    ),
    ("aaa", (TextReplacement("aa", "0"),), "edits[0].old: this text stands 2 times, at lines 1, 1"),
    (
        "x\n" * 30,
        (TextReplacement("x", "0"),),
        "stands 30 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more",
    ),
    (TEXT, (TextReplacement("", "0"),), "edits[0].old: is empty"),
    (TEXT, (lines(5, 5, ""),), "edits[0].from_line: the text has 3 lines"),
    (TEXT, (lines(2, 4, ""),), "edits[0].to_line: the text has 3 lines"),
    (TEXT, (lines(0, 1, ""),), "edits[0].from_line: the text has 3 lines"),
    (
        TEXT,
        (lines(3, 1, ""),),
        "edits[0].to_line: comes before `from_line` (write 2 to insert before line 3)",
    ),
    (TEXT, (lines(1, 2, ""), lines(2, 3, "")), "edits[0].to_line: these lines are in another edit, too"),
    (
        TEXT,
        (TextReplacement("two", "2"), TextReplacement("two", "2")),
        "edits[1].old: this text is not there",
    ),
]


@pytest.mark.parametrize(("text", "edits", "said"), REFUSED)
def test_what_is_at_no_single_place_is_refused(text: str, edits: tuple[Edit, ...], said: str) -> None:
    with pytest.raises(RefusedEdit) as refused:
        edited(text, list(enumerate(edits)))
    assert said in str(refused.value)


HUGE = "a " * 400_000
MONSTROUS: list[tuple[str, Edit]] = [
    (HUGE, TextReplacement("a", "b")),
    (HUGE, TextReplacement("a" * 500_000, "b")),
    (HUGE, TextReplacement("a", HUGE, everywhere=True)),
    ("a " * 40_000, TextReplacement("a\n" * 49 + "b", "b")),
    (HUGE, TextReplacement("a\n" * 400_000, "b")),
]


@pytest.mark.parametrize(("text", "edit"), MONSTROUS)
def test_no_edit_takes_long_or_much(text: str, edit: Edit) -> None:
    with processor_seconds(3), pytest.raises((RefusedEdit, PageTooLarge)) as refused:
        edited(text, [(0, edit)])
    assert isinstance(refused.value, TwinpressError)
    assert len(str(refused.value)) < 500
