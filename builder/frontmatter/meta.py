"""The frontmatter fields that Twinpress reads, with their kinds and their documentation."""

# Annotations are values here: `FIELDS` is read from them.

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.schema import kinds
from builder.schema.kinds import DAY, FLAG, NUMBER, TEXT, TEXTS, Kind


class Field(Struct, frozen=True):
    """One field as its documentation shows it."""

    kind: Kind
    meaning: str
    example: str


class Meta(Struct, frozen=True, gc=False):
    """The fields of a page's frontmatter; None where it says nothing. Texts are one line, not empty."""

    title: Annotated[
        str | None,
        Field(
            TEXT,
            "The page's title. Without it, the first level-1 heading is the title, or else the file's name.",
            "Install Twinpress",
        ),
    ] = None
    description: Annotated[
        str | None,
        Field(
            TEXT,
            "One line about the page, for search, previews of links and `llms.txt`.",
            "From nothing to a first page in five minutes.",
        ),
    ] = None
    sidebar_label: Annotated[
        str | None,
        Field(TEXT, "The page's name in the sidebar, when its title is too long.", "Install"),
    ] = None
    sidebar_position: Annotated[
        int | float | None,
        Field(
            NUMBER,
            "The place in the sidebar: lower is higher, fractions are fine. "
            "Pages without one come after those with one, by label.",
            "2.5",
        ),
    ] = None
    hide_title: Annotated[bool, Field(FLAG, "Leaves out the heading with the page's title.", "true")] = False
    hide_toc: Annotated[bool, Field(FLAG, "Leaves out the list of headings, On this page.", "true")] = False
    unlisted: Annotated[
        bool,
        Field(
            FLAG,
            "Keeps the page out of the sidebar, the search, `llms.txt` and the sitemap, and tells search "
            "engines not to list it. Whoever has its address can read it.",
            "true",
        ),
    ] = False
    draft: Annotated[
        bool, Field(FLAG, "Keeps the page out of every build; the preview shows it with a mark.", "true")
    ] = False
    feed: Annotated[
        bool,
        Field(FLAG, "Writes an Atom feed of the page's `Update` entries; needs the extra `update`.", "true"),
    ] = False
    last_updated: Annotated[
        str | None,
        Field(
            DAY,
            "The day that the page shows as that of its last change, in place of the one that git knows.",
            "2026-11-21",
        ),
    ] = None
    variables: Annotated[
        dict[str, str],
        Field(TEXTS, "Texts that `%{name}` stands for on this page, in `mdx`.", '{version: "2.4"}'),
    ] = {}


FIELDS: dict[str, Field] = {name: hint.__metadata__[0] for name, hint in Meta.__annotations__.items()}
"""The documentation of each field of `Meta`, in order."""

_DRAFT_LINE = lazy(
    r"""(?:^|[\r{,])[^\S\r\n]*["']?draft["']?[^\S\r\n]*[:=][^\S\r\n]*+
        (?!(?P<quote>["']?)(?:false|no|off|none|null|~|0)?(?P=quote)[^\S\r\n]*(?:[#,}\r]|$))""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_CONTROL = lazy(r"[\x00-\x1f\x7f-\x9f]")


def misfit(name: str, value: object) -> str:
    """Describe the fault of a field's value, if any; unknown fields and empty values have none."""
    field = FIELDS.get(name)
    return "" if field is None or value is None else kinds.misfit(field.kind, value)


def meta(values: Mapping[str, object]) -> Meta:
    """The fields among `values`; one of the wrong kind, or such a variable, is as if it was not there."""
    given = {
        name: _READ[field.kind](values[name])
        for name, field in FIELDS.items()
        if values.get(name) is not None and (field.kind is TEXTS or not misfit(name, values[name]))
    }
    given["draft"] = any(means_draft(value) for name, value in values.items() if name.casefold() == "draft")
    return Meta(**given)


def means_draft(value: object) -> bool:
    """Return whether a value of `draft`, right or wrong, keeps the page out.

    What cannot be understood does: a page that its author did not mean to publish cannot be taken back.
    """
    return str(value).strip().casefold() not in {"", "false", "no", "off", "none", "0"}


def says_draft(yaml: str) -> bool:
    """Return whether a block with faults, or several answers, has a line that keeps the page out."""
    return _DRAFT_LINE.search(yaml) is not None


def _line(value: object) -> str | None:
    """Text on one line, or None when there is nothing to see."""
    if not isinstance(value, str):
        return None
    return _CONTROL.sub("\ufffd", " ".join(value.split())) or None


def _lines(value: object) -> dict[str, str]:
    """Texts on one line each, which may be empty."""
    return {name: _line(text) or "" for name, text in kinds.right_texts(value).items()}


_READ: Mapping[Kind, Callable[[Any], Any]] = {
    TEXT: _line,
    NUMBER: lambda value: value,
    FLAG: bool,
    DAY: _line,
    TEXTS: _lines,
}
"""The value of a field of each kind, from one that fits it."""
