"""Read a client's preferences from its `Accept` headers (RFC 9110, 12.5.1).

Any text is read: a range that breaks the grammar is left out, and the others count. So nobody is refused
for what they accept; who accepts nothing that there is gets the other form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

MARKDOWN, HTML, JSON, PNG = "text/markdown", "text/html", "application/json", "image/png"

_FITTING = frozenset({("charset", "utf-8"), ("variant", "commonmark"), ("variant", "gfm")})
"""Parameters of a range that our answers have; a range with any other does not mean them."""

_WORD = "[!#$%&'+.^_`|~0-9a-z-]+"
_TYPE = re.compile(rf"\*/\*|{_WORD}/(?:\*|{_WORD})")
_PARAMETER = re.compile(rf'({_WORD})=(?:([!#$%&\'*+.^_`|~0-9a-z-]+)|"((?:[^"\\]|\\.)*)")', re.DOTALL)
_WEIGHT = re.compile(r"0(?:\.[0-9]*)?|\.[0-9]+|1(?:\.0*)?")
"""As in the RFC, with any number of digits, and `.2` for `0.2`, which Java's client writes."""

# A quotation without an end goes to the end of the text, so that nothing is read twice.
_QUOTED = r'"(?:[^"\\]|\\.?)*"?'
_BY_COMMA = re.compile(rf'(?:[^,"]+|{_QUOTED})+', re.DOTALL)
_BY_SEMICOLON = re.compile(rf'(?:[^;"]+|{_QUOTED})+', re.DOTALL)


Exactness = tuple[int, int]
"""How exactly a type is named: 1 for `*/*`, 2 for `text/*`, 3 for `text/html`; then how many parameters."""


class Range(Struct, frozen=True):
    """One of the things that are accepted: `type` is `text/html`, `text/*` or `*/*`, `weight` from 0 to 1."""

    type: str
    parameters: frozenset[tuple[str, str]]
    weight: float


def prefers_markdown(accept: Sequence[str], other: str) -> bool:
    """Return whether the values of `Accept` ask for `text/markdown` rather than for `other`."""
    return prefers(accept, MARKDOWN, other)


def prefers(accept: Sequence[str], wanted: str, other: str) -> bool:
    """Return whether the values of `Accept` ask for the media type `wanted` rather than for `other`.

    The one of greater weight is preferred; of two with the same weight the one that is named more exactly
    (`text/html` more than `text/*`, that more than `*/*`), then the one that is named first, as some
    agents name markdown; and `other` when there is no difference.
    """
    ranges = parse(accept)
    liked, others = _liking(ranges, wanted), _liking(ranges, other)
    return liked[0] > 0 and liked > others


def parse(accept: Iterable[str]) -> tuple[Range, ...]:
    """The ranges in the values of all `Accept` headers of a request, in their order."""
    found = (_range(part) for value in accept for part in _BY_COMMA.findall(value))
    return tuple(each for each in found if each)


def _liking(ranges: Sequence[Range], media: str) -> tuple[float, Exactness, int]:
    """The weight of a media type, which is that of the most exact range that means it, how exact, and where.

    The place is counted down from the first range; all are zeros when no range means the type.
    """
    levels = {"*/*": 1, f"{media.partition('/')[0]}/*": 2, media: 3}
    meant = (
        ((levels[each.type], len(each.parameters)), each.weight, len(ranges) - place)
        for place, each in enumerate(ranges)
        if each.type in levels and each.parameters <= _FITTING
    )
    exactness, weight, place = max(meant, default=((0, 0), 0.0, 0))
    return weight, exactness, place


def _range(text: str) -> Range | None:
    """The range that a part of the header is; None when it breaks the grammar."""
    kind, *rest = [piece.strip(" \t").lower() for piece in _BY_SEMICOLON.findall(text)] or [""]
    if kind == "*":  # Java's client means everything by it
        kind = "*/*"
    parameters = _parameters(filter(None, rest))
    if parameters is None or not _TYPE.fullmatch(kind):
        return None
    weight = parameters.pop("q", "1")
    if not _WEIGHT.fullmatch(weight):
        return None
    return Range(kind, frozenset(parameters.items()), float(weight))


def _parameters(pieces: Iterable[str]) -> dict[str, str] | None:
    """Parameters by name, with the weight, wherever it stands; None when one is broken or comes twice."""
    found: dict[str, str] = {}
    for piece in pieces:
        match = _PARAMETER.fullmatch(piece)
        if match is None or match[1] in found:
            return None
        found[match[1]] = match[2] if match[2] is not None else match[3]
    return found
