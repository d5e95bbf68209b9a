"""What one page adds to the index, made from that page alone: a plain value that can be kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from builder.markdown.page import Body
from builder.search.sections import Section, sections
from builder.search.terms import STOP, terms, words
from builder.site import SitePage

TITLE, TITLE_BELOW, WHOLE, LABEL, HEADING, DESCRIPTION = 10.0, 1.0, 4.0, 1.5, 9.0, 1.5
"""What a term weighs there; `WHOLE` is shared by all terms of a title, found by its whole so."""
SHARE = 0.15
"""How much less each weighs in a longer text; all this is what `tests/bench/search.py` found best."""
SATURATION, USUAL = 1.2, 80
"""How fast repetition in a text stops to count, and the terms of a usual section."""
STEPS = 16
"""Weights are whole numbers of a sixteenth."""
SHOWN = 3000
"""Characters of a section that excerpts are taken from."""


@dataclass(frozen=True, slots=True)
class Part:
    """`url` is without the base path; `headings` are the words of title, headings and description as they
    stand; `weights` has for each term pairs of section number and weight, flat.
    """

    url: str
    title: str
    sections: tuple[Section, ...]
    headings: frozenset[str]
    weights: Mapping[str, tuple[int, ...]]


def page_part(page: SitePage, body: Body) -> Part:
    """What an author's page adds."""
    about = page.meta.description or ""
    return _part(
        page.url, _sound(page.title), page.label, _sound(about), sections(_sound(body.html), body.toc)
    )


def listed(url: str, title: str, names: Iterable[str]) -> Part:
    """What a page adds that is nothing but a list of others."""
    return _part(url, _sound(title), "", "", (("", "", _sound(", ".join(names))),))


def _part(url: str, title: str, label: str, about: str, found: tuple[Section, ...]) -> Part:
    named, labelled = set(terms(title)), set(terms(label))
    described = set(terms(about)) - STOP
    headings = words(" ".join((title, label, about, *(heading for _, heading, _ in found))))
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for number, (_, heading, text) in enumerate(found):
        weights = _text(text)
        own = set(terms(_sound(heading)))
        _add(weights, own, HEADING / (len(own) or 1) ** SHARE)
        _add(weights, named, TITLE_BELOW if number else TITLE / (len(named) or 1) ** SHARE)
        if number == 0:
            _add(weights, named, WHOLE / (len(named) or 1))
            _add(weights, labelled - named, LABEL)
            _add(weights, described, DESCRIPTION)
        for term, weight in weights.items():
            rows[term] += (number, int(weight * STEPS) or 1)
    shown = tuple((_sound(anchor), _sound(heading), _shown(text)) for anchor, heading, text in found)
    if about and not shown[0][2].startswith(about):
        shown = (("", "", _shown(f"{about} {shown[0][2]}".strip())), *shown[1:])
    return Part(url, title, shown, headings, {term: tuple(row) for term, row in rows.items()})


def _text(text: str) -> dict[str, float]:
    """The weight of each term of a section's text: more for each time, but ever less."""
    counts = terms(text)
    norm = SATURATION * (0.4 + 0.6 * counts.total() / USUAL)
    return {
        term: count * (SATURATION + 1) / (count + norm) for term, count in counts.items() if term not in STOP
    }


def _add(weights: dict[str, float], found: set[str], weight: float) -> None:
    for term in found:
        weights[term] = weights.get(term, 0.0) + weight


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN].rpartition(" ")[0] or text[:SHOWN]


def _sound(text: str) -> str:
    """Text that can be written as UTF-8, whatever a page was read from."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
