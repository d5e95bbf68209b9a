"""One section of a page, by the parser's own idea of headings, which the process of reviews has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.frontmatter import split
from builder.markdown.page import SourceSection
from builder.review import Review
from builder.site import Site
from builder.store import Source
from server.authoring.compose import page_of
from server.authoring.structs import Page, SectionPlace
from server.http.failure import Failure

MOST_LISTED = 40
"""Sections that an error lists."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


class SectionsQuestion(Struct, frozen=True):
    """The sections of a page's source are asked for."""

    source: Source

    def answer(self, review: Review, site: Site) -> tuple[SourceSection, ...]:
        """Return them in their order."""
        return review.sections(self.source, site)


def section_of(source: Source, wanted: str, sections: Sequence[SourceSection]) -> Page:
    """Return a page whose body is the section with this id or heading. Raises Failure if there is none."""
    found = _found(wanted, sections)
    page = page_of(source)
    # A body that begins as frontmatter does is given with two more lines.
    more = page.body.count("\n") - split(source.text, source.file).body.count("\n")
    first, last = found.first + more, found.last + more
    lines = _LINE.findall(page.body)
    place = SectionPlace(found.id, found.label, found.level, first, last)
    return replace(page, body="".join(lines[first - 1 : last]), section=place)


def _found(wanted: str, sections: Sequence[SourceSection]) -> SourceSection:
    id, words = wanted.removeprefix("#"), _words(wanted)
    for section in sections:
        if section.id == id:
            return section
    same = [one for one in sections if _words(one.label) == words]
    if len(same) == 1:
        return same[0]
    says = f"{len(same)} sections are called so" if same else "the page has no such section"
    raise Failure("SECTION_NOT_FOUND", f"{says}; {_listed(same or sections)}")


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _listed(sections: Sequence[SourceSection]) -> str:
    if not sections:
        return "it has none, so leave `section` out"
    names = ", ".join(f"`{one.id}` (line {one.first})" for one in sections[:MOST_LISTED])
    more = f" and {len(sections) - MOST_LISTED} more" if len(sections) > MOST_LISTED else ""
    return f"write the id of one: {names}{more}"
