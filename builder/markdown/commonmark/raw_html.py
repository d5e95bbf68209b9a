"""Raw HTML in `md` pages: each token is read and written again without what pages may not have.

Afterwards the content of `html_block` and `html_inline` tokens is what `builder.html.rewrite` wrote. Notes:
`html-dropped`, `html-unclosed`, `comment-dropped`, `mdx-only`, `link-unsafe`, `budget-exceeded`.

    <video src="/a.mp4">       browsers show the content of a video only where they cannot play it,
                               and that of details only to who unfolds them
    The rest of the page.

Such an element hides what is in it, and may be open over several blocks. One that no later tag closes is
closed where its block of HTML ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType
from msgspec import Struct

from builder.html import sanitize
from builder.html.rewrite import HtmlReader
from builder.lazy_regex import lazy
from builder.markdown.commonmark.parser_notes import Note, note
from builder.markdown.mdx.tag_hints import instead_in_md

RULE = "raw_html"

_OPENING = re.compile(r"<([A-Za-z][^\s/>]*)")
_TAG = lazy(r"<(/?)(audio|details|video)(?=[\s/>])", re.IGNORECASE)


class Opening(Struct, frozen=True):
    """A tag that nothing closes: the index of its block, its name and line, and its beginning as written."""

    block: int
    name: str
    line: int
    written: str


def left_open(tokens: Sequence[Token]) -> dict[int, Opening]:
    """For the index of each block that leaves such an element open: the first one in it."""
    waiting: dict[str, list[Opening]] = {}
    for closes, opening in _tags(tokens):
        same = waiting.setdefault(opening.name, [])
        if not closes:
            same.append(opening)
        elif same:
            same.pop()
    found = [opening for same in waiting.values() for opening in same]
    return {each.block: each for each in sorted(found, key=lambda each: each.line, reverse=True)}


def close(opening: Opening, reader: HtmlReader, depth: int, token: Token, env: EnvType) -> None:
    """Close the element in the `token` that was read, if it is among what is open beyond `depth` elements."""
    name = opening.name
    if name not in reader.opened[depth:]:
        return
    token.content += reader.close(reader.opened.index(name, depth)) + "\n"
    message = f"`<{name}>` is never closed, so it was closed where its block of HTML ends"
    note(
        env, Note("html-unclosed", opening.line, message, f"close it with `</{name}>`", near=opening.written)
    )


def _tags(tokens: Sequence[Token]) -> Iterator[tuple[bool, Opening]]:
    """Each tag of these elements, and whether it closes."""
    for index, token in enumerate(tokens):
        first, done = token.map[0] if token.map else 0, 0
        for found in _TAG.finditer(token.content) if token.type == "html_block" else ():
            first += token.content.count("\n", done, found.start())
            done = found.start()
            yield bool(found[1]), Opening(index, found[2].lower(), first, found[0])


def plugin(md: MarkdownIt) -> None:
    """Add the rule, after the text is parsed."""
    md.core.ruler.push(RULE, clean)


def clean(state: StateCore) -> None:
    """Read all raw HTML of the page, in order."""
    if "<" not in state.src or not state.md.options["html"]:
        return
    reader, never_closed = HtmlReader(), left_open(state.tokens)
    for index, token in enumerate(state.tokens):
        if token.type == "html_block":
            line, depth = token.map[0] if token.map else 0, len(reader.opened)
            _read(reader, token, line, state.env)
            if index in never_closed:
                close(never_closed[index], reader, depth, token, state.env)
        elif token.children and "<" in token.content:
            token.children = list(_inline(token, reader, state.env))


def _inline(parent: Token, reader: HtmlReader, env: EnvType) -> Iterator[Token]:
    """The children without those between `<script>` and `</script>`; what they open, they close."""
    depth = len(reader.opened)
    tokens, line = parent.children or [], parent.map[0] if parent.map else 0
    skip_to = -1
    closers = _closers(tokens)
    for index, token in enumerate(tokens):
        if index <= skip_to:
            continue
        if token.type == "html_inline":
            opening = _OPENING.match(token.content)
            name = opening[1].lower() if opening else ""
            _read(reader, token, line, env)
            if name in sanitize.DROPPED_WITH_CONTENT and closers.get(name, -1) > index:
                skip_to = next(at for at in range(index, len(tokens)) if _closed(tokens[at]) == name)
        yield token
    if closing := reader.close(depth):
        yield Token("html_inline", "", 0, content=closing)


def _closers(tokens: Sequence[Token]) -> dict[str, int]:
    """The last place where each element is closed."""
    return {name: at for at, token in enumerate(tokens) if (name := _closed(token))}


def _closed(token: Token) -> str:
    """The name in a closing tag, "" for all else."""
    closing = token.type == "html_inline" and token.content.startswith("</")
    return token.content[2:].rstrip("> \t\n").lower() if closing else ""


def _read(reader: HtmlReader, token: Token, line: int, env: EnvType) -> None:
    raw, token.content = token.content, reader.read(token.content)
    done = 0
    for drop in reader.drops:
        line += raw.count("\n", done, drop.offset)
        done = max(done, drop.offset)
        start = raw[drop.offset : drop.offset + 40].split("\n")[0]
        note(env, Note(drop.code, line, drop.message, drop.hint or _hint(drop.code, start), near=start))


def _hint(code: str, start: str) -> str:
    """A hint for what was left out at a tag of other systems."""
    opening = _OPENING.match(start) if code == "html-dropped" else None
    return instead_in_md(opening[1]) if opening else ""
