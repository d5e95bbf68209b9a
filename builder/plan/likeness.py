"""Pages found again by what they say, when their address is gone: by the same title, else by a like text.

A text is told by its runs of a few words, those that begin with one word of four: always the same ones. How
many of them are on another page says how much of the text is there, so that ten thousand pages are compared
in seconds, and a page that was split is found where most of it has gone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from zlib import crc32

from msgspec import Struct

from builder.plan.addresses import key_of

_WORD = re.compile(r"\w+")
_RUN = 4
"""Words in a run."""
_SAMPLE = 4
"""Of so many words one begins a run that is looked at."""
_COMMON = 40
"""Pages from which on a title, or a run of words, is the site's own phrase, by which no page is known."""
_LEAST = 0.25
"""The part of a former page that has to be on another one."""
_LEAST_TITLED = 0.05
"""The same where both have one title that no other page has."""
_LONGEST = 200_000
"""Characters of a page that are looked at."""
_FEW = 3
"""Runs without which a text is too short to be known by."""


class TitledText(Struct, frozen=True):
    """The title of a page, and its text as markdown."""

    title: str
    text: str


def found_again(
    lost: Mapping[str, TitledText], now: Mapping[str, TitledText], former: Mapping[str, TitledText | None]
) -> Mapping[str, str]:
    """Return where the pages of lost addresses are now: by title, then by likeness of their text.

    `now` are the pages that there are, `former` all that there were, with their text where it is known: a
    page that was there and says the same as before is none that has moved.
    """
    known = {key_of(address): page for address, page in former.items()}
    likely_ones = {address: page for address, page in now.items() if known.get(key_of(address)) != page}
    fresh = frozenset(address for address in now if key_of(address) not in known)
    runs, titles = _Runs(lost, likely_ones), _by_title(likely_ones)
    found = {
        address: _found(titles.get(_plain(page.title), ()), runs.likely(address), fresh)
        for address, page in sorted(lost.items())
    }
    return {old: new for old, new in found.items() if new}


def _found(same: Sequence[str], likely: Mapping[str, float], fresh: frozenset[str]) -> str:
    """Return the page of the same title, if there is one and no other is far more like; "" for none."""
    best = _best(likely, fresh)
    titled = [each for each in same if each in fresh] or list(same)
    if not titled:
        return best
    nearest = max(titled, key=lambda each: (likely.get(each, 0), each))
    if not best or nearest == best or (len(titled) == 1 and likely.get(nearest, 0) >= _LEAST_TITLED):
        return nearest
    return nearest if likely.get(nearest, 0) >= likely[best] / 2 else best


def _best(likely: Mapping[str, float], fresh: frozenset[str]) -> str:
    """Return the likest page, a new one first; "" when none is like enough."""
    alike = {address for address, share in likely.items() if share >= _LEAST}
    among = alike & fresh or alike
    return max(among, key=lambda address: (likely[address], address), default="")


def _by_title(pages: Mapping[str, TitledText]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for address, page in sorted(pages.items()):
        if title := _plain(page.title):
            found.setdefault(title, []).append(address)
    return {title: same for title, same in found.items() if len(same) <= _COMMON}


def _plain(title: str) -> str:
    return " ".join(_WORD.findall(title.casefold()))


class _Runs:
    """The runs of words of lost pages, and the pages that have each of them."""

    def __init__(self, lost: Mapping[str, TitledText], pages: Mapping[str, TitledText]) -> None:
        self._lost = {address: _runs(page.text) for address, page in lost.items()}
        self._having: dict[int, list[str]] = {one: [] for runs in self._lost.values() for one in runs}
        for address, page in pages.items():
            for one in _runs(page.text) & self._having.keys():
                self._having[one].append(address)

    def likely(self, lost: str) -> Mapping[str, float]:
        """Return the share of a lost text that is on each page which has any of it."""
        counts: Counter[str] = Counter()
        told = 0
        for one in self._lost[lost]:
            pages = self._having[one]
            if len(pages) <= _COMMON:
                told += 1
                counts.update(pages)
        if told < _FEW:
            return {}
        return {address: count / told for address, count in counts.items()}


def _runs(text: str) -> frozenset[int]:
    words = _WORD.findall(text[:_LONGEST].casefold())
    last = len(words) - _RUN + 1
    return frozenset(
        hash(tuple(words[at : at + _RUN])) for at, word in enumerate(words[:last]) if _begins(word)
    )


@lru_cache(maxsize=100_000)
def _begins(word: str) -> bool:
    """Return whether a run is looked at that begins with this word."""
    return crc32(word.encode(errors="replace")) % _SAMPLE == 0
