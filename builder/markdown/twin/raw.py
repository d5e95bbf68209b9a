"""Raw HTML of `md` pages in the twin: what the page drops goes there too, and addresses become absolute.

The rule `raw_html` writes each piece of HTML anew; before it, `remember` keeps what the author wrote, and
after it, `edits` compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.mdx.chunk.places import Places

_KEPT = "raw"
_SPELLING = re.compile(r"[\s\"'/]+")
_HTML = frozenset({"html_block", "html_inline"})

Absolute = Callable[[str], str]
"""From HTML to the same with absolute addresses."""


def remember(state: StateCore) -> None:
    """The core rule: keep the HTML as it was written, and the children of each paragraph that has any."""
    if "<" not in state.src:
        return
    for token in state.tokens:
        if token.type == "html_block":
            token.meta[_KEPT] = token.content
        elif token.children and "<" in token.content and any(child.type in _HTML for child in token.children):
            for child in token.children:
                child.meta[_KEPT] = child.content
            token.meta[_KEPT] = list(token.children)


def edit(tokens: Sequence[Token], body: Chunk, absolute: Absolute) -> None:
    """Put the edits into the body's chunk."""
    places = Places(tokens, body)
    for index, token in enumerate(tokens):
        if token.type == "html_block":
            _block(token, body, absolute)
        elif _KEPT in token.meta:
            _running(token, index, places, absolute)


def _block(token: Token, body: Chunk, absolute: Absolute) -> None:
    raw: str = token.meta[_KEPT]
    new = absolute(token.content)
    if token.map and (new != token.content or not _same(new, raw)):
        start = body.text.find(raw.split("\n", 1)[0].strip(), body.bounds(token.map[0])[0])
        end = body.bounds(token.map[1] - 1)[1]
        body.edit(start, end, new.strip("\n"), block=True)


def _running(token: Token, index: int, places: Places, absolute: Absolute) -> None:
    """The pieces within a paragraph, and the text between them that went with them."""
    kept = {id(child) for child in token.children or ()}
    cursor = 0
    pending: tuple[int, int, str | None] = 0, 0, None
    for child in token.meta[_KEPT]:
        if child.type != "html_inline":
            continue
        raw: str = child.meta[_KEPT]
        start = max(cursor, token.content.find(raw, cursor))
        cursor = start + len(raw)
        if id(child) in kept:
            _replace(places, index, *pending)
            new = absolute(child.content)
            changed = new != child.content or not _same(new, raw)
            pending = start, cursor, new if changed else None
        else:
            pending = pending[0], cursor, pending[2] or ""
    _replace(places, index, *pending)


def _same(new: str, raw: str) -> bool:
    """Return whether nothing but the spelling changed."""
    return _SPELLING.sub("", new).lower() == _SPELLING.sub("", raw).lower()


def _replace(places: Places, index: int, start: int, end: int, new: str | None) -> None:
    if new is not None:
        places.edit(index, start, end, new)
