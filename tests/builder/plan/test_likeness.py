"""Pages are found again by their title, and else by their text."""

from __future__ import annotations

import random
import time

import pytest

from builder.plan.likeness import PageText, found_again

WORDS = [f"word{n}" for n in range(3_000)]


def _text(seed: int, words: int = 300) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


ONE, TWO, THREE = (_text(seed) for seed in (1, 2, 3))
CASES = {
    "the same title, another text": (PageText("Install", ONE), {"/n": PageText("Install", TWO)}, "/n"),
    "the title in other signs": (PageText("Set-up: A", ONE), {"/n": PageText("Set up a", TWO)}, "/n"),
    "another title, the same text": (PageText("Install", ONE), {"/n": PageText("Begin", ONE)}, "/n"),
    "a part of it": (PageText("A", ONE), {"/n": PageText("B", ONE[: len(ONE) // 2])}, "/n"),
    "split: where most of it is": (
        PageText("A", ONE),
        {"/n": PageText("B", ONE[: len(ONE) // 3]), "/o": PageText("C", ONE[len(ONE) // 3 :])},
        "/o",
    ),
    "merged into a longer one": (PageText("A", ONE), {"/n": PageText("B", f"{TWO} {ONE} {THREE}")}, "/n"),
    "two of one title: the likest": (
        PageText("Overview", ONE),
        {"/n": PageText("Overview", TWO), "/o": PageText("Overview", ONE)},
        "/o",
    ),
    "the title on another subject, the text elsewhere": (
        PageText("Overview", ONE),
        {"/n": PageText("Overview", TWO), "/o": PageText("Start", ONE)},
        "/o",
    ),
    "nothing like it": (PageText("A", ONE), {"/n": PageText("B", TWO)}, None),
    "nothing at all": (PageText("A", ""), {"/n": PageText("", "")}, None),
}


@pytest.mark.parametrize(("lost", "now", "target"), CASES.values(), ids=list(CASES))
def test_a_lost_page_is_found_where_it_is(
    lost: PageText, now: dict[str, PageText], target: str | None
) -> None:
    kept = {"/kept": PageText("Kept", THREE)}
    found = found_again({"/lost": lost}, {**now, **kept}, {"/lost": lost, **kept})
    assert found.get("/lost") == target


def test_a_page_that_says_what_it_said_before_is_no_other_one() -> None:
    twin = {"/a": PageText("A", ONE), "/b": PageText("A", ONE)}
    assert found_again({"/a": twin["/a"]}, {"/b": twin["/b"]}, twin) == {}
    assert found_again({"/a": twin["/a"]}, {"/b": twin["/b"]}, {**twin, "/b": None}) == {"/a": "/b"}


def test_the_time_grows_with_the_pages_alone() -> None:
    spent = []
    for number in (250, 1_000):
        before = {f"/a/{n}": PageText(f"Page {n % 60}", _text(n)) for n in range(number)}
        now = {f"/b/{n}": PageText("Overview", _text(n)) for n in range(number)}
        begun = time.process_time()
        found = found_again(before, now, before)
        spent.append(time.process_time() - begun)
        assert found == {f"/a/{n}": f"/b/{n}" for n in range(number)}
    assert spent[1] < 12 * spent[0] + 0.2
