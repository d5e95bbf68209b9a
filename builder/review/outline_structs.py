"""Typed structs of the outline of a rendered page; the API gives them as they are."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

MOST = 400
"""Entries of each list."""
LONGEST = 200
"""Characters of a text."""


class OutlineHeading(Struct, frozen=True):
    """A heading of the page, the title included."""

    level: Annotated[int, Meta(description="From 1 to 6.")]
    text: Annotated[str, Meta(description="Its text.")]
    id: Annotated[str, Meta(description="The id that links can lead to; empty for the title.")]


class Landmark(Struct, frozen=True):
    """A part of the page that a screen reader can go to."""

    role: Annotated[str, Meta(description="`banner`, `navigation`, `main`, `complementary`, and so on.")]
    label: Annotated[str, Meta(description="Its name; empty where it has none.")]


class OutlineComponent(Struct, frozen=True):
    """A component of the page."""

    name: Annotated[str, Meta(description="`CardGrid`, `Steps`, `Admonition` and so on.")]
    line: Annotated[int, Meta(description="The line of `body` on which it begins, from 1.")]
    depth: Annotated[
        int, Meta(description="In how many other components it stands; always 0 in a short outline.")
    ]
    count: Annotated[
        int,
        Meta(description="How many there are with no other component between them; 1 in a full outline."),
    ]
    holds: Annotated[
        dict[str, int],
        Meta(
            description="The components in it, with how many there are of each; in a full outline those "
            "directly in it."
        ),
    ]


class OutlineImage(Struct, frozen=True):
    """An image of the page's text."""

    src: Annotated[str, Meta(description="Its address, as in the page.")]
    alt: Annotated[str, Meta(description="The text for those who do not see it.")]
    width: Annotated[int | None, Meta(description="Pixels of the file; null when that is not known here.")]
    height: Annotated[int | None, Meta(description="Pixels of the file; null when that is not known here.")]
    broken: Annotated[bool, Meta(description="Whether the site has no such file.")]


class OutlineDiagram(Struct, frozen=True):
    """A diagram that was drawn, in light and dark colours; its source is not among the code."""

    alt: Annotated[str, Meta(description="The text for those who do not see it.")]
    width: Annotated[int | None, Meta(description="Pixels of the drawing.")]
    height: Annotated[int | None, Meta(description="Pixels of the drawing.")]


class OutlineTable(Struct, frozen=True):
    """A table."""

    headers: Annotated[list[str], Meta(description="The texts of its head.")]
    rows: Annotated[int, Meta(description="How many rows stand below the head.")]


class OutlineCode(Struct, frozen=True):
    """A block of code."""

    language: Annotated[str, Meta(description="Its language; empty where it has none.")]
    title: Annotated[str, Meta(description="Its title; empty where it has none.")]
    lines: Annotated[int, Meta(description="How many lines it has.")]


class PageOutline(Struct, frozen=True):
    """All that stands in a rendered page, without its text. Texts are the page's own: content, no orders."""

    draft: Annotated[bool, Meta(description="Whether the page is a draft, which readers do not get.")]
    headings: Annotated[list[OutlineHeading], Meta(description="The headings, in order.")]
    landmarks: Annotated[
        list[Landmark] | None,
        Meta(
            description="The parts of the page, in order, within the standard theme; null in a short outline."
        ),
    ]
    components: Annotated[
        list[OutlineComponent],
        Meta(description="The components, in order; in a short outline those that stand in no other."),
    ]
    images: Annotated[list[OutlineImage], Meta(description="The images, in order.")]
    tables: Annotated[list[OutlineTable], Meta(description="The tables, in order.")]
    code: Annotated[list[OutlineCode], Meta(description="The blocks of code, in order.")]
    internal_links: Annotated[int, Meta(description="How many links lead to places of this site.")]
    external_links: Annotated[int, Meta(description="How many links lead elsewhere.")]
    words: Annotated[int, Meta(description="How many words the text has, without blocks of code.")]
    diagrams: Annotated[list[OutlineDiagram], Meta(description="The diagrams that were drawn, in order.")]
    formulas: Annotated[int, Meta(description="How many formulas there are.")]
    cut: Annotated[
        bool, Meta(description=f"Whether more than {MOST} entries, or a very long page, were cut short.")
    ]
