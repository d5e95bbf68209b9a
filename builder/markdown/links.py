"""Refused addresses: a link or image whose address is not on the allow-list becomes its own text.

markdown-it asks a block-list while it parses; here every address may be parsed and is judged afterwards, so
that what is a link does not depend on where it leads. Notes: `link-unsafe`.
"""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from builder import urls
from builder.markdown.notes import Note, note

RULE = "refused_links"


def plugin(md: MarkdownIt) -> None:
    """Add the rule that takes refused links out, after all others."""
    md.core.ruler.push(RULE, refuse)


def refuse(state: StateCore) -> None:
    """Turn refused links and images into text, with a note for each."""
    line = 0
    for token in state.tokens:
        if token.map:
            line = token.map[0]
        if token.children and any(map(_refused, token.children)):
            for href in _refused_in(token.children):
                note(state.env, Note("link-unsafe", line, f"`{href[:80]}` may not be linked", near=href[:40]))
            token.children = list(_without(token.children))


def _refused(token: Token) -> bool:
    if token.type == "link_open":
        return urls.safe(str(token.attrs["href"])) is None
    if token.type == "image":
        inside = token.children is not None and any(map(_refused, token.children))
        return inside or urls.safe(str(token.attrs["src"])) is None
    return False


def _refused_in(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        href = str(token.attrs.get("href" if token.type == "link_open" else "src", ""))
        if token.type in {"link_open", "image"} and urls.safe(href) is None:
            yield href
        if token.type == "image" and token.children:
            yield from _refused_in(token.children)


def _without(tokens: list[Token]) -> Iterator[Token]:
    """The tokens without refused links; what they held stays. Links never nest, images may."""
    dropping = False
    for token in tokens:
        if token.type == "image" and token.children:
            token.children = list(_without(token.children))
        if token.type == "link_open":
            dropping = _refused(token)
        drop = dropping and token.type in {"link_open", "link_close"}
        if not drop and _refused(token):
            yield from token.children or ()
        elif not drop:
            yield token
