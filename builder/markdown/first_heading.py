"""The first level-1 heading of a body, found without parsing the body, but for bodies with premium parts.

Apart from the reader of pages for the time it takes to load what parses: most builds read few pages.
"""

from __future__ import annotations

import re

from builder.markdown.commonmark import headings
from builder.markdown.hide_premium import parse_gated
from builder.markdown.mdx.body_limit import SMALL
from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.mdx.hide_premium_tags import locked
from builder.markdown.syntax import parse
from builder.paths import Format

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}#[ \t]+(.*)")
_SETEXT = re.compile(r" {0,3}=+[ \t]*$")
_VARIABLE = re.compile(r"(?<!\\)%\{([A-Za-z_][\w.-]{0,59})\}")
_NOT_TEXT = re.compile(r" {0,3}(?:#{1,6}(?:\s|$)|>|[-+*]\s|\d+[.)]\s|:::|import\s|export\s|</?\w)| {4}")


LONGEST = 2000
"""Characters of a heading that is parsed. The title of a page is found before anybody could end that."""


def first_heading(body: str, form: Format, extras: frozenset[str] = frozenset()) -> str | None:
    """The plain text of the first level-1 heading outside fences, or None when there is none.

    Looks at lines, not at structure: a heading within a quote or a list is not the page's. Nor is one in a
    premium part, because a title is in every list of the site; a body that may have such parts is parsed.
    `extras` are those that the site has switched on.
    """
    raw = _find(body)
    if raw and form == "mdx" and locked(body):
        return _outside(re.sub(r"\r\n?", "\n", body), extras)
    return (_plain(raw, form, extras) or None) if raw else None


def _find(body: str) -> str | None:
    fence = previous = ""
    for line in body.splitlines():
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence) and not line.strip(" \t" + fence[0]):
                fence = ""
            continue
        if opened:
            fence = opened[1]
            continue
        if found := _ATX.match(line):
            return _unclosed(found[1])
        if previous and _SETEXT.match(line):
            return previous
        previous = line.strip() if line.strip() and not _NOT_TEXT.match(line) else ""
    return None


def _unclosed(text: str) -> str:
    """The text of a heading's line without the signs that may close it."""
    text = text.rstrip(" \t")
    inner = text.rstrip("#")
    return inner.rstrip(" \t") if inner != text and inner[-1:] in ("", " ", "\t") else text


def _plain(raw: str, form: Format, extras: frozenset[str]) -> str | None:
    """The heading's text without markup: parsed as the page will parse it; a very long one as it is."""
    if len(raw) > LONGEST:
        return raw
    if form == "mdx" and "%{" in raw:
        raw = _VARIABLE.sub(r"%\\{\1}", raw)  # its value is known when the whole site is
    parsed = parse(Chunk(f"# {raw}\n", 1), form, premium=False, extras=extras)
    return headings.first(parsed.tokens)


def _outside(body: str, extras: frozenset[str]) -> str | None:
    """The first heading that is in no other block; None for a body that would take long."""
    if len(body) > SMALL:
        return None
    tokens = parse_gated(body, 1, extras=extras).tokens
    found = (index for index, token in enumerate(tokens) if token.tag == "h1" and not token.level)
    return next((headings.first(tokens[index : index + 2]) for index in found), None) or None
