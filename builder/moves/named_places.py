"""A quick look at a text: whether a link in it may lead to one of some pages or folders.

A link names the folder of what it leads to, right before its name, or is seen from that folder: from a page
in it, or by `../` from a page further down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from msgspec import Struct

from builder.config import SiteConfig
from builder.paths import DOCS
from builder.site import has_slugs


def by_path(config: SiteConfig) -> bool:
    """Return whether the addresses of pages are their content paths, so that links can be told by these."""
    return not has_slugs(config) and config.docs_at == f"/{DOCS}" and not config.trailing_slash


def spellings(name: str) -> frozenset[str]:
    """Return the forms in which a name may stand in a link."""
    return frozenset({name, quote(name)})


class NamedPlaces(Struct, frozen=True):
    """Content paths of pages and folders, without `/index`: names by folder, and folders by their name.

    In a folder of `led` a link to its own page need have no name.
    """

    by_folder: Mapping[str, frozenset[str]]
    by_folder_name: Mapping[str, frozenset[str]]
    led: tuple[str, ...] = ()

    @staticmethod
    def of(places: Iterable[str]) -> NamedPlaces:
        """Return the places with these paths, each of which has a folder."""
        places = tuple(places)
        led = tuple(place.removesuffix("index") for place in places if place.endswith("/index"))
        by_folder: dict[str, set[str]] = {}
        by_name: dict[str, set[str]] = {}
        for place in places:
            folder, _, name = place.removesuffix("/index").rpartition("/")
            by_folder.setdefault(folder, set()).update(spellings(name))
            for spelled in spellings(folder.rpartition("/")[2]):
                by_name.setdefault(f"{spelled}/", set()).update(f"{spelled}/{one}" for one in spellings(name))
        return NamedPlaces(
            {folder: frozenset(names) for folder, names in by_folder.items()},
            {name: frozenset(whole) for name, whole in by_name.items()},
            led,
        )

    def may_be_in(self, texts: Sequence[str], base: str) -> bool:
        """Return whether a link to one of them may be in texts that are seen from a content path."""
        if base.startswith(self.led):
            return True
        for name, whole in self.by_folder_name.items():
            if any(name in text and _has(text, whole) for text in texts):
                return True
        folder = base.rpartition("/")[0]
        for own, names in self.by_folder.items():
            if own in {folder, base} and any(_has(text, names) for text in texts):
                return True
            if folder.startswith(f"{own}/") and any(_has_up(text, names) for text in texts):
                return True
        return False


def _has(text: str, names: Iterable[str]) -> bool:
    return any(name in text for name in names)


def _has_up(text: str, names: Iterable[str]) -> bool:
    return "../" in text and any(f"../{name}" in text for name in names)
