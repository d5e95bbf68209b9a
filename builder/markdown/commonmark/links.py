"""Links: definitions with an end to their length, and no address that is not on the allow-list.

markdown-it reads on for the end of a definition's label or title, line by line, and joins what it read at
every line; here a definition has so many lines at most. It asks a block-list while it parses; here every
address may be parsed and is judged afterwards, so that what is a link does not depend on where it leads. A
link or image that is refused becomes its own text. Notes: `link-unsafe`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from builder.links import urls
from builder.markdown.commonmark.parser_notes import Note, note
from builder.redaction import beginning

RULE = "refused_links"

MAX_LINES = 40
"""Lines of one definition."""

MAX_ADDRESSES = 4 * 1024 * 1024
"""Characters of all addresses and titles; one definition may be used by many links."""

_ADDRESS = {"link_open": "href", "image": "src", "media": "src"}
"""The tokens that hold an address, and where."""

_NO_DEFINITION = re.compile(r"\[(?:[^\[\]\\]++|\\.)*\](?!:)")


def plugin(md: MarkdownIt) -> None:
    """Bound definitions, and add the rule that takes refused links out, after all others."""
    md.block.ruler.at("reference", short_reference)
    md.core.ruler.push(RULE, refuse)


def short_reference(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """markdown-it's rule, shown no more than the lines of one definition."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if not state.src.startswith("[", start) or _NO_DEFINITION.match(
        state.src, start, state.eMarks[startLine]
    ):
        return False
    whole, state.lineMax = state.lineMax, min(state.lineMax, startLine + MAX_LINES)
    found = reference(state, startLine, endLine, silent)
    state.lineMax = whole
    return found


def refuse(state: StateCore) -> None:
    """Turn refused links and images into text, with a note for each."""
    line, left = 0, MAX_ADDRESSES
    for token in state.tokens:
        if token.map:
            line = token.map[0]
        links = [child for child in token.children if child.type in _ADDRESS] if token.children else ()
        if not links:
            continue
        left -= sum(len(str(value)) for link in links for value in link.attrs.values())
        if left < 0:
            note(state.env, Note("budget-exceeded", line, "the addresses of the page's links are too long"))
            token.children = list(_without(token.children or (), _is_link))
        elif refused := [href for link in links for href in _refused_in(link)]:
            for href in refused:
                note(
                    state.env,
                    Note("link-unsafe", line, f"`{beginning(href, 80)}` may not be linked", near=href[:40]),
                )
            token.children = list(_without(token.children or (), _is_refused))


def _is_link(token: Token) -> bool:
    return token.type in _ADDRESS


def _is_refused(token: Token) -> bool:
    return token.type in _ADDRESS and urls.safe(str(token.attrs[_ADDRESS[token.type]])) is None


def _refused_in(token: Token) -> Iterator[str]:
    """The refused addresses of a link or an image, and of images in its description."""
    if _is_refused(token):
        yield str(token.attrs[_ADDRESS[token.type]])
    for child in token.children or ():
        yield from _refused_in(child)


def _without(tokens: Sequence[Token], gone: Callable[[Token], bool]) -> Iterator[Token]:
    """The tokens without some links and images; what they held stays. Links never nest, images may."""
    in_gone = False
    for token in tokens:
        if token.children:
            token.children = list(_without(token.children, gone))
        if token.type == "link_open":
            in_gone = gone(token)
        if token.type in {"link_open", "link_close"}:
            if not in_gone:
                yield token
        elif gone(token):
            yield from token.children or _label(token)
        else:
            yield token


def _label(token: Token) -> Iterator[Token]:
    if token.content:
        yield Token("text", "", 0, content=token.content, level=token.level)
