"""`llms.txt`: the index of all pages for agents, which fits into what they read at once.

A list of more than 45,000 characters is parted by top-level section: `llms.txt` then leads to the parts, each
of which is a file of the same form below `llms/`. Agents cut what they fetch at 50,000 characters or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from builder import paths
from builder.sidebar import Category, Item
from builder.site import SitePage
from components.twin import plain
from components.words import Words

LONGEST = 45_000
"""Characters of a file as they are counted here, without what is written to mask markdown."""
_INLINE = 15_000
"""Characters of pages in no folder, or outside of the documentation, that stay in `llms.txt` itself."""
_NAMED = 150
"""Characters of the pages that are named where there is no description of a part."""


class IndexEntry(Struct, frozen=True):
    """A line: the page's title, the address of its twin from the site's root, and its description."""

    title: str
    url: str
    about: str = ""

    def text(self, site: str) -> str:
        """The line; `site` is put before the address."""
        about = f": {plain(self.about)}" if self.about else ""
        return f"- [{plain(self.title)}]({site}{self.url}){about}"


class Section(Struct, frozen=True):
    """The entries below one heading; `path` is that of the folder, empty for pages in none."""

    label: str
    path: str
    entries: tuple[IndexEntry, ...]
    about: str = ""

    def text(self, site: str) -> str:
        """The heading and the lines."""
        return "\n".join((f"## {plain(self.label)}", "", *(entry.text(site) for entry in self.entries)))

    def size(self, site: str) -> int:
        """Count the characters, about."""
        return sum(len(site) + len(one.title) + len(one.url) + len(one.about) + 8 for one in self.entries)


class IndexFile(Struct, frozen=True):
    """One file of the index: its output path, its heading and summary, and its sections."""

    output: str
    title: str
    summary: str
    sections: tuple[Section, ...]

    def text(self, site: str) -> str:
        """The file. `site` is put before each address: the site's own, or its base path without one."""
        parts = [f"# {plain(self.title)}", *([f"> {plain(self.summary)}"] if self.summary else [])]
        return "\n\n".join([*parts, *(section.text(site) for section in self.sections)]) + "\n"


def index_files(
    title: str, summary: str, sections: Sequence[Section], site: str, words: Words
) -> tuple[IndexFile, ...]:
    """Part the index into files, `llms.txt` first; a small site has but that."""
    if sum(section.size(site) for section in sections) <= LONGEST:
        return (IndexFile("llms.txt", title, summary, tuple(sections)),)
    parts: list[IndexFile] = []
    inline: list[Section] = []
    for section in sections:
        if section.path or section.size(site) > _INLINE:
            parts += _parts(section, title, summary, site, {each.output for each in parts})
        else:
            inline.append(section)
    listed = Section(words.documentation, "", tuple(_to_part(part) for part in parts))
    first, rest = _joined(inline, listed)
    return (IndexFile("llms.txt", title, summary, (first, *rest)), *parts)


def _joined(inline: Sequence[Section], listed: Section) -> tuple[Section, Sequence[Section]]:
    """Put the parts behind the pages of the section of the same heading."""
    if inline and inline[0].label == listed.label:
        entries = (*inline[0].entries, *listed.entries)
        return Section(listed.label, "", entries), inline[1:]
    return listed, inline


def _parts(section: Section, title: str, summary: str, site: str, taken: set[str]) -> Iterator[IndexFile]:
    """The files of one section, the second of which ends with `-2`."""
    stem = f"llms/{section.path or 'pages'}"
    for number, entries in enumerate(_chunks(section.entries, site), 1):
        tail = f"-{number}" if number > 1 else ""
        output = f"{stem}{tail}.txt"
        while output in taken:
            output = f"{output.removesuffix('.txt')}-.txt"
        taken.add(output)
        label = f"{section.label} ({number})" if number > 1 else section.label
        about = section.about if number == 1 and section.about else _named(entries)
        yield IndexFile(output, f"{title}: {label}", about or summary, (Section(label, "", entries),))


def _chunks(entries: Iterable[IndexEntry], site: str) -> Iterator[tuple[IndexEntry, ...]]:
    chunk: list[IndexEntry] = []
    size = 0
    for entry in entries:
        more = Section("", "", (entry,)).size(site)
        if chunk and size + more > LONGEST:
            yield tuple(chunk)
            chunk, size = [], 0
        chunk.append(entry)
        size += more
    yield tuple(chunk)


def _named(entries: Sequence[IndexEntry]) -> str:
    """Name the first pages of a part."""
    told = ""
    for entry in entries:
        more = f"{', ' if told else ''}{entry.title}"
        if len(told) + len(more) > _NAMED:
            return f"{told}, …" if told else ""
        told += more
    return told


def _to_part(part: IndexFile) -> IndexEntry:
    return IndexEntry(part.sections[0].label, f"/{part.output}", part.summary)


def sections_of(
    root: Category, standalone: Sequence[SitePage], generated: frozenset[str], words: Words
) -> list[Section]:
    """The sections in the order of the sidebar: pages in no folder, the top categories, pages elsewhere.

    `generated` are the paths of the categories whose page is a list that the build makes. Inner categories
    are part of the section, as the form knows but one level.
    """
    label = words.documentation if root.label == "Docs" else root.label
    top = [*_own(root, generated), *(_entry(each.page) for each in root.children if isinstance(each, Item))]
    found = [Section(label, "", tuple(top))]
    found += [_section(child, generated) for child in root.children if isinstance(child, Category)]
    found.append(Section(words.pages, "", tuple(_entry(page) for page in standalone)))
    return [section for section in found if section.entries]


def _section(category: Category, generated: frozenset[str]) -> Section:
    about = category.index.meta.description if category.index else ""
    return Section(category.label, category.path, tuple(_entries(category, generated)), about or "")


def _entries(category: Category, generated: frozenset[str]) -> Iterator[IndexEntry]:
    """The pages as a reader meets them: a category's own page first, then its children."""
    if category.index:
        yield _entry(category.index)
    yield from _own(category, generated)
    for child in category.children:
        if isinstance(child, Item):
            yield _entry(child.page)
        elif isinstance(child, Category):
            yield from _entries(child, generated)


def _own(category: Category, generated: frozenset[str]) -> Iterator[IndexEntry]:
    if category.path in generated:
        yield IndexEntry(category.label, paths.twin_url(f"{category.path}/index", category.place))


def _entry(page: SitePage) -> IndexEntry:
    return IndexEntry(page.title, page.twin_url, page.meta.description or "")
