"""Footnotes as HTML: the raised number, and the list at the end with ways back.

The theme owns the ids, `tp-fn-1` of a note and `tp-fnref-1`, `tp-fnref-1-2` of its mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from msgspec import Struct

from components.words import ENGLISH, Words, fitted

META = "footnote"
"""The key in the `meta` of its tokens."""


class Footnote(Struct, frozen=True):
    """A note's number, and which mention of it a token is: from 1, and 0 until that is known."""

    label: str
    number: int = 0
    mention: int = 0


def footnote_ref(_: RendererHTML, tokens: Sequence[Token], idx: int, __: OptionsDict, ___: EnvType) -> str:
    """The raised number."""
    footnote: Footnote = tokens[idx].meta[META]
    number, id_ = footnote.number, _mention_id(footnote)
    return f'<sup class="tp-footnote-ref"><a href="#tp-fn-{number}" id="{id_}">{number}</a></sup>'


def footnote_anchor(_: RendererHTML, tokens: Sequence[Token], idx: int, __: OptionsDict, ___: EnvType) -> str:
    """The way back to a mention."""
    return way_back(tokens[idx], ENGLISH)


def way_back(token: Token, words: Words) -> str:
    """The same in the words of a language."""
    footnote: Footnote = token.meta[META]
    mention = f"{footnote.number}" + (f"-{footnote.mention}" if footnote.mention > 1 else "")
    name = escapeHtml(fitted(words.footnote, mention))
    return f' <a class="tp-footnote-back" href="#{_mention_id(footnote)}" aria-label="{name}">↩\ufe0e</a>'


def footnote_open(_: RendererHTML, tokens: Sequence[Token], idx: int, __: OptionsDict, ___: EnvType) -> str:
    """A note; its place in the list is its number."""
    return f'<li id="tp-fn-{tokens[idx].meta[META].number}">\n'


def footnote_close(*_: object) -> str:
    """The end of a note."""
    return "</li>\n"


def footnote_block_open(*_: object) -> str:
    """The list of all notes."""
    return '<section class="tp-footnotes" role="doc-endnotes">\n<ol>\n'


def footnote_block_close(*_: object) -> str:
    """The end of the list."""
    return "</ol>\n</section>\n"


def _mention_id(footnote: Footnote) -> str:
    number, mention = footnote.number, footnote.mention
    return f"tp-fnref-{number}" if mention == 1 else f"tp-fnref-{number}-{mention}"


RENDERERS: Mapping[str, Callable[..., str]] = {
    "footnote_ref": footnote_ref,
    "footnote_anchor": footnote_anchor,
    "footnote_open": footnote_open,
    "footnote_close": footnote_close,
    "footnote_block_open": footnote_block_open,
    "footnote_block_close": footnote_block_close,
}
"""Render rules by token type."""
