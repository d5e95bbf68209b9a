"""Headers of requests about the form and the part of a file that is wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from server.http import accept

Coding = Literal["br", "gzip", ""]

_CODINGS: Sequence[Coding] = ("br", "gzip", "")
"""The best first, of those that are liked the same."""
_RANGE = re.compile(r"bytes=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*", re.IGNORECASE)
_KNOWN = 512
"""Values of a header that are remembered: browsers send the same ones over and over."""
_LONGEST = 512
"""Characters of one that is worth it."""


def codings(value: str) -> Sequence[Coding]:
    """Return the content codings that a client takes, the preferred one first; "" is none, and always one."""
    return _codings(value) if len(value) <= _LONGEST else ("",)


@lru_cache(_KNOWN)
def _codings(value: str) -> Sequence[Coding]:
    weights = dict(_weights(value))
    others = weights.get("*", 0.0)
    liked = [(each, weights.get(each, others)) for each in _CODINGS if each]
    plain = weights.get("identity", 0.0)
    taken = [each for each, weight in sorted(liked, key=lambda pair: -pair[1]) if weight and weight >= plain]
    return (*taken, "")


def _weights(value: str) -> Sequence[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for part in value.lower().split(","):
        name, _, parameter = part.partition(";")
        key, _, weight = parameter.partition("=")
        try:
            found.append((name.strip(), float(weight) if key.strip() == "q" else 1.0))
        except ValueError:
            continue
    return found


def prefers_markdown(values: Sequence[str]) -> bool:
    """Return whether the values of `Accept` ask for markdown rather than for HTML."""
    value = ",".join(values)
    return _prefers(value) if len(value) <= _LONGEST else accept.prefers_markdown(values, accept.HTML)


@lru_cache(_KNOWN)
def _prefers(value: str) -> bool:
    return accept.prefers_markdown([value], accept.HTML)


def names_etag(values: Sequence[str], etag: str) -> bool:
    """Return whether the values of `If-None-Match` name an ETag, by the weak comparison."""
    for value in values:
        for each in value.split(","):
            known = each.strip().removeprefix("W/")
            if known in {etag, "*"}:
                return True
    return False


def part(value: str, size: int) -> range | None:
    """Return the bytes that a `Range` asks for, an empty range for one that cannot be.

    None stands for all of them, also where several parts are asked for, or what is no range.
    """
    found = _RANGE.fullmatch(value)
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        return range(max(0, size - int(found[2])), size)
    start, stop = int(found[1]), int(found[2] or size - 1) + 1
    if found[2] and stop <= start:
        return None
    return range(start, min(stop, size)) if start < size else range(0)
