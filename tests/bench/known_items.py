"""Known items of a site: what a reader types who knows that a title or a heading is there, and its page."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from builder.search import Part
from builder.search.terms import STOP, stem

SETS = ("title", "typo", "words", "headings")
MOST = 200
"""Queries of a set."""
_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True)
class Item:
    """A query, and the address of the page or the section that it is meant to find."""

    query: str
    url: str


def items(parts: Sequence[Part], seed: int = 1) -> Mapping[str, Sequence[Item]]:
    """The queries of each set, the same for the same site."""
    chance = random.Random(seed)
    titles = unique((part.title, part.url) for part in parts)
    headings = unique((heading, part.url) for part in parts for _, heading, _ in part.sections if heading)
    both = [*titles, *headings]
    found = {
        "title": titles,
        "typo": [item for each in both for item in _misspelt(each, chance)],
        "words": [item for each in both for item in _some_words(each, chance)],
        "headings": unique(_of_sections(parts)),
    }
    return {name: _some(found[name], chance) for name in SETS}


def _of_sections(parts: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Whole headings, each with the address of its section: the right page alone is not enough."""
    for part in parts:
        for anchor, heading, _ in part.sections:
            if anchor and heading:
                yield heading, f"{part.url}#{anchor}"


def unique(texts: Iterator[tuple[str, str]]) -> list[Item]:
    """Those that only one page has: nobody could tell which of several was meant."""
    every = sorted(set(texts))
    count = Counter(text.casefold() for text, _ in every)
    return [Item(text, url) for text, url in every if count[text.casefold()] == 1]


def _some(found: Sequence[Item], chance: random.Random) -> Sequence[Item]:
    return found if len(found) <= MOST else chance.sample(found, MOST)


def _misspelt(item: Item, chance: random.Random) -> Iterator[Item]:
    """The same with one letter too many, too few, wrong, or in the wrong place."""
    long = [word for word in _WORD.finditer(item.query) if len(word[0]) >= 5]
    if not long:
        return
    word = chance.choice(long)
    at = chance.randrange(1, len(word[0]) - 1)
    letter, text = chance.choice("abcdefghijklmnopqrstuvwxyz"), word[0]
    changed = chance.choice(
        (
            text[:at] + letter + text[at:],
            text[:at] + text[at + 1 :],
            text[:at] + letter + text[at + 1 :],
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        )
    )
    if changed != text:
        yield Item(item.query[: word.start()] + changed + item.query[word.end() :], item.url)


def _some_words(item: Item, chance: random.Random) -> Iterator[Item]:
    """Two or three of the words; forms of one word count once."""
    stems = {stem(word.lower()): word for word in reversed(_WORD.findall(item.query))}
    words = [word for found, word in reversed(stems.items()) if found not in STOP]
    if len(words) >= 3:
        chosen = sorted(chance.sample(range(len(words)), chance.choice((2, 3))))
        yield Item(" ".join(words[at] for at in chosen), item.url)
