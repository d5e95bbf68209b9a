"""The parser of bodies: the parser of plain markdown, and for `mdx` our rules beside it.

blocks (in chunks) -> chosen ids, tasks -> inlines, each settled -> footnotes -> ...   (core rules)

Of `md` pages a note says where admonitions are shown as text: `mdx-only`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.commonmark import links, raw_html
from builder.markdown.commonmark.budget import meter
from builder.markdown.commonmark.parser import Parser, base
from builder.markdown.commonmark.parser_notes import Note, note, notes
from builder.markdown.mdx import block_rule, destinations, inline_rules, math_rules
from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.mdx.chunk.places import Places
from builder.markdown.mdx.cursor.reading import KEY, WITHHELD, Reading, reading
from builder.markdown.mdx.cursor.state import ChunkState, Within
from builder.markdown.mdx.inline_tokens import settle
from builder.markdown.mdx.shown_unparsed import running
from builder.markdown.twin import raw
from builder.paths import Format
from components.admonition import TYPES
from components.words import ENGLISH, Words

_OPENING = lazy(rf"^:{{3,}}[ \t]*(?:{'|'.join(TYPES)})\b", re.IGNORECASE | re.MULTILINE)


GRAMMAR = frozenset({"definition-lists", "keys", "math"})
"""The extras that add rules to the parser."""
_NONE: frozenset[str] = frozenset()


class Parsed(Struct, frozen=True):
    """A body as tokens, with what the rules left in `env` and in the reading."""

    tokens: list[Token]
    env: dict[str, Any]
    reading: Reading


def parse(
    body: Chunk,
    form: Format,
    *,
    premium: bool,
    locked: bool = False,
    words: Words = ENGLISH,
    extras: frozenset[str] = frozenset(),
) -> Parsed:
    r"""Parse a body, whose line ends are `\n`; see `Reading` for what the plan decides."""
    read = Reading(body, premium, locked, words, extras)
    env: dict[str, Any] = {KEY: read}
    grammar = extras & GRAMMAR if form == "mdx" else _NONE
    return Parsed(_parser(form, grammar).parse(body.text, env), env, read)


@cache
def _parser(form: Format, grammar: frozenset[str]) -> Parser:
    """The parser of a format, with the rules of these extras."""
    md = base(form)
    md.use(destinations.plugin)
    md.options["inline_definitions"] = True
    md.core.ruler.at("block", _blocks)
    md.core.ruler.before(raw_html.RULE, "remember_html", raw.remember)
    md.disable([links.RULE, "normalize"])
    if form == "mdx":
        _add_markup(md)
        _add_extras(md, grammar)
    else:
        md.core.ruler.after("block", "admonitions", note_admonitions)
    return md


def _add_markup(md: Parser) -> None:
    md.block.ruler.before("table", "markup", block_rule.markup, block_rule.ENDS)
    md.block.begins("markup", "<:{ie")
    md.inline.unparsed = running
    for name, rule, character in (
        ("tag", inline_rules.tag, "<"),
        ("expression", inline_rules.expression, "{"),
        ("icon", inline_rules.icon, ":"),
    ):
        md.inline.ruler.after("autolink", name, rule)
        md.inline.begins(name, character)
    md.core.ruler.at("inline", _inlines)


def _add_extras(md: Parser, grammar: frozenset[str]) -> None:
    if "math" in grammar:
        _add_math(md)
    if grammar:
        # Most sites have none of these.
        from builder.markdown.mdx import extra_rules  # noqa: PLC0415

        for extra, add in (
            ("definition-lists", extra_rules.add_definition_lists),
            ("keys", extra_rules.add_keys),
        ):
            if extra in grammar:
                add(md)


def _add_math(md: Parser) -> None:
    md.block.ruler.before("markup", "math_block", math_rules.formula_block, math_rules.ENDS)
    md.block.begins("math_block", "$")
    md.inline.ruler.after("autolink", "math_inline", math_rules.formula)
    md.inline.begins("math_inline", "$")


def _blocks(state: StateCore) -> None:
    """The core rule that parses the body's chunk into blocks."""
    body = reading(state.env).body
    ChunkState(body, state.md, state.env, state.tokens, within=Within()).parse()
    destinations.locate_definitions(state.tokens, body)


def _inlines(state: StateCore) -> None:
    """The core rule that parses running text and settles what our rules found in it."""
    read, of_page = reading(state.env), meter(state.env)
    places = Places(state.tokens, read.body)
    for index, token in enumerate(state.tokens):
        if token.type != "inline":
            continue
        of_page.line = token.map[0] if token.map else of_page.line
        marked, noted, withheld = read.marked, len(notes(state.env)), read.withheld
        token.children = token.children or []
        if token.content:
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        if read.marked != marked:
            settle(read, state.tokens, index, places)
        if read.withheld != withheld:
            places.edit(index, 0, len(token.content), WITHHELD)
        read.noted(noted, len(notes(state.env)), places.chunk(index))


def note_admonitions(state: StateCore) -> None:
    """Note the first lines of admonitions in running text: `md` has none, so they are shown as text."""
    if ":::" not in state.src:
        return
    for token in state.tokens:
        if token.type == "inline" and ":::" in token.content:
            first = token.map[0] if token.map else 0
            for found in _OPENING.finditer(token.content):
                line = first + token.content.count("\n", 0, found.start())
                message = f"`{found[0]}` is shown as text, as `md` pages have no admonitions"
                note(state.env, Note("mdx-only", line, message, "rename the file to `.mdx`", near=found[0]))
