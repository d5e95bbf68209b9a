"""The address that the author of a broken link probably meant, in time that does not grow with the site.

Comparing with every page of a large site for every broken link would be quadratic. Candidates are only the
names that share the last segment, stand in the same folder, or begin alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from builder.diagnostics import did_you_mean

CANDIDATES = 40
"""Addresses compared for one broken link, at most, from each of the three sources."""

_SUFFIXES = (".mdx", ".md", ".html")


@dataclass(frozen=True, slots=True)
class Nearest:
    """Addresses (with a leading slash) by last segment, by folder and by beginning."""

    files: dict[str, list[str]]
    pages: dict[str, list[str]]

    @staticmethod
    def among(files: Iterable[str], pages: Iterable[str]) -> Nearest:
        """Index output paths of files and URLs of pages."""
        return Nearest(_index(f"/{file}" for file in sorted(files)), _index(sorted(pages)))

    def file(self, place: str) -> str:
        """A hint naming the file nearest to `place` (no leading slash), or ""."""
        return _hint(self.files, f"/{place}")

    def page(self, place: str) -> str:
        """A hint naming the page nearest to `place`, or failing that the file, or ""."""
        for suffix in _SUFFIXES:
            place = place.removesuffix(suffix)
        return _hint(self.pages, f"/{place}") or self.file(place)


def _index(addresses: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for address in addresses:
        for key in _keys(address):
            found.setdefault(key, []).append(address)
    return found


def _keys(address: str) -> tuple[str, str, str]:
    """The three lists an address stands in, told apart by their first character."""
    folder, _, last = address.rstrip("/").casefold().rpartition("/")
    return f"={last}", f"/{folder}", f"^{last[:2]}"


def _hint(index: dict[str, list[str]], address: str) -> str:
    candidates = {near: None for key in _keys(address) for near in index.get(key, [])[:CANDIDATES]}
    same = [near for near in candidates if _keys(near)[0] == _keys(address)[0]]
    return did_you_mean(address, candidates) or (f"did you mean `{same[0]}`?" if same else "")
