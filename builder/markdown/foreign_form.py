"""A form of another system that means nothing here: how it is found, what it is, and the form to use.

It is searched in two steps, because most pages have none. `SIGNS` of `foreign_lines` and `foreign_marks` find
in one pass which beginnings a page has; only the forms that begin so are searched, where their `sign` stands.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.mdx.tag_hints import BLOCKS, kind_of
from builder.paths import Format

Shown = Literal["text", "code_inline", "image", "s_open"]
_SHOWN = {"text": "as text", "code_inline": "as code", "image": "in any light", "s_open": "struck out"}

_ALERTS = {
    "note": "NOTE", "tip": "TIP", "info": "IMPORTANT", "warning": "WARNING", "caution": "WARNING",
    "danger": "CAUTION",
}  # fmt: skip
_OF_HTML = "`<details>`"
"""Blocks that `md` pages can have as HTML."""


class Foreign(Struct, frozen=True):
    """A form of others: its pattern in running text, what it is, and a hint; without one, an admonition's.

    `sign` stands in each text that has the form; its first character is what `SIGNS` find. `mdx` says that
    what the hint names is there in `mdx` alone. `only` is the one format that shows the form. With `extra` it
    is none of others. `seen` is what readers see of it, where it does not begin so, and `shown` the kind of
    token that shows it. What is `undefined` is a reference of markdown that leads nowhere.
    """

    sign: str
    pattern: re.Pattern[str]
    name: str
    hint: str = ""
    mdx: bool = False
    only: Format | None = None
    extra: str = ""
    seen: str | None = None
    shown: Shown = "text"
    undefined: bool = False

    def message(self, shown: str) -> str:
        """The message about one, of which `shown` is the beginning."""
        origin = "" if self.undefined else " of another system"
        return f"`{shown}` is {self.name}{origin}, and is shown {_SHOWN[self.shown]}"

    def advice(self, found: re.Match[str], form: Format) -> str:
        """The hint for one that was found."""
        if not self.hint:
            return admonition(found["kind"], form)
        hint = self.hint.format(**found.groupdict())
        return in_mdx(hint, form) if self.mdx else hint


def admonition(given: str, form: Format) -> str:
    """A hint how to write an admonition of this kind, or another block."""
    if hint := BLOCKS.get(given.lower()):
        return hint if _OF_HTML in hint else in_mdx(hint, form)
    kind = kind_of(given) or "note"
    if form == "md":
        return f"write `> [!{_ALERTS[kind]}]`, and `>` before each line of it"
    return f"write `:::{kind}` above it and `:::` below it, without the indentation"


def in_mdx(hint: str, form: Format) -> str:
    """A hint at something that is there in `mdx` alone."""
    return f"rename the file to `.mdx` and {hint}" if form == "md" else hint


def line(pattern: str) -> re.Pattern[str]:
    """A pattern of something that a line begins with."""
    return lazy(rf"^[ \t]*(?:{pattern})", re.MULTILINE | re.IGNORECASE)
