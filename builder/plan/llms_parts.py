"""Part a list of pages that is too large for one file, so that no file is beyond its limit.

                      all fit into one file        the list itself
    a section         else                         a list of its inner sections' parts, at the same place
    pages directly    too many for one file        halves, and halves of these, until each fits
    lists of parts    too many for one file        likewise, with a list above that leads to them

A section's list lies in its folder: `docs/guide/llms.txt`. What has no folder of its own is numbered beside
the list that leads to it: `llms-1.txt`. Pages are halved by their number, and not put in until a file is
full: so a page that grows moves no other one into another file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from builder.plan.llms_sections import IndexEntry, Section
from builder.plan.output_registry import Registry

T = TypeVar("T")

NAMED = 150
"""Characters of the pages that are named where a part has no description."""


class Part(Struct, frozen=True):
    """A file of pages (`entries`), or one that leads to further ones (`parts`), at an output path.

    `label` names it among others, `section` is the label of the section that it belongs to. `about` is its
    description, `names` are its first pages, which are told where it has none unless it is `brief`. `size` is
    that of its pages, `span` are the labels of the first and the last of what it leads to.
    """

    output: str
    label: str
    section: str
    about: str
    names: str
    size: int
    entries: tuple[IndexEntry, ...] = ()
    parts: tuple[Part, ...] = ()
    span: tuple[str, str] = ("", "")
    brief: bool = False

    @property
    def pages(self) -> int:
        """The number of pages, in further files too."""
        return len(self.entries) + sum(part.pages for part in self.parts)

    def every(self) -> Iterator[Part]:
        """This file and all that it leads to."""
        yield self
        for part in self.parts:
            yield from part.every()


class PartNames:
    """Gives out the places of the files of one list, such as `llms`, that nothing else has."""

    def __init__(self, stem: str, registry: Registry) -> None:
        self._stem = stem
        self._registry = registry
        self._last: dict[str, int] = {}

    def of_folder(self, folder: str, above: str) -> str:
        """The place in a folder; where that is taken, a numbered one in the folder `above`."""
        name = _joined(folder, f"{self._stem}.txt")
        return name if self._is_free(name) else self.numbered(above)

    def numbered(self, folder: str) -> str:
        """The next numbered place in a folder that a file of this list lies in, or in that of the site."""
        while True:
            number = self._last[folder] = self._last.get(folder, 0) + 1
            name = _joined(folder, f"{self._stem}-{number}.txt")
            if self._is_free(name):
                return name

    def _is_free(self, name: str) -> bool:
        return self._registry.claim(name, f"a part of `{self._stem}.txt` that the build makes") is None


class Divider(Struct, frozen=True):
    """Divides the sections of a site. `sizes` are those of the entries, by address.

    `room` gives what fits into a part with this label and description; `line` is the size of the line in
    which a list tells of a part.
    """

    names: PartNames
    sizes: Mapping[str, int]
    room: Callable[[str, str], int]
    line: Callable[[Part], int]

    def parts(self, sections: Iterable[Section], room: int) -> tuple[Part, ...]:
        """The parts that the list of the site leads to, which has this `room` for them."""
        found = [part for section in sections for part in self._section(section, "")]
        return self._grouped(found, "", room)

    def _section(self, section: Section, above: str) -> Iterator[Part]:
        """The part of a section; several for pages that have no folder of their own."""
        if section.folder is None and not section.inner:
            yield from self._halves(section, section.own, above)
            return
        entries, room = tuple(section.entries()), self.room(section.label, section.about)
        has = section.folder is not None
        output = self.names.of_folder(section.folder or "", above) if has else self.names.numbered(above)
        size = sum(map(self._size, entries))
        part = Part(output, section.label, section.label, section.about, named(entries), size)
        if size <= room or len(entries) == 1:
            yield replace(part, entries=entries)
        else:
            yield replace(part, parts=self._inner(section, output.rpartition("/")[0], room))

    def _inner(self, section: Section, folder: str, room: int) -> tuple[Part, ...]:
        """The parts of a section that is too large: its own pages, then its inner sections."""
        found = [*self._halves(section, section.own, folder)]
        found += [part for inner in section.inner for part in self._section(inner, folder)]
        return self._grouped(found, folder, room)

    def _halves(self, section: Section, own: Sequence[IndexEntry], folder: str) -> Iterator[Part]:
        """Numbered parts of pages; where there are several, each tells its first page and its last."""
        chunks = list(halves(own, self._size, self.room(section.label, section.about))) if own else []
        for number, entries in enumerate(chunks, 1):
            label, about = section.label, ""
            if len(chunks) > 1:
                label, about = f"{label} ({number})", _range(entries[0].title, entries[-1].title)
            size, output = sum(map(self._size, entries)), self.names.numbered(folder)
            yield Part(output, label, section.label, about, named(entries), size, entries)

    def _grouped(self, parts: Sequence[Part], folder: str, room: int) -> tuple[Part, ...]:
        """Put lists between where the lines about all parts have no room, not even without names."""
        if sum(map(self.line, parts)) > room:
            parts = [replace(part, brief=True) for part in parts]
        while len(parts) > 1 and sum(map(self.line, parts)) > room:
            longest = max((part.label for part in parts), key=len)
            groups = list(halves(parts, self.line, min(room, self.room(2 * longest, ""))))
            if len(groups) == len(parts):
                break  # no two lines fit into one file
            parts = [self._group(group, folder) for group in groups]
        return tuple(parts)

    def _group(self, parts: tuple[Part, ...], folder: str) -> Part:
        if len(parts) == 1:
            return parts[0]
        first, last = parts[0].span[0] or parts[0].label, parts[-1].span[1] or parts[-1].label
        label, size = _range(first, last), sum(part.size for part in parts)
        output = self.names.numbered(folder)
        return Part(output, label, label, "", "", size, parts=parts, span=(first, last))

    def _size(self, entry: IndexEntry) -> int:
        return self.sizes[entry.url]


def halves(items: Sequence[T], size: Callable[[T], int], room: int) -> Iterator[tuple[T, ...]]:
    """Yield runs of items that fit; one that does not even fit alone is a run of its own."""
    if len(items) == 1 or sum(map(size, items)) <= room:
        yield tuple(items)
        return
    middle = len(items) // 2
    yield from halves(items[:middle], size, room)
    yield from halves(items[middle:], size, room)


def named(entries: Iterable[IndexEntry]) -> str:
    """Name the first pages of a part."""
    told = ""
    for entry in entries:
        more = f"{', ' if told else ''}{entry.title}"
        if len(told) + len(more) > NAMED:
            return f"{told}, …" if told else ""
        told += more
    return told


def _range(first: str, last: str) -> str:
    return _short(first) if first == last else f"{_short(first)} – {_short(last)}"


def _short(title: str) -> str:
    return title if len(title) <= NAMED // 2 else f"{title[: NAMED // 2 - 1]}…"


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
