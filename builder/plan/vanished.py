"""The addresses that answered in one build and do not in another, each with the redirect that would mend it.

Addresses are compared as they are answered: `/docs/a`, `/docs/a/`, `/docs/a.html` and `/docs/a/index.html`
lead to one page.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import unquote

from msgspec import Struct

from builder.links.suggestions import Effort, Nearest
from builder.plan.addresses import Addresses, digest_of, key_of
from builder.plan.patterns import Pattern, is_pattern, read_pattern
from components.nearest import LONGEST, closest

_FILE = re.compile(r"\.[a-z][a-z0-9]*$", re.IGNORECASE)
"""The ending of a file's address; pages have none."""
_PROBE = re.compile(r"\*|(?<=/):[^/]*")
"""The names in a redirect for many addresses: one that leads on any name leads on all that it does."""
_MOST_HOPS = 20
_ALIKE = 2
"""Anchors from which on two pages with the same ones are taken for one page that has moved."""


class VanishedAddress(Struct, frozen=True):
    """An address that answers no more, percent-encoded; `target` is where a redirect may lead, or None.

    The address is empty where it is that of an unlisted page, and nobody says which.
    """

    address: str
    target: str | None = None

    @property
    def shown(self) -> str:
        """The address, or words for the one that is not known."""
        return self.address or "the address of an unlisted page"


class VanishedAnchor(Struct, frozen=True):
    """A place on a page that is still there, though the place is not; `nearest` is the most similar one."""

    address: str
    anchor: str
    nearest: str | None = None


class Vanished(Struct, frozen=True):
    """All that vanished, by address. No redirect mends an anchor: a browser does not send it."""

    addresses: tuple[VanishedAddress, ...] = ()
    anchors: tuple[VanishedAnchor, ...] = ()


def vanished(before: Addresses, now: Addresses, moved: Mapping[str, str] | None = None) -> Vanished:
    """Return what answered before and does not now, neither as a page or file nor by a redirect.

    `moved` says of former addresses where their page is now, as far as that is known.
    """
    return Vanished(vanished_addresses(before, now, moved), tuple(_lost_anchors(before, now)))


def vanished_addresses(
    before: Addresses, now: Addresses, moved: Mapping[str, str] | None = None
) -> tuple[VanishedAddress, ...]:
    """Return the addresses alone, for which the anchors of now need not be known."""
    proposals = _Proposals(before, now, moved or {})
    lost = {address for address in (*before.places, *before.redirects) if not proposals.answers(address)}
    found = [VanishedAddress(address, proposals.target(address)) for address in sorted(lost)]
    return (*found, *_lost_unlisted(before, proposals, moved or {}))


def _lost_unlisted(
    before: Addresses, proposals: _Proposals, moved: Mapping[str, str]
) -> Iterator[VanishedAddress]:
    """The unlisted pages that are gone, with their address where it is among the moved ones."""
    if not before.unlisted or not (lost := before.unlisted - proposals.digests()):
        return
    known = {digest_of(address): address for address in moved}
    for digest in sorted(lost, key=lambda one: known.get(one, "")):
        address = known.get(digest, "")
        if not address or not proposals.answers(address):
            yield VanishedAddress(address, proposals.target(address) if address else None)


def _lost_anchors(before: Addresses, now: Addresses) -> Iterator[VanishedAnchor]:
    effort = Effort()
    there: dict[str, tuple[str, ...]] = {}
    for address, anchors in now.places.items():
        there[key_of(address)] = there.get(key_of(address), ()) + anchors
    for address, anchors in sorted(before.places.items()):
        if key_of(address) not in there:
            continue
        present = there[key_of(address)]
        for anchor in anchors:
            if anchor not in present:
                yield VanishedAnchor(address, anchor, _nearest_anchor(anchor, present, effort))


def _nearest_anchor(anchor: str, present: Sequence[str], effort: Effort) -> str | None:
    if len(anchor) > LONGEST or not effort.affords(anchor, present):
        return None
    return closest(anchor, present)


class _Proposals:
    """Finds where the page of an address may be now."""

    def __init__(self, before: Addresses, now: Addresses, moved: Mapping[str, str]) -> None:
        self._places = {key_of(address) for address in now.places}
        self._answered = self._places.union(map(key_of, now.redirects))
        known = {key_of(address) for address in (*before.places, *before.redirects)}
        fresh = {address: anchors for address, anchors in now.places.items() if key_of(address) not in known}
        self._unlisted = now.unlisted
        self._anchors = before.places
        self._same = _by_anchors(fresh)
        self._ways = {**before.redirects, **now.redirects, **moved}
        self._patterns = _Patterns(now.redirects)
        self._near = [_by_ending(fresh), _by_ending(now.places)]
        self._effort = Effort()

    def answers(self, address: str) -> bool:
        """Return whether there is something at an address."""
        asked = _PROBE.sub("tp-any", address) if is_pattern(address) else address
        if key_of(address) in self._answered or self._patterns.leads(unquote(asked)) is not None:
            return True
        return self._is_unlisted(address)

    def digests(self) -> frozenset[str]:
        """Return the digests of all that answers."""
        return self._unlisted.union(map(digest_of, self._answered))

    def _is_unlisted(self, address: str) -> bool:
        return bool(self._unlisted) and digest_of(address) in self._unlisted

    def target(self, address: str) -> str | None:
        """Return the address of the page that was at this one, or of the nearest; None without any."""
        if is_pattern(address):
            return self._ways.get(address)
        passed = [address]
        for following in self._followed(address):
            address = re.split("[?#]", following)[0]
            if not address.startswith("/") or key_of(address) in self._places or self._is_unlisted(address):
                return following
            passed.append(address)
        return next(filter(None, map(self._nearest, passed)), None)

    def _followed(self, address: str) -> Iterator[str]:
        """Follow what is known of moves: the caller's word, redirects, the same anchors on a new page."""
        for _ in range(_MOST_HOPS):
            known = self._ways.get(address) or self._same.get(self._anchors.get(address, ()))
            following = known or self._patterns.leads(unquote(address))
            if following is None:
                return
            yield following
            address = re.split("[?#]", following)[0]

    def _nearest(self, address: str) -> str | None:
        """Return the nearest by its name: among those that are new, or else among all."""
        place, ending = unquote(address).strip("/"), _ending(address)
        found = (near[ending].nearest(place, self._effort) for near in self._near if ending in near)
        return next(filter(None, found), None)


class _Patterns:
    """The redirects for many addresses, found by the names that they begin with."""

    def __init__(self, redirects: Mapping[str, str]) -> None:
        self._known: dict[tuple[str, ...], list[Pattern]] = {}
        self._longest = 0
        for old, new in redirects.items():
            if is_pattern(old):
                self._add(old, new)

    def leads(self, path: str) -> str | None:
        """Return where a decoded path is led on to, None for nowhere."""
        parts = path[1:].split("/")
        for length in range(min(len(parts), self._longest), -1, -1):
            for each in self._known.get(tuple(parts[:length]), ()):
                if (target := each.match(path)) is not None:
                    return target
        return None

    def _add(self, old: str, new: str) -> None:
        try:
            pattern = read_pattern(old, new)
        except ValueError:
            return  # a list that something else has written
        names = [each for each in pattern.segments if not each.endswith("*") and not each.startswith(":")]
        begin = tuple(itertools.takewhile(names.__contains__, pattern.segments))
        self._known.setdefault(begin, []).append(pattern)
        self._longest = max(self._longest, len(begin))


class _Near(Struct, frozen=True):
    """Addresses of one ending by their decoded form, and the index to find the nearest by."""

    index: Nearest
    encoded: Mapping[str, str]

    def nearest(self, place: str, effort: Effort) -> str | None:
        """Return the address nearest to a decoded one."""
        return self.encoded.get(self.index.address(place, effort))


def _by_ending(addresses: Iterable[str]) -> Mapping[str, _Near]:
    found: dict[str, dict[str, str]] = {}
    for address in addresses:
        found.setdefault(_ending(address), {})[unquote(address)] = address
    return {ending: _Near(Nearest.among((), known), known) for ending, known in found.items()}


def _by_anchors(places: Mapping[str, tuple[str, ...]]) -> Mapping[tuple[str, ...], str]:
    """Return the pages by their anchors, where these tell one page from all others."""
    found: dict[tuple[str, ...], list[str]] = {}
    for address, anchors in places.items():
        if len(anchors) >= _ALIKE:
            found.setdefault(anchors, []).append(address)
    return {anchors: pages[0] for anchors, pages in found.items() if len(pages) == 1}


def _ending(address: str) -> str:
    last = address.rpartition("/")[2].casefold()
    ending = _FILE.search(last)
    return ending[0] if ending and ending[0] != ".html" else ""
