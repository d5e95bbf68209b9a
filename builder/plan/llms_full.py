"""`llms-full.txt`: the twins of all pages, one after the other.

A text of more than 10 MB is parted by section, into files of the same form in the folders of the sections
(`docs/guide/llms-full.txt`); `llms-full.txt` then leads to them. Sizes are those of twins, which are known
only when all pages are rendered. The places of the top sections are kept before, if the sources are large.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from builder.plan.llms_index import IndexFrame
from builder.plan.llms_parts import Divider, Part, PartNames
from builder.plan.llms_sections import Section, without_lists
from builder.plan.output_registry import Registry
from builder.site import SitePage
from builder.unicode import bytes_of, encoded
from components.twin import plain
from components.words import ENGLISH

NAME = "llms-full.txt"
LARGEST = 10_000_000
"""Bytes of one file."""
_BETWEEN = 100
"""Bytes of a page beside its source, about: its address and its title."""
_ENTRY = "\n---\n\nSource: {}{}\n\n{}\n"
"""The site's address, the page's, and its twin."""
_STEM = "llms-full"
_PART = re.compile(rf"(?:.*/)?{_STEM}(?:-\d+)?\.txt")

Make = Callable[[], bytes]


class Twins(Protocol):
    """The twins of all pages, by content path."""

    def text(self, path: str) -> str:
        """The twin of a page."""

    def size(self, path: str) -> int:
        """The bytes of that without the white space around it."""


class KnownTwins(Struct, frozen=True):
    """The twins of all pages in memory."""

    texts: Mapping[str, str]

    def text(self, path: str) -> str:
        """The twin of a page."""
        return self.texts[path]

    def size(self, path: str) -> int:
        """The bytes of that without the white space around it."""
        return bytes_of(self.texts[path].strip())


class FullFile(NamedTuple):
    """A file of the text at an output path, and what makes it: of the twins of `pages`, by content path.

    Those are None for a file that has no twins, or those of all pages.
    """

    path: str
    make: Make
    pages: tuple[str, ...] | None = None


class FullText(Struct, frozen=True):
    """The text of a site: what its files share, its sections, and its pages in reading order.

    `seems_large` says that it has to be parted, as far as sources tell.
    """

    frame: IndexFrame
    sections: tuple[Section, ...]
    pages: Sequence[SitePage]
    seems_large: bool = False

    def files(self, twins: Twins, registry: Registry) -> Iterator[FullFile]:
        """All files; `registry` has what else there is."""
        around = bytes_of(_ENTRY.format(self.frame.site, "", ""))
        sizes = {page.twin_url: around + bytes_of(page.url) + twins.size(page.path) for page in self.pages}
        if self._fits(sizes):
            yield FullFile(NAME, partial(self._text, self.frame.title, self.frame.summary, self.pages, twins))
            return
        parts, by_path = self._parts(sizes, registry), {page.path: page for page in self.pages}
        yield FullFile(NAME, lambda: encoded(self._frame.top(NAME, parts).text(self.frame.site)))
        for part in (each for top in parts for each in top.every()):
            own = None if part.parts else tuple(entry.path for entry in part.entries)
            yield FullFile(part.output, partial(self._part, part, by_path, twins), own)

    def kept_places(self, registry: Registry) -> frozenset[str]:
        """The places of the parts that the site has in any case, which are claimed; none for a small site."""
        if not self.seems_large:
            return frozenset()
        names = PartNames(_STEM, registry)
        sections = filter(None, map(without_lists, self.sections))
        return frozenset(names.of_folder(each.folder, "") for each in sections if each.folder is not None)

    def likely_places(self) -> frozenset[str]:
        """The places in folders at which a large site may have parts, for links; none for a small site."""
        if not self.seems_large:
            return frozenset()
        folders = {each.folder for top in self.sections for each in top.every()} - {None}
        return frozenset(f"{folder}/{NAME}" for folder in folders)

    @property
    def _frame(self) -> IndexFrame:
        return replace(self.frame, counts_bytes=True)

    def _fits(self, sizes: Mapping[str, int]) -> bool:
        head = _head(self.frame.title, self.frame.summary)
        return len(encoded(head)) + sum(sizes.values()) <= LARGEST

    def _parts(self, sizes: Mapping[str, int], registry: Registry) -> tuple[Part, ...]:
        frame = self._frame

        def room(label: str, about: str) -> int:
            return LARGEST - frame.head(label, about)

        divider = Divider(PartNames(_STEM, registry), sizes, room, frame.line)
        sections = (without_lists(section) for section in self.sections)
        return divider.parts(filter(None, sections), LARGEST - frame.measure(frame.top(NAME, ()).text("")))

    def _part(self, part: Part, pages: Mapping[str, SitePage], twins: Twins) -> bytes:
        if part.parts:
            return encoded(self._frame.file(part).text(self.frame.site))
        title, summary = self.frame.name(part.label), self.frame.about(part)
        return self._text(title, summary, [pages[entry.path] for entry in part.entries], twins)

    def _text(self, title: str, summary: str, pages: Iterable[SitePage], twins: Twins) -> bytes:
        entries = (self._entry(page, twins.text(page.path).strip()) for page in pages)
        return encoded("".join((_head(title, summary), *entries)))

    def _entry(self, page: SitePage, text: str) -> str:
        return _ENTRY.format(self.frame.site, page.url, text)


def seems_large(pages: Iterable[SitePage]) -> bool:
    """Return whether the twins of pages have to be parted, as far as their sources tell."""
    return any(size > LARGEST for size in accumulate(map(_guessed_size, pages)))


def _guessed_size(page: SitePage) -> int:
    return (page.document.size if page.twin is None else bytes_of(page.twin)) + _BETWEEN


NO_TEXT = FullText(IndexFrame("", "", "", ENGLISH), (), ())
"""The text of a site without pages."""


def is_part(output: str) -> bool:
    """Return whether a file at an output path may be a part of the text."""
    return output != NAME and _PART.fullmatch(output) is not None


def _head(title: str, summary: str) -> str:
    return f"# {plain(title)}\n" + (f"\n> {plain(summary)}\n" if summary else "")
