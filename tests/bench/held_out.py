"""Queries that nobody ranked for: what other pages call a page, and words of its first sentence."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from builder.search.part import text
from builder.search.terms import STOP, stem
from tests.bench.index_cost import Rendered
from tests.bench.known_items import MOST, Item, unique

SETS = ("links", "lead")
_LINK = re.compile(r'<a\b[^>]*? href="([^"#?]+)[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?:](?:\s|$)")
_WORD = re.compile(r"[^\W_]{3,}")
FEWEST, WORDS = 6, 4
"""Telling words of a sentence that is taken, and how many of them are asked for."""


def items(pages: Sequence[Rendered], seed: int = 2) -> Mapping[str, Sequence[Item]]:
    """The queries of each set, the same for the same site."""
    chance = random.Random(seed)
    titles = {page.title.casefold() for page, *_ in pages}
    links = [item for item in unique(_links(pages)) if item.query.casefold() not in titles]
    leads = [item for page, body, _ in pages for item in _lead(page.url, body.html, chance)]
    return {
        name: found if len(found) <= MOST else chance.sample(found, MOST)
        for name, found in zip(SETS, (links, leads), strict=True)
    }


def _links(pages: Sequence[Rendered]) -> Iterator[tuple[str, str]]:
    urls = {page.url for page, *_ in pages}
    for page, body, _ in pages:
        for link in _LINK.finditer(body.html):
            said = text(link[2])
            if link[1] in urls and link[1] != page.url and len(_WORD.findall(said)) >= 2:
                yield said, link[1]


def _lead(url: str, html: str, chance: random.Random) -> Iterator[Item]:
    """Some words of the first sentence, in their order."""
    first = next((text(found[1]) for found in _PARAGRAPH.finditer(html)), "")
    words = [word for word in _WORD.findall(_SENTENCE_END.split(first)[0]) if stem(word.lower()) not in STOP]
    if len(words) >= FEWEST:
        yield Item(" ".join(words[at] for at in sorted(chance.sample(range(len(words)), WORDS))), url)
