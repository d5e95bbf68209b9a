"""The address that the author of a broken link probably meant, in time that does not grow with the site.

Comparing with every page of a large site for every broken link would be quadratic. Candidates are only the
addresses that have the same last segment, stand in the same folder, or have a last segment that begins alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from components.nearest import closest

WORK = 20_000_000
"""Pairs of characters compared for the hints of what a whole site shares, at most: about a second."""
PAGE_WORK = 2_000_000
"""The same for one page's broken links. Each page has its own, so that its hints are the same whichever
process renders it, and after whichever other page."""
COMPARISON = 200
"""What each comparison costs beside its characters, in such pairs."""
LONGEST = 1_000
"""Characters of an address that is compared; a page's address has fewer."""

CANDIDATES = 16
"""Addresses compared for one broken link, at most, from each of the three sources."""

_SUFFIXES = (".mdx", ".md", ".html")

Index = dict[str, list[str]]


class Effort(Struct):
    """Counts the work of comparing; past the budget there are no hints any more, and no time goes by.

    A comparison counts also where its result is known already: who asks first must make no difference.
    """

    left: int = WORK

    def affords(self, word: str, names: Iterable[str]) -> bool:
        """Return whether `word` may be compared with these names."""
        if self.left > 0:
            self.left -= sum(len(word) * len(name) + COMPARISON for name in names)
        return self.left > 0


class Nearest(Struct, frozen=True):
    """Addresses (with a leading slash) by last segment, by folder and by beginning."""

    files: Index
    all: Index
    _known: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def among(files: Iterable[str], pages: Iterable[str]) -> Nearest:
        """Index output paths of files and URLs of pages."""
        addresses = sorted(f"/{file}" for file in files)
        return Nearest(_index(addresses), _index([*sorted(pages), *addresses]))

    def file(self, place: str, effort: Effort) -> str:
        """A hint naming the file nearest to `place` (no leading slash), or ""."""
        return _hint(self._nearest(self.files, f"/{place}", effort))

    def page(self, place: str, effort: Effort) -> str:
        """A hint naming the page or file nearest to `place`, or ""."""
        for suffix in _SUFFIXES:
            place = place.removesuffix(suffix)
        return _hint(self.address(place, effort))

    def address(self, place: str, effort: Effort) -> str:
        """Return the address of the page or file nearest to `place`, or ""."""
        return self._nearest(self.all, f"/{place}", effort)

    def _nearest(self, index: Index, address: str, effort: Effort) -> str:
        if len(address) > LONGEST:
            return ""
        same, siblings, alike = (index.get(key, [])[:CANDIDATES] for key in _keys(address))
        names = {_last(other): other for other in [*alike, *siblings]}
        if not effort.affords(address, same or names):
            return ""
        key = f"{index is self.files}{address}"
        if key not in self._known:
            self._known[key] = _compared(address, same, names)
        return self._known[key]


def _compared(address: str, same: Sequence[str], names: Mapping[str, str]) -> str:
    """Return the nearest of all that has the same last segment, else of the last segments `names`."""
    near = closest(address, same, 0)
    if near is not None:
        return near
    last = closest(_last(address), names)
    return names[last] if last is not None else ""


def _hint(address: str) -> str:
    return f"did you mean `{address}`?" if address else ""


def _index(addresses: Iterable[str]) -> Index:
    found: Index = {}
    for address in addresses:
        for key in _keys(address):
            found.setdefault(key, []).append(address)
    return found


def _keys(address: str) -> tuple[str, str, str]:
    """The three lists an address stands in, told apart by their first character."""
    folder, _, last = address.rstrip("/").casefold().rpartition("/")
    return f"={last}", f"/{folder}", f"^{last[:2]}"


def _last(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2].casefold()
