"""Differences and merges of texts, as the dashboard shows them."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.dashboard.differences import BETWEEN, THEIRS, YOURS, difference, merge
from tests.time_bounds import processor_seconds

LINES = st.lists(st.sampled_from(["a", "b", "", "a b", "é"]), max_size=12).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


def shown(old: str, new: str) -> list[str]:
    signs = {"same": " ", "added": "+", "removed": "-", "gap": "~"}
    return [
        signs[line.kind] + "".join(f"[{each.text}]" if each.marked else each.text for each in line.pieces)
        for line in difference(old, new).lines
    ]


CASES = {
    "nothing": ("one\n", "one\n", []),
    "a word": ("It costs ten.\n", "It costs two.\n", ["-It costs [ten].", "+It costs [two]."]),
    "another line": ("It is here.\n", "Gone!\n", ["-It is here.", "+Gone!"]),
    "a new text": ("", "one\ntwo\n", ["+one", "+two"]),
    "a text that went": ("one\n", "", ["-one"]),
    "far apart": (
        "".join(f"{n}\n" for n in range(20)),
        "".join(f"{n}\n" for n in range(20) if n not in {0, 19}),
        ["-0", " 1", " 2", " 3", "~", " 16", " 17", " 18", "-19"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_a_difference_shows_what_changed(old: str, new: str, expected: list[str]) -> None:
    assert shown(old, new) == expected


@given(LINES, LINES)
def test_a_difference_leads_from_the_one_to_the_other(old: str, new: str) -> None:
    lines = difference(old, new).lines
    removed = [
        (line.number, "".join(p.text for p in line.pieces)) for line in lines if line.kind == "removed"
    ]
    added = [(line.number, "".join(p.text for p in line.pieces)) for line in lines if line.kind == "added"]
    kept = [line for number, line in enumerate(old.splitlines(), 1) if (number, line) not in removed]
    left = [line for number, line in enumerate(new.splitlines(), 1) if (number, line) not in added]
    assert kept == left


def test_long_texts_are_compared_in_bounded_time() -> None:
    old = "".join(f"{number}\n" for number in range(20_000))
    new = "".join(f"{number} \n" for number in range(20_000))
    found = difference("same\n" + old, "same\n" + new)
    assert (found.added, found.removed) == (20_000, 20_000)


def between(sign: str, number: int, least: int = 33) -> str:
    """One sign again and again, each time before another that stands nowhere else."""
    return "".join(f"{sign}{chr(least + each)}" for each in range(number))


HOSTILE = {
    "a line among others": ("\n".join(between("a", 1_900)), "\n".join(between("a", 1_900, 3_000))),
    "a word among others": ("a " * 900, "a-" * 900),
    "many such lines": ((between(".", 300) + "\n") * 90, (between(".", 300, 3_000) + "\n") * 90),
    "few lines that differ": ("a\nb\n" * 1_000, "b\na\na\n" * 660),
}


@pytest.mark.parametrize(("old", "new"), HOSTILE.values(), ids=HOSTILE)
def test_texts_that_were_made_for_it_take_no_longer(old: str, new: str) -> None:
    with processor_seconds(4):
        found, joined = difference(old, new), merge(old, new, old + "\nmore\n")
    assert all(line in joined.text for line in new.splitlines())
    kept = sum(line.kind != "added" for line in found.lines if line.number)
    assert kept <= len(old.splitlines())


def test_a_long_page_is_compared_line_by_line() -> None:
    number = count()
    old = "".join(f"A sentence of its own, {next(number)}.\n\n" for _ in range(1_500))
    found = difference(old, old.replace("7.\n\n", "8.\n\nAnother one.\n\n"))
    assert (found.added, found.removed) == (450, 150)


BASE = "one\ntwo\nthree\nfour\nfive\n"
MERGES = {
    "both at different places": ("ONE\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nFIVE\n",
                                 "ONE\ntwo\nthree\nfour\nFIVE\n", 0),
    "only mine": ("one\n", BASE, "one\n", 0),
    "only theirs": (BASE, "five\n", "five\n", 0),
    "the same": ("x\n", "x\n", "x\n", 0),
    "the same line": (
        BASE.replace("three", "3"), BASE.replace("three", "III"),
        f"one\ntwo\n{YOURS}\n3\n{BETWEEN}\nIII\n{THEIRS}\nfour\nfive\n", 1,
    ),
    "no end of line": ("one", "two", f"{YOURS}\none\n{BETWEEN}\ntwo\n{THEIRS}\n", 1),
    "they removed what I changed": (
        BASE.replace("three", "3"), BASE.replace("three\n", ""),
        f"one\ntwo\n{YOURS}\n3\n{BETWEEN}\n{THEIRS}\nfour\nfive\n", 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("yours", "theirs", "text", "conflicts"), MERGES.values(), ids=MERGES)
def test_two_texts_are_joined(yours: str, theirs: str, text: str, conflicts: int) -> None:
    found = merge(BASE, yours, theirs)
    assert (found.text, found.conflicts) == (text, conflicts)


@given(LINES, LINES, LINES)
def test_nothing_is_lost_in_a_merge(base: str, yours: str, theirs: str) -> None:
    assert merge(base, yours, base).text == yours
    assert merge(base, base, theirs).text == theirs
    joined = merge(base, yours, theirs).text.splitlines()
    for side, other in ((yours, theirs), (theirs, yours)):
        own = [line for line in side.splitlines() if line not in base.splitlines()]
        assert all(line in joined for line in own), (side, other)
