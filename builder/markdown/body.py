"""Render a page's body: a pure function of its source and the site's context.

    source -> lines made equal -> what is affordable -> tokens -> HTML, with ids, links and findings
                                                     -> twin
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from builder import sanitize
from builder.diagnostics import Diagnostic
from builder.markdown import headings, rawtwin
from builder.markdown.context import Context
from builder.markdown.page import Body, BodySource
from builder.markdown.renderer import Renderer
from builder.markdown.sheet import Sheet
from builder.markdown.notes import notes
from builder.markdown.syntax import Parsed, parse
from builder.markdown.twin import Twins
from builder.markup import definitions
from builder.markup.chunks import Chunk

_LINE_END = re.compile(r"\r\n?")
_ID = re.compile(r'\sid="(?!tp-)([^"]+)"')


def render(source: BodySource, context: Context) -> Body:
    """Render a body. Total: whatever is wrong with it is a diagnostic."""
    text = source.text.replace("\0", "\ufffd")
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    body = Chunk(text, source.first_line)
    parsed = parse(body, source.format, premium=context.premium)
    sheet = Sheet(source, context, parsed.reading)
    sheet.reserve(_chosen(parsed))
    nonce = sanitize.nonce(text) if source.format == "md" and _has_html(parsed) else ""
    html = Renderer(sheet, parsed.tokens, nonce).render()
    for address in definitions.addresses(parsed.tokens):
        sheet.define(address)
    if nonce:
        rawtwin.edit(parsed.tokens, body, sheet.absolute)
    twin = Twins(context.links, source.path).text(body)
    return Body(
        html,
        twin,
        headings.first(parsed.tokens),
        tuple(sheet.toc),
        frozenset(map(unescape, _ID.findall(html))),
        tuple(sheet.links),
        tuple(sheet.colors),
        tuple(_diagnostics(parsed, source)),
    )


def _chosen(parsed: Parsed) -> Iterator[str]:
    """The ids that headings have chosen."""
    return (str(token.meta["id"]) for token in parsed.tokens if token.type == "heading_open" and token.meta)


def _has_html(parsed: Parsed) -> bool:
    """Whether an author's raw HTML is among the tokens."""
    if "<" not in parsed.reading.body.text:
        return False
    return any(
        token.type == "html_block"
        or ("<" in token.content and any(child.type == "html_inline" for child in token.children or ()))
        for token in parsed.tokens
    )


def _diagnostics(parsed: Parsed, source: BodySource) -> list[Diagnostic]:
    """What the rules and the renderer found, in the order of the source."""
    found = set(parsed.reading.diagnostics(source.file))
    chunks = parsed.reading.notes
    for number, note in enumerate(notes(parsed.env)):
        chunk = chunks.get(number, parsed.reading.body)
        line, column = chunk.place(_near(chunk, note.line, note.near, exact=number in chunks or not chunks))
        found.add(Diagnostic(source.file, line, column, note.code, note.message, note.hint))
    return sorted(found)


def _near(chunk: Chunk, line: int, near: str, *, exact: bool) -> int:
    """The offset of a note. Without an exact line it is looked for in the whole chunk."""
    starts = chunk.starts()
    start = starts[min(line, len(starts) - 1)]
    place = chunk.text.find(near, start if exact else 0) if near else -1
    return place if place >= 0 else start
