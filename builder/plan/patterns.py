"""Redirects for many addresses: `/old/*` and `/blog/:year/:name`, with what matched in the target.

    source = "/" segments: `:name` is one name between slashes, and a `*` at the end is all that follows; with
             the beginning of a name before it, as in `/old*`, also the rest of that name
    target = a path or an address, in whose path `:name`, and `:splat` or `*`, stand for what matched

Matching compares segment by segment, so its time grows with the address alone. What matched is put in
percent-encoded and without empty segments: no match turns the target into another host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote, unquote

from msgspec import Struct

SPLAT = "splat"
MOST = 1_000
"""Patterns of a site; each address that leads nowhere is held against all of them."""
_NAME = re.compile(r":([A-Za-z][A-Za-z0-9_]*)")
_HOST = re.compile(r"https?://[^/]*", re.IGNORECASE)
_NOWHERE = frozenset({"", ".", ".."})
_SAFE = "!$&'()*+,;=:@~"


class Pattern(Struct, frozen=True):
    """The segments of an old address, and the target. `written` is the address as its author wrote it."""

    segments: tuple[str, ...]
    target: str
    written: str = ""

    @property
    def source(self) -> str:
        """The old address as rules have it."""
        return "/" + "/".join(quote(each, safe=_SAFE) for each in self.segments)

    @property
    def is_single(self) -> bool:
        """True if all old addresses lead to one."""
        host = _HOST.match(self.target)
        return _NAME.search(self.target, host.end() if host else 0) is None

    def match(self, path: str) -> str | None:
        """Return where a decoded path leads, None when it does not match."""
        given = path.removeprefix("/").split("/")
        found: dict[str, str] = {}
        for number, segment in enumerate(self.segments):
            if segment.endswith("*"):
                rest = _rest(segment[:-1], given[number:])
                return None if rest is None else filled(self.target, {**found, SPLAT: rest})
            if number >= len(given) or not given[number]:
                return None
            if segment.startswith(":"):
                if given[number] in {".", ".."}:
                    return None
                found[segment[1:]] = quote(given[number], safe=_SAFE)
            elif segment != given[number]:
                return None
        return filled(self.target, found) if len(given) == len(self.segments) else None


def _rest(begin: str, given: Sequence[str]) -> str | None:
    """Return what follows the beginning of a name, percent-encoded; None when the name does not begin so."""
    first = given[0] if given else ""
    if not first.startswith(begin):
        return None
    names = [quote(each, safe=_SAFE) for each in (first[len(begin) :], *given[1:]) if each not in _NOWHERE]
    between = "/" if begin and first == begin and names else ""
    return between + "/".join(names)


def is_pattern(source: str) -> bool:
    """Return whether an old address stands for many."""
    return "*" in source or "/:" in source


def read_pattern(source: str, target: str) -> Pattern:
    """Return the pattern. Raises ValueError with the way out."""
    if not source.startswith("/"):
        raise ValueError(f"write `/{source}`")
    segments = tuple(unquote(source[1:]).split("/"))
    names = [each[1:] for each in segments if each.startswith(":")]
    if segments[0].startswith((":", "*")):
        raise ValueError("begin with a name that is always the same, as in `/old/*`")
    last = segments[-1].removesuffix("*")
    if any("*" in each for each in (*segments[:-1], last)):
        raise ValueError("write `*` once, at the end")
    plain = [each for each in (*segments[:-1], last or "*") if each != "*" and not _NAME.fullmatch(each)]
    if not all(each and each.isprintable() and not set(each) & set("\\?#: ") for each in plain):
        raise ValueError("write names between single slashes, and `:name` as a whole name")
    if any(each in {".", ".."} for each in plain) or len(set(names)) < len(names) or SPLAT in names:
        raise ValueError("give each `:name` once, another name than `:splat`, and leave out `.` and `..`")
    known = {*names, SPLAT} if segments[-1].endswith("*") else set(names)
    return Pattern(segments, _checked(target.replace("*", f":{SPLAT}"), known), source)


def _checked(target: str, known: set[str]) -> str:
    host = _HOST.match(target)
    path = target[host.end() :] if host else target
    if (
        (host and _NAME.search(host[0], 6))
        or not path.startswith("/")
        or path.startswith("//")
        or "\\" in path
    ):
        raise ValueError("let it lead to a path in the site, or to an address with a `/` after its host")
    used = [name for each in re.split(r"[/?#&=]", path) for name in _NAME.findall(each)]
    if unknown := [name for name in used if name not in known]:
        raise ValueError(f"`:{unknown[0]}` is not in the old address")
    return target


def filled(target: str, found: dict[str, str]) -> str:
    """Return the target with what matched in the place of names."""
    host = _HOST.match(target)
    begin = host[0] if host else ""
    path = _NAME.sub(lambda name: found.get(name[1], name[0]), target[len(begin) :])
    return begin + re.sub(r"\A/{2,}", "/", path)


def overlap(one: Pattern, other: Pattern) -> bool:
    """Return whether some path matches both."""
    for mine, its in zip(one.segments, other.segments, strict=False):
        ends = mine.endswith("*"), its.endswith("*")
        if any(ends):
            begins = mine.removesuffix("*"), its.removesuffix("*")
            return any(each.startswith(":") for each in begins) or (
                (ends[0] and begins[1].startswith(begins[0])) or (ends[1] and begins[0].startswith(begins[1]))
            )
        if mine != its and not mine.startswith(":") and not its.startswith(":"):
            return False
    shorter, longer = sorted((one.segments, other.segments), key=len)
    return longer[len(shorter) :] in ((), ("*",))  # which stands for nothing, too


def first(patterns: Iterable[Pattern], path: str) -> str | None:
    """Return where the first pattern that matches leads."""
    return next((found for each in patterns if (found := each.match(path)) is not None), None)


def exact_in_rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield the old addresses, decoded and without a slash at their end, and targets of all other lines."""
    for line in text.splitlines():
        parts = line.split()
        if len(parts) >= 2 and not is_pattern(parts[0]):
            yield unquote(parts[0]).rstrip("/"), parts[1]


def in_rules(text: str) -> Sequence[Pattern]:
    """Return the patterns among the lines of a `_redirects`."""
    return tuple(_in_rules(text))


def _in_rules(text: str) -> Iterator[Pattern]:
    count = 0
    for line in text.splitlines():
        parts = line.split()
        if len(parts) >= 2 and count < MOST and is_pattern(parts[0]):
            try:
                yield read_pattern(parts[0], parts[1])
            except ValueError:
                continue
            count += 1
