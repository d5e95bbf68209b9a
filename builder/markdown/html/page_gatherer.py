"""The sheet that a body is rendered onto gathers ids, table of contents, links and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from markdown_it.token import Token
from markupsafe import Markup
from msgspec import Struct, field

from builder.code.rendered_fence import Fence
from builder.diagrams import Diagram
from builder.html import rewrite
from builder.images import header
from builder.links.resolved import Kind, Resolved
from builder.links.suggestions import PAGE_WORK, Effort
from builder.markdown.commonmark.headings import RESERVED, Slugger
from builder.markdown.commonmark.toc import TocEntry
from builder.markdown.context import Context
from builder.markdown.mdx.chunk.chunks import Chunk, Place
from builder.markdown.mdx.cursor.reading import Reading
from builder.markdown.mdx.destinations import Destination
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.page import BodySource, OutgoingLink, UpdateEntry
from components.nearest import Hint
from components.words import Words

if TYPE_CHECKING:
    from builder.markdown.parts.source_map import ExpandedText

Where = Callable[[str], Place]
"""From an attribute's name to the place of its value; for "" and what was not given, the component's own."""


class HeadingPlace(Struct, frozen=True):
    """A heading and the line, from 0, of the chunk that it begins with."""

    entry: TocEntry
    chunk: Chunk
    line: int
    token: Token


class Sheet(Struct):
    """One page while it is rendered. `waiting` are the ids that headings have chosen and not yet got."""

    source: BodySource
    context: Context
    reading: Reading
    expanded: ExpandedText | None = None
    toc: list[TocEntry] = field(default_factory=list)
    headings: list[HeadingPlace] = field(default_factory=list)
    links: list[OutgoingLink] = field(default_factory=list)
    targets: set[str] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)
    slugger: Slugger = field(default_factory=Slugger)
    effort: Effort = field(default_factory=lambda: Effort(PAGE_WORK))
    code: dict[bytes, Fence] = field(default_factory=dict)
    diagrams: dict[bytes, Diagram] = field(default_factory=dict)
    updates: list[UpdateEntry] = field(default_factory=list)
    _numbers: Counter[str] = field(default_factory=Counter)

    def reserve(self, chosen: Iterable[str]) -> None:
        """Keep the ids that headings have chosen from ids that are made of text."""
        self.waiting = {one for one in chosen if not one.startswith(RESERVED)}
        self.slugger.taken |= self.waiting

    def heading_id(self, label: str, chosen: str, place: Place) -> str:
        """The id of a heading: its own choice, or one made of its text."""
        if chosen in self.waiting:
            self.waiting.remove(chosen)
            return chosen
        return self.anchor(label, chosen, place)

    def anchor(self, text: str, chosen: str, place: Place) -> str:
        """An id that links may point to."""
        given = self.slugger.claim(text, chosen)
        if chosen and given != chosen:
            message = f"the id `{chosen}` is taken or reserved; it is `{given}` here"
            self.found(place, "heading-id-taken", message, "choose another")
        return given

    def own(self, id_: str) -> bool:
        """Claim an id that an element of the author's asks for; False when it is taken."""
        if id_ in self.slugger.taken or id_.startswith(RESERVED):
            return False
        self.slugger.taken.add(id_)
        return True

    def number(self, prefix: str) -> int:
        """Count the times that this prefix was asked for."""
        self._numbers[prefix] += 1
        return self._numbers[prefix]

    def found(self, place: Place, code: str, message: str, hint: Hint = "") -> None:
        """Give a diagnostic."""
        self.reading.found(place, code, message, hint)

    def base(self, place: Place | None = None) -> str:
        """The content path that links at a place are seen from: the page's, or that of a part."""
        if self.expanded is None or place is None:
            return self.source.path
        return self.expanded.origin(*place.position())[0].base

    def resolve(self, address: str, kind: Kind, place: Place | None = None) -> Resolved:
        """Resolve an address, seen from this page, or from the part that has it at `place`.

        An anchor alone is one of the page: a part has no address of its own.
        """
        is_own = self.expanded is None or address.startswith("#")
        base = self.source.path if is_own else self.base(place)
        resolved = self.context.links.resolve(address, base, kind)
        if resolved.path is not None:
            self.targets.add(resolved.path)
        return resolved

    def absolute(self, html: str) -> str:
        """Raw HTML with absolute addresses, as it stands in the twin."""
        return rewrite.resolved(html, lambda address, name: self.resolve(address, _kind(name)).absolute)

    def define(self, address: Destination) -> None:
        """Let a reference definition have its absolute address in the twin."""
        if address.definition is not None:
            new = address.written(self.resolve(str(address), "link", address.definition).absolute)
            start = address.definition.offset
            address.definition.chunk.edit(start, start + address.stop - address.start, new)

    def note_link(self, resolved: Resolved, address: str, place: Place) -> None:
        """Report what is wrong with a link at `place`, and remember it when its fragment must be checked."""
        if resolved.problem is not None:
            code, message, _ = resolved.problem
            self.found(place, code, message, partial(self.context.links.hint, resolved, self.effort))
        elif resolved.path is not None and resolved.fragment:
            where = place.position()
            part = ""
            if self.expanded is not None:
                told = self.expanded.place(*where)
                where, part = (told.line, told.column), told.part
            self.links.append(OutgoingLink(resolved.path, resolved.fragment, *where, address, part))


def _kind(attribute: str) -> Kind:
    return "link" if attribute == "href" else "image"


def attribute_places(of: Callable[[int], Place], start: int, tag: Tag | None) -> Where:
    """The places of a component that begins at `start` with `tag`; `of` gives the place of an offset."""

    def where(name: str) -> Place:
        given = tag.attribute(name) if tag and name else None
        return of(given.value_start if given else start)

    return where


class ComponentPage(Struct):
    """The page as a component sees it; `where` tells places, `entries` go into the contents."""

    embed_hosts: Sequence[str]
    sheet: Sheet
    where: Where
    entries: list[TocEntry] = field(default_factory=list)

    @property
    def words(self) -> Words:
        """The words that components say by themselves."""
        return self.sheet.context.words

    def unique(self, prefix: str) -> str:
        """A new id for the theme's own use."""
        return f"tp-{prefix}-{self.sheet.number(prefix)}"

    def anchor(self, text: str, explicit: str = "") -> str:
        """An id that links may point to."""
        return self.sheet.anchor(text, explicit, self.where("id" if explicit else ""))

    def contents(self, anchor: str, label: str, level: int = 3) -> None:
        """An entry for the table of contents."""
        self.entries.append(TocEntry(level, anchor, label))

    def tell_apart(self, labels: Mapping[str, str]) -> None:
        """Add labels to entries; those of the component are the last of all."""
        toc, left = self.sheet.toc, len(labels)
        for place in reversed(range(len(toc) if left else 0)):
            entry = toc[place]
            if entry.id in labels:
                toc[place] = TocEntry(entry.level, entry.id, f"{entry.label} ({labels[entry.id]})")
                left -= 1
            if not left:
                return

    def size(self, address: str) -> tuple[int, int] | None:
        """The size of an image of the site."""
        context = self.sheet.context
        return header.of_address(address, context.base, context.sizes)

    def update(self, anchor: str, label: str, date: str, tags: Sequence[str], html: Markup) -> None:
        """An entry for the page's feed."""
        line, column = self.where("date" if date else "").position()
        self.sheet.updates.append(UpdateEntry(anchor, label, date, tuple(tags), str(html), line, column))

    def report(self, code: str, message: str, hint: Hint = "", *, attribute: str = "") -> None:
        """A diagnostic at the place of the attribute, else at the component's."""
        self.sheet.found(self.where(attribute), code, message, hint)
