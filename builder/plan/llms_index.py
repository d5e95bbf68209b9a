"""`llms.txt`: the index of all pages for agents, which fits into what they read at once.

An index of more than 50,000 characters is parted by section: `llms.txt` then leads to the parts, each of
them a file of the same form in the folder of its section (`docs/guide/llms.txt`), as the Agent-Friendly
Documentation Spec has it. Agents cut off what they fetch beyond that many characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from builder.plan.llms_parts import NAMED, Divider, Part, PartNames
from builder.plan.llms_sections import IndexEntry, Section
from builder.plan.output_registry import Registry
from builder.unicode import encoded
from components.twin import plain
from components.words import Words

NAME = "llms.txt"
LONGEST = 50_000
"""Characters of one file."""
_MANY = 999_999
"""Stands for the number of any part."""
_MEGABYTE = 1_000_000


class Listing(Struct, frozen=True):
    """A heading, and the lines below it."""

    label: str
    entries: tuple[IndexEntry, ...]

    def text(self, site: str) -> str:
        """The heading and the lines."""
        return "\n".join((f"## {plain(self.label)}", "", *(entry.text(site) for entry in self.entries)))


class IndexFile(Struct, frozen=True):
    """One file of the index: its output path, its heading and summary, and its lists."""

    output: str
    title: str
    summary: str
    lists: tuple[Listing, ...]

    def text(self, site: str) -> str:
        """The file. `site` is put before each address: the site's own, or its base path without one."""
        parts = [f"# {plain(self.title)}", *([f"> {plain(self.summary)}"] if self.summary else [])]
        return "\n\n".join([*parts, *(each.text(site) for each in self.lists)]) + "\n"


class IndexFrame(Struct, frozen=True):
    """The common ground of the files of one index: the title and summary of the site, its address, its words.

    With `counts_bytes`, sizes are those in bytes, and lines about parts tell them.
    """

    title: str
    summary: str
    site: str
    words: Words
    counts_bytes: bool = False

    def whole(self, sections: Sequence[Section]) -> IndexFile:
        """The index as one file. Inner sections are part of theirs, as the form knows but one level."""
        lists = tuple(Listing(section.label, tuple(section.entries())) for section in sections)
        return IndexFile(NAME, self.title, self.summary, lists)

    def top(self, output: str, parts: Iterable[Part]) -> IndexFile:
        """The file that leads to the parts of the site."""
        listing = Listing(self.words.documentation, tuple(map(self.entry, parts)))
        return IndexFile(output, self.title, self.summary, (listing,))

    def file(self, part: Part) -> IndexFile:
        """The file of a part, which leads to pages or to further parts."""
        listing = Listing(part.section, part.entries or tuple(map(self.entry, part.parts)))
        return IndexFile(part.output, self.name(part.label), self.about(part), (listing,))

    def name(self, label: str) -> str:
        """The heading of a part."""
        return f"{self.title}: {label}"

    def about(self, part: Part) -> str:
        """The summary of a part."""
        return part.about or part.names or self.summary

    def entry(self, part: Part) -> IndexEntry:
        """The line about a part: how many pages it has, and which."""
        size = f", {_readable(part.size)}" if self.counts_bytes else ""
        told = part.about or ("" if part.brief else part.names)
        about = f"{self.words.pages}: {part.pages}{size}. {told}".rstrip()
        return IndexEntry(part.label, f"/{part.output}", about)

    def line(self, part: Part) -> int:
        """The size of that line."""
        return self.measure(f"{self.entry(part).text(self.site)}\n")

    def measure(self, text: str) -> int:
        """The size of a text."""
        return len(encoded(text)) if self.counts_bytes else len(text)

    def head(self, label: str, about: str) -> int:
        """The most that can stand before the lines of a part with this label and description."""
        head = IndexFile("", self.name(f"{label} ({_MANY})"), "", (Listing(label, ()),))
        names = (4 if self.counts_bytes else 2) * (NAMED + len("> \n\n"))  # no character takes more
        summary = max(names, *(self.measure(f"> {plain(each)}\n\n") for each in (about, self.summary)))
        return self.measure(head.text("")) + summary


def index_files(frame: IndexFrame, sections: Sequence[Section], registry: Registry) -> tuple[IndexFile, ...]:
    """Part the index into files, `llms.txt` first; a small site has but that."""
    entries, whole = [entry for section in sections for entry in section.entries()], frame.whole(sections)
    addresses = sum(len(frame.site) + len(entry.url) for entry in entries)  # counted at once, unlike the text
    if addresses <= LONGEST and len(whole.text(frame.site)) <= LONGEST:
        return (whole,)
    sizes = {entry.url: entry.longest(frame.site) for entry in entries}
    divider = Divider(PartNames("llms", registry), sizes, _room(frame), frame.line)
    parts = divider.parts(sections, LONGEST - frame.measure(frame.top(NAME, ()).text("")))
    every = (each for part in parts for each in part.every())
    return (frame.top(NAME, parts), *map(frame.file, every))


def _room(frame: IndexFrame) -> Callable[[str, str], int]:
    return lambda label, about: LONGEST - frame.head(label, about)


def _readable(size: int) -> str:
    """A number of bytes as people write it."""
    return f"{size / _MEGABYTE:.1f} MB" if size >= _MEGABYTE else f"{max(1, round(size / 1_000))} kB"
