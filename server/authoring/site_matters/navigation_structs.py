"""Typed structs of requests and answers about the header, the footer and the sidebar."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from server.authoring.field_types import Level, PagePath

MOST_LEFT_OUT = 100

_VALUE = {"$ref": "#/components/schemas/Value"}
_Label = Annotated[str, Meta(description="The text that readers see.", max_length=200)]
_Href = Annotated[
    str,
    Meta(
        description="A path in the site, such as `/docs/guide/`, or an address with `http`, `https`, "
        "`mailto` or `tel`.",
        max_length=2000,
    ),
]
_Sidebar = Annotated[
    str, Meta(description="The name of a group of the sidebar that stands alone beside its pages.")
]


class NavigationQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters."""


class NavigationLink(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A link of the footer."""

    label: _Label
    href: _Href


class MenuLink(NavigationLink, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A link in a menu of the header."""

    sidebar: _Sidebar = ""


class HeaderEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry of the header: a link, a button, or a menu that opens below its label."""

    label: _Label
    href: _Href = ""
    items: Annotated[list[MenuLink], Meta(description="The links of a menu, in the place of `href`.")] = (
        field(default_factory=list)
    )
    sidebar: _Sidebar = ""
    primary: Annotated[bool, Meta(description="Whether it is a button at the end of the header.")] = False


class FooterGroup(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A column of links in the footer."""

    label: _Label
    items: list[NavigationLink]


class FooterContent(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The text and links below every page."""

    text: Annotated[str, Meta(description="A line of text.")] = ""
    links: Annotated[list[NavigationLink], Meta(description="Links beside the text.")] = field(
        default_factory=list
    )
    columns: Annotated[list[FooterGroup], Meta(description="Columns of links above it.")] = field(
        default_factory=list
    )
    social: Annotated[
        dict[str, str], Meta(description="Links with an icon: `github`, `email` and others, each an address.")
    ] = field(default_factory=dict)


class SidebarGroup(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry of the sidebar: a page, a folder, a link, a heading, or a group of entries."""

    page: Annotated[str, Meta(description="A page by its content path; beside `items`, the group's own.")] = (
        ""
    )
    label: Annotated[str, Meta(description="The name of a group or a link, or another one for a page.")] = ""
    items: Annotated[
        list[Annotated[object, Meta(extra_json_schema=_VALUE)]],
        Meta(description="The entries of a group, of the same form as those of the sidebar."),
    ] = field(default_factory=list)
    collapsed: Annotated[bool | None, Meta(description="Whether it is closed at first.")] = None
    folder: Annotated[str, Meta(description="A folder as it is, with all below it.")] = ""
    href: Annotated[str, Meta(description="Where a link leads.")] = ""
    heading: Annotated[str, Meta(description="A heading above the entries that follow.")] = ""
    name: Annotated[
        str, Meta(description="The name by which an entry of the header shows a group alone.")
    ] = ""


class NavigationFields(Struct, frozen=True, forbid_unknown_fields=True):
    """The header, the footer and the sidebar, as far as they are to be others."""

    nav: Annotated[
        list[HeaderEntry] | UnsetType | None,
        Meta(description="All entries of the header; null removes them."),
    ] = UNSET
    footer: Annotated[
        FooterContent | UnsetType | None, Meta(description="The whole footer; null removes it.")
    ] = UNSET
    sidebar: Annotated[
        list[str | SidebarGroup] | UnsetType,
        Meta(
            description="All entries of the sidebar, on a site that lists them itself; a text is a page. "
            "Pages that it does not name are unlisted."
        ),
    ] = UNSET


class ChangeNavigation(NavigationFields, frozen=True, forbid_unknown_fields=True):
    """New values of some fields; what is not given stays."""

    if_match: Annotated[str | None, Meta(description="Only if the files have this `revision`.")] = None


def given_fields(asked: NavigationFields) -> dict[str, object]:
    """Return the values that are given, as settings have them."""
    given = {name: getattr(asked, name) for name in NavigationFields.__struct_fields__}
    return {name: msgspec.to_builtins(value) for name, value in given.items() if value is not UNSET}


class SettingsFinding(Struct, frozen=True):
    """A fault of the settings, at its place."""

    code: str
    level: Level
    file: str
    line: Annotated[int, Meta(description="Its line in the file, 0 for the file as a whole.")]
    column: int
    message: str
    hint: str


class NavigationContent(Struct, frozen=True):
    """The header, the footer and the sidebar as they stand in the files."""

    nav: Annotated[object, Meta(description="`nav` of `site.yml`, or null.", extra_json_schema=_VALUE)]
    footer: Annotated[object, Meta(description="`footer` of `site.yml`, or null.", extra_json_schema=_VALUE)]
    sidebar: Annotated[
        object,
        Meta(
            description="The entries of the sidebar, or null where it follows the folders.",
            extra_json_schema=_VALUE,
        ),
    ]
    sidebar_file: Annotated[
        str, Meta(description="The file with the entries: `sidebar.yml` or `site.yml`, empty for none.")
    ]
    left_out: Annotated[
        list[PagePath], Meta(description="Pages that the sidebar does not name, 100 at most.")
    ]
    diagnostics: Annotated[
        list[SettingsFinding], Meta(description="What is wrong with it, links that lead nowhere too.")
    ]
    revision: Annotated[str, Meta(description="The revision of the files, for `if_match`.")]
    may_change: Annotated[bool, Meta(description="Whether this key may change the navigation.")]


class NavigationResult(Struct, frozen=True):
    """The outcome of a change of the navigation, and its faults now."""

    applied: Annotated[bool, Meta(description="False when `dry_run` was asked for.")]
    files: Annotated[list[str], Meta(description="The files that are others now.")]
    left_out: Annotated[
        list[PagePath], Meta(description="Pages that the sidebar does not name now, 100 at most.")
    ]
    diagnostics: list[SettingsFinding]
    revision: Annotated[str, Meta(description="The revision of the files after the change.")]
