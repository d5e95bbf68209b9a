"""Headings: ids as GitHub makes them, ids that authors choose, and the table of contents.

    ## A title            id "a-title", then "a-title-1", "a-title-2" for its namesakes
    ## A title {#chosen}  id "chosen"; so do `{ #chosen }` and `{: #chosen .class }`, as MkDocs has them

`heading_open` has meta `{"id": chosen}` when an id was chosen. Ids that begin with `tp-` belong to the theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from builder.lazy_regex import lazy
from builder.markdown.commonmark.slug import slugify

RESERVED = "tp-"

_ID = r"\{:?[ \t]*#([^\s{}#]{1,200})(?:[ \t]+\.[^{}\n]*)?[ \t]*\}"
_CHOSEN = lazy(rf"{_ID}[ \t]*\Z")
_IDS = lazy(_ID)
_SIGN = lazy(r"\{:?[ \t]*#")


def plugin(md: MarkdownIt) -> None:
    """Take chosen ids off the text, before the text is parsed."""
    md.core.ruler.after("block", "heading_ids", take_ids)


def take_ids(state: StateCore) -> None:
    """Move each `{#id}` at the end of a heading into its token."""
    if _SIGN.search(state.src) is None:
        return
    for heading, text in pairwise(state.tokens):
        if heading.type == "heading_open" and (found := _CHOSEN.search(text.content)):
            heading.meta = {"id": found[1]}
            text.content = text.content[: found.start()].rstrip(" \t")


def chosen_id(text: str, chosen: str) -> tuple[int, int] | None:
    """Find where the source of a heading says the id that was chosen; None for another one."""
    found = [each.span() for each in _IDS.finditer(text) if each[1] == chosen]
    return found[-1] if found else None


class Slugger:
    """Gives out the ids of one page, each once."""

    __slots__ = ("_next", "taken")

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, text: str, chosen: str = "") -> str:
        """`chosen`, when it is free and not the theme's, else an id made of `text`.

        The caller knows by comparison whether the choice was refused.
        """
        if chosen and chosen not in self.taken and not chosen.startswith(RESERVED):
            self.taken.add(chosen)
            return chosen
        slug = slugify(text)
        if not slug or f"{slug}-".startswith(RESERVED):  # "tp" would be "tp-1" the second time
            slug = f"section-{slug}" if slug else "section"
        found, number = slug, self._next.get(slug, 0)
        while found in self.taken:
            number += 1
            found = f"{slug}-{number}"
        self._next[slug] = number
        self.taken.add(found)
        return found


def plain(tokens: Sequence[Token] | None) -> str:
    """The text a reader sees in inline tokens; a token of another rule may say it in `meta["plain"]`."""
    return "".join(_plain(token) for token in tokens or ()).strip()


def _plain(token: Token) -> str:
    if token.type in {"text", "code_inline", "text_special", "media"}:
        return token.content
    if token.type == "image":
        return plain(token.children)
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return str(token.meta.get("plain", ""))


def first(tokens: Sequence[Token]) -> str | None:
    """The text of the level-1 heading that the body begins with, or None."""
    if len(tokens) > 1 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return plain(tokens[1].children)
    return None
