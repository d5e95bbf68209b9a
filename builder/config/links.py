"""Fields of `site.yml` for links around the pages: in the header, in the sidebar, in the footer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from builder.config import checks
from builder.config.social import PLACES
from builder.schema.option import option


@dataclass(frozen=True, slots=True)
class SidebarEntry:
    """One entry of the sidebar; a text alone is a page. `where` names it: `sidebar[1].items[0]`."""

    SHORT: ClassVar[str] = "page"

    page: str = option(
        "A page by its path. A text alone says the same. Beside `items` it is the group's own page.",
        "",
        example="docs/guide/install",
    )
    label: str = option(
        "The name of a group or a link, or another one for a page or a folder.", "", check=checks.line
    )
    items: tuple[SidebarEntry, ...] = option("The entries of a group.", ())
    collapsed: bool | None = option("Whether a group or folder is closed at first.", None)
    folder: str = option("A folder as it is, with all below it.", "", example="docs/reference")
    href: str = option("Where a link leads.", "", example="https://status.example.com", check=checks.image)
    heading: str = option("A heading above the entries that follow.", "", check=checks.line)
    name: str = option("The name by which `nav` makes a group a sidebar of its own.", "", check=checks.line)
    where: str = dataclasses.field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NavLink:
    """One link of the header or the footer; `where` names it in `site.yml`: `nav[1]`."""

    label: str = option("The text of the link.", example="Guide", check=checks.words)
    href: str = option(
        "Where it leads: a path in the site, or an address with `http`, `https`, `mailto` or `tel`.",
        example="/docs/guide/",
        check=checks.link,
    )
    where: str = dataclasses.field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PartLink(NavLink):
    """One link of the header, which may have a sidebar of its own."""

    sidebar: str = option(
        "The name of a group of `sidebar`: its pages have the group alone beside them.",
        "",
        example="guide",
        check=checks.line,
    )


@dataclass(frozen=True, slots=True)
class NavItem(PartLink):
    """One entry of the header: a link, a button, or a menu of links that opens below its label."""

    href: str = option(
        "Where it leads: a path in the site, or an address with `http`, `https`, `mailto` or `tel`. Required "
        "without `items`.",
        "",
        example="/docs/guide/",
        check=checks.link,
    )
    items: tuple[PartLink, ...] = option("The links of a drop-down menu, which `label` opens.", ())
    primary: bool = option(
        "Whether the link is a button at the end of the header: the one thing that readers are to do.", False
    )


@dataclass(frozen=True, slots=True)
class FooterColumn:
    """One column of links in the footer."""

    label: str = option("The title of the column.", example="Product", check=checks.words)
    items: tuple[NavLink, ...] = option("Its links.")
    where: str = dataclasses.field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Footer:
    """The text and links below every page."""

    text: str = option("A line of text.", "", example="© Example Ltd", check=checks.line)
    links: tuple[NavLink, ...] = option("Links beside the text.", ())
    columns: tuple[FooterColumn, ...] = option("Columns of links above the text.", ())
    social: dict[str, str] = option(  # noqa: RUF009 - each instance gets a copy
        "Links with an icon, in this order: each place by its name, with your address there.",
        {},
        example="{github: https://github.com/example, email: hello@example.com}",
        check=checks.line,
        keys={name: ("", place.meaning) for name, place in PLACES.items()},
    )

    def every_link(self) -> Iterator[NavLink]:
        """Yield the links beside the text, then those of the columns."""
        yield from self.links
        for column in self.columns:
            yield from column.items
