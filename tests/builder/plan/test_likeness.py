"""Pages are found again by their title, and else by their text."""

from __future__ import annotations

import random
import time

import pytest

from builder.plan.likeness import TitledText, found_again

WORDS = [f"word{n}" for n in range(3_000)]


def _text(seed: int, words: int = 300) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


ONE, TWO, THREE = (_text(seed) for seed in (1, 2, 3))
CASES = {
    "the same title, another text": (TitledText("Install", ONE), {"/n": TitledText("Install", TWO)}, "/n"),
    "the title in other signs": (TitledText("Set-up: A", ONE), {"/n": TitledText("Set up a", TWO)}, "/n"),
    "another title, the same text": (TitledText("Install", ONE), {"/n": TitledText("Begin", ONE)}, "/n"),
    "a part of it": (TitledText("A", ONE), {"/n": TitledText("B", ONE[: len(ONE) // 2])}, "/n"),
    "split: where most of it is": (
        TitledText("A", ONE),
        {"/n": TitledText("B", ONE[: len(ONE) // 3]), "/o": TitledText("C", ONE[len(ONE) // 3 :])},
        "/o",
    ),
    "merged into a longer one": (TitledText("A", ONE), {"/n": TitledText("B", f"{TWO} {ONE} {THREE}")}, "/n"),
    "two of one title: the likest": (
        TitledText("Overview", ONE),
        {"/n": TitledText("Overview", TWO), "/o": TitledText("Overview", ONE)},
        "/o",
    ),
    "the title on another subject, the text elsewhere": (
        TitledText("Overview", ONE),
        {"/n": TitledText("Overview", TWO), "/o": TitledText("Start", ONE)},
        "/o",
    ),
    "nothing like it": (TitledText("A", ONE), {"/n": TitledText("B", TWO)}, None),
    "nothing at all": (TitledText("A", ""), {"/n": TitledText("", "")}, None),
}


@pytest.mark.parametrize(("lost", "now", "target"), CASES.values(), ids=list(CASES))
def test_a_lost_page_is_found_where_it_is(
    lost: TitledText, now: dict[str, TitledText], target: str | None
) -> None:
    kept = {"/kept": TitledText("Kept", THREE)}
    found = found_again({"/lost": lost}, {**now, **kept}, {"/lost": lost, **kept})
    assert found.get("/lost") == target


def test_a_page_that_says_what_it_said_before_is_no_other_one() -> None:
    twin = {"/a": TitledText("A", ONE), "/b": TitledText("A", ONE)}
    assert found_again({"/a": twin["/a"]}, {"/b": twin["/b"]}, twin) == {}
    assert found_again({"/a": twin["/a"]}, {"/b": twin["/b"]}, {**twin, "/b": None}) == {"/a": "/b"}


def test_the_time_grows_with_the_pages_alone() -> None:
    spent = []
    for number in (250, 1_000):
        before = {f"/a/{n}": TitledText(f"Page {n % 60}", _text(n)) for n in range(number)}
        now = {f"/b/{n}": TitledText("Overview", _text(n)) for n in range(number)}
        begun = time.process_time()
        found = found_again(before, now, before)
        spent.append(time.process_time() - begun)
        assert found == {f"/a/{n}": f"/b/{n}" for n in range(number)}
    assert spent[1] < 12 * spent[0] + 0.2
