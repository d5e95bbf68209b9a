"""The six frontmatter fields that Twinpress reads, with their kinds and their documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.schema import kinds
from builder.schema.kinds import FLAG, NUMBER, TEXT, Kind


class Meta(Struct, frozen=True, gc=False):
    """What a page's frontmatter says about it; None where it says nothing. Texts are one line, not empty."""

    title: str | None = None
    description: str | None = None
    sidebar_label: str | None = None
    sidebar_position: int | float | None = None
    hide_title: bool = False
    draft: bool = False


class Field(Struct, frozen=True):
    """One field as its documentation shows it."""

    kind: Kind
    meaning: str
    example: str


FIELDS: dict[str, Field] = {
    "title": Field(
        TEXT,
        "The page's title. Without it, the first level-1 heading is the title, or else the file's name.",
        "Install Twinpress",
    ),
    "description": Field(
        TEXT,
        "One line about the page, for search, previews of links and `llms.txt`.",
        "From nothing to a first page in five minutes.",
    ),
    "sidebar_label": Field(TEXT, "The page's name in the sidebar, when its title is too long.", "Install"),
    "sidebar_position": Field(
        NUMBER,
        "The place in the sidebar: lower is higher, fractions are fine. "
        "Pages without one come after those with one, by label.",
        "2.5",
    ),
    "hide_title": Field(FLAG, "Leaves out the heading with the page's title.", "true"),
    "draft": Field(FLAG, "Keeps the page out of every build; the preview shows it with a mark.", "true"),
}

_DRAFT_LINE = lazy(
    r"""(?:^|[\r{,])[^\S\r\n]*["']?draft["']?[^\S\r\n]*[:=][^\S\r\n]*+
        (?!(?P<quote>["']?)(?:false|no|off|none|null|~|0)?(?P=quote)[^\S\r\n]*(?:[#,}\r]|$))""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_CONTROL = lazy(r"[\x00-\x1f\x7f-\x9f]")


def misfit(name: str, value: object) -> str:
    """What is wrong with a field's value, or an empty string; unknown fields and empty values never are."""
    field = FIELDS.get(name)
    return "" if field is None or value is None else kinds.misfit(field.kind, value)


def meta(values: Mapping[str, object]) -> Meta:
    """The fields among `values`; one of the wrong kind is as if it was not there."""
    good = {name: values[name] for name in FIELDS if name in values and not misfit(name, values[name])}
    position = good.get("sidebar_position")
    return Meta(
        title=_line(good.get("title")),
        description=_line(good.get("description")),
        sidebar_label=_line(good.get("sidebar_label")),
        sidebar_position=position if isinstance(position, int | float) else None,
        hide_title=bool(good.get("hide_title")),
        draft=any(means_draft(value) for name, value in values.items() if name.casefold() == "draft"),
    )


def means_draft(value: object) -> bool:
    """Whether a value of `draft`, right or wrong, keeps the page out.

    What cannot be understood does: a page that its author did not mean to publish cannot be taken back.
    """
    return str(value).strip().casefold() not in {"", "false", "no", "off", "none", "0"}


def says_draft(yaml: str) -> bool:
    """Whether a block that cannot be read, or says several things, has a line that keeps the page out."""
    return _DRAFT_LINE.search(yaml) is not None


def _line(value: object) -> str | None:
    """Text on one line, or None when there is nothing to see."""
    if not isinstance(value, str):
        return None
    return _CONTROL.sub("\ufffd", " ".join(value.split())) or None
