"""The values that go into and come out of rendering one page's body; all of them picklable."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.code.rendered_fence import Fence
from builder.diagnostics import Diagnostic
from builder.diagrams import Diagram
from builder.markdown.commonmark.toc import TocEntry
from builder.paths import Format


class BodySource(Struct, frozen=True):
    """One page's body as its author wrote it, without its frontmatter.

    `file` is the source file relative to the site, `first_line` the line of `text`'s first line in it
    (from 1), `path` the content path of the page (links are resolved from it). `variables` are the page's
    own.
    """

    text: str
    format: Format
    file: str
    first_line: int
    path: str
    variables: Mapping[str, str] = {}


class OutgoingLink(Struct, frozen=True, gc=False):
    """A link into the site whose fragment must be checked when all pages are known.

    `path` is the target's content path, `fragment` is percent-decoded and never empty. `part` says where the
    link stands in what the page includes.
    """

    path: str
    fragment: str
    line: int
    column: int
    text: str
    part: str = ""


class UpdateEntry(Struct, frozen=True):
    """An entry of a changelog, for the page's feed; `date` is a day, or "" when it has none."""

    anchor: str
    label: str
    date: str
    tags: tuple[str, ...]
    html: str
    line: int
    column: int


class SourceSection(Struct, frozen=True, gc=False):
    """A heading with all that stands under it: the lines of the body, from 1, that it begins and ends with.

    One within a component ends with the component's content at the latest.
    """

    id: str
    level: int
    label: str
    first: int
    last: int


class Body(Struct, frozen=True):
    """A rendered body.

    `html` is the article's inner HTML, safe to put into the page. `heading` is the plain text of the
    level-1 heading that the body begins with, or None. `ids` are all element ids that links may point to.
    `twin` is the body as markdown without components (no title added). `targets` are the content paths
    of all pages that the body has links to; `links` are those of them that lead to a place on a page.
    `code` are the blocks of code that have a language, by their keys; `diagrams` are those that were drawn.
    `brought` are the output paths of the files that these are. `updates` are the entries of its changelog.
    `sections` are those of its own headings, not of parts that it includes.
    """

    html: str
    twin: str
    heading: str | None = None
    toc: tuple[TocEntry, ...] = ()
    ids: frozenset[str] = frozenset()
    links: tuple[OutgoingLink, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    targets: frozenset[str] = frozenset()
    code: Mapping[bytes, Fence] = {}
    diagrams: Mapping[bytes, Diagram] = {}
    brought: tuple[str, ...] = ()
    updates: tuple[UpdateEntry, ...] = ()
    sections: tuple[SourceSection, ...] = ()

    def files(self) -> dict[str, bytes]:
        """The files of the diagrams by their output paths."""
        return files_of(self.diagrams)


def files_of(diagrams: Mapping[bytes, Diagram]) -> dict[str, bytes]:
    """The files of diagrams by their output paths."""
    return {path: data for drawn in diagrams.values() for path, data in drawn.files()}
