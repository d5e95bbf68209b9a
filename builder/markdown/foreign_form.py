"""A form of another system that means nothing here: how it is found, what it is, and the form to use.

It is searched in two steps, because most pages have none. `SIGNS` of `foreign_lines` and `foreign_marks` find
in one pass which beginnings a page has; only the forms that begin so are searched, where their `sign` stands.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Literal

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.mdx.tag_hints import BLOCKS, kind_of
from builder.paths import Format

Shown = Literal["text", "code_inline", "image", "link_open", "s_open"]
_SHOWN = {
    "text": "as text",
    "code_inline": "as code",
    "image": "in any light",
    "link_open": "as it is",
    "s_open": "struck out",
}
_PLAIN = "leave the signs out: attributes are plain text"

_ALERTS = {
    "note": "NOTE", "tip": "TIP", "info": "IMPORTANT", "warning": "WARNING", "caution": "WARNING",
    "danger": "CAUTION",
}  # fmt: skip
_OF_HTML = "`<details>`"
"""Blocks that `md` pages can have as HTML."""


class Foreign(Struct, frozen=True):
    """A form of others: its pattern in running text, what it is, and a hint; without one, an admonition's.

    `sign` stands in each text that has the form; its first character is what `SIGNS` find. `mdx` says that
    what the hint names is there in `mdx` alone. `needs` is the extra that brings it; the hint has `{switch}`
    where it says so. `only` is the one format that shows the form. With `extra` it is none of others. `seen`
    is what readers see of it, where it does not begin so, and `shown` the kind of token that shows it. With
    `everywhere` the hint holds in attributes, too. What is `ours` is a form that means nothing at its place.
    """

    sign: str
    pattern: re.Pattern[str]
    name: str
    hint: str = ""
    mdx: bool = False
    needs: str = ""
    only: Format | None = None
    extra: str = ""
    seen: str | None = None
    shown: Shown = "text"
    everywhere: bool = False
    ours: bool = False

    def message(self, shown: str) -> str:
        """The message about one, of which `shown` is the beginning."""
        origin = "" if self.ours else " of another system"
        return f"`{shown}` is {self.name}{origin}, and is shown {_SHOWN[self.shown]}"

    def advice(self, found: re.Match[str], form: Format, extras: frozenset[str]) -> str:
        """The hint for one that was found on a site with these extras."""
        if not self.hint:
            return admonition(found["kind"], form, is_fenced=self.sign == "///")
        if self.needs:
            return with_switch(self.hint, self.needs, form, extras)
        hint = self.hint.format(**found.groupdict())
        return in_mdx(hint, form) if self.mdx else hint

    def advice_in_attribute(self, found: re.Match[str]) -> str:
        """The hint for one that was found in the attribute of a tag."""
        return self.hint.format(**found.groupdict()) if self.everywhere else _PLAIN


def admonition(given: str, form: Format, *, is_fenced: bool = False) -> str:
    """A hint how to write an admonition of this kind, or another block; a fenced one has a last line."""
    if hint := BLOCKS.get(given.lower()):
        return hint if _OF_HTML in hint else in_mdx(hint, form)
    kind = kind_of(given) or "note"
    if form == "md":
        return f"write `> [!{_ALERTS[kind]}]`, and `>` before each line of it"
    if is_fenced:
        return f"write `:::{kind}` and `:::` in the place of its first and last line"
    return f"write `:::{kind}` above it and `:::` below it, without the indentation"


def in_mdx(hint: str, form: Format) -> str:
    """A hint at something that is there in `mdx` alone."""
    return f"rename the file to `.mdx` and {hint}" if form == "md" else hint


def with_switch(hint: str, extra: str, form: Format, extras: frozenset[str]) -> str:
    """A hint at something that an extra brings; `{switch}` in it is what makes it act on the page."""
    rename = ["rename the file to `.mdx`"] if form == "md" else []
    add = [f"add `{extra}` to `extras` in `site.yml`"] if extra not in extras else []
    return hint.format(switch=" and ".join(rename + add)).removeprefix(" and ").removesuffix(" and ")


def line(pattern: str) -> re.Pattern[str]:
    """A pattern of something that a line begins with."""
    return lazy(rf"^[ \t]*(?:{pattern})", re.MULTILINE | re.IGNORECASE)


def beginning(text: str) -> str:
    """The beginning of a form, on one line, as it stands in a message."""
    line = unescape(text.strip().split("\n", 1)[0]).replace("`", "'")
    return line if len(line) <= 40 else f"{line[:39]}…"
