"""Match paths with globs as JavaScript's tools have them: `*`, `?`, `[a-z]`, `{a,b}`, `**` for folders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate

_LONGEST = 1000
_MOST = 200
"""Patterns that braces may make of one."""
_NOTHING = re.compile(r"\Z.")

Glob = Sequence[re.Pattern[str] | None]
"""Names of folders and the file; None stands for `**`: folders, as many as there are."""


def globs(patterns: Iterable[str]) -> Sequence[Glob]:
    """Read globs. Total."""
    return [_read(each) for pattern in patterns for each in _alternatives(pattern[:_LONGEST])]


def is_matched(path: str, patterns: Iterable[Glob]) -> bool:
    """Return whether a path is named by one of the globs."""
    names = path.split("/")
    return any(_matches(names, pattern) for pattern in patterns)


def _alternatives(pattern: str) -> Sequence[str]:
    found = [pattern]
    while len(found) < _MOST and any("{" in each for each in found):
        found = [one for each in found for one in _expanded(each)]
    return found[:_MOST]


def _expanded(pattern: str) -> Sequence[str]:
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return [pattern.replace("{", "")]
    return [pattern[: found.start()] + each + pattern[found.end() :] for each in found[1].split(",")]


def _read(pattern: str) -> Glob:
    names = pattern.removeprefix("./").strip("/").split("/")
    return [None if name == "**" else re.compile(translate(name)) for name in names]


def _matches(names: Sequence[str], pattern: Glob) -> bool:
    """Follow all places in the pattern at which the path so far can have led."""
    places = _with_skips({0}, pattern)
    for name in names:
        after: set[int] = set()
        for place in places:
            each = pattern[place] if place < len(pattern) else _NOTHING
            if each is None:
                after.add(place)
            elif each.match(name):
                after.add(place + 1)
        places = _with_skips(after, pattern)
    return len(pattern) in places


def _with_skips(places: set[int], pattern: Glob) -> set[int]:
    """Add the places behind each `**`, which may stand for no folder at all."""
    found = set(places)
    for place in range(len(pattern)):
        if place in found and pattern[place] is None:
            found.add(place + 1)
    return found
