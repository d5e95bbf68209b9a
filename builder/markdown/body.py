"""Render a page's body: a pure function of its source and the site's context.

source -> lines made equal -> what it includes -> what is affordable -> tokens -> HTML, ids, links, findings
                                                                     -> twin
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from typing import TYPE_CHECKING

from markdown_it.token import Token
from msgspec import Struct
from msgspec.structs import replace

from builder.code import highlight
from builder.diagnostics import Diagnostic
from builder.html import sanitize
from builder.markdown import foreign_syntax
from builder.markdown.commonmark import footnotes, headings
from builder.markdown.commonmark.parser_notes import notes
from builder.markdown.context import INCLUDING, Context
from builder.markdown.hide_premium import parse_gated
from builder.markdown.html.page_gatherer import Sheet
from builder.markdown.html.renderer import Renderer
from builder.markdown.mdx import destinations
from builder.markdown.mdx.body_limit import affordable
from builder.markdown.mdx.chunk.chunks import Chunk, Place, chunk_of
from builder.markdown.mdx.cursor.reading import WITHHELD
from builder.markdown.mdx.hide_premium_tags import locked
from builder.markdown.mdx.shown_unparsed import fenced
from builder.markdown.page import Body, BodySource, SourceSection, files_of
from builder.markdown.syntax import Parsed, parse
from builder.markdown.twin import raw
from builder.markdown.twin.text import Twins

if TYPE_CHECKING:
    from builder.markdown.parts.source_map import ExpandedText

MAY_INCLUDE = re.compile(r"%\{[A-Za-z_]|<[A-Z]|(?:```|~~~)[^\n]*\s(?:file\s*=|vars\b)")
"""What a page may have that stands for something else."""


class PlacedComponent(Struct, frozen=True):
    """A component of a body: its name, and its line in the body, from 1.

    It stands `depth` components deep. `holds` are the components directly in it, with how many there are.
    """

    name: str
    line: int
    depth: int
    holds: dict[str, int]


_LINE_END = re.compile(r"\r\n?")
_ID = re.compile(r' id="(?!tp-)([^"]+)"')


def render(source: BodySource, context: Context) -> Body:
    """Render a body. Total: whatever is wrong with it is a diagnostic."""
    whole, expanded, said = _expanded(_lines(source.text), source, context)
    text = whole[: affordable(whole)]
    parsed = _parsed(text, source, context)
    foreign_syntax.look(parsed, source.format)
    sheet = Sheet(source, context, parsed.reading, expanded)
    sheet.reserve(_chosen(parsed))
    nonce = sanitize.nonce(text) if source.format == "md" and _has_html(parsed) else ""
    html = Renderer(sheet, parsed.tokens, nonce).render()
    twin = _twin(sheet, parsed, html=bool(nonce))
    if len(text) < len(whole):
        html, twin = _with_rest(sheet, html, twin, whole[len(text) :])
    return Body(
        html,
        twin,
        _heading(parsed),
        tuple(sheet.toc),
        frozenset(map(unescape, _ID.findall(html))),
        tuple(sheet.links),
        tuple(_with_parts(_diagnostics(parsed, source), expanded, said)),
        frozenset(sheet.targets),
        sheet.code,
        sheet.diagrams,
        tuple(files_of(sheet.diagrams)),
        tuple(sheet.updates),
        tuple(_sections(sheet, parsed.tokens)),
    )


def components_in(source: BodySource, context: Context) -> list[PlacedComponent]:
    """Return the components of a body in their order, those in running text too. Parts are expanded."""
    whole, expanded, _ = _expanded(_lines(source.text), source, context)
    parsed = _parsed(whole[: affordable(whole)], source, context)
    found: list[PlacedComponent] = []
    around: list[PlacedComponent] = []
    for token in parsed.tokens:
        if token.type == "component_close":
            around.pop()
            continue
        for name, (line, column) in _named(token, parsed):
            place = expanded.place(line, column).line if expanded else line
            one = PlacedComponent(name, place - source.first_line + 1, len(around), {})
            found.append(one)
            if around:
                around[-1].holds[name] = around[-1].holds.get(name, 0) + 1
            if token.type == "component_open":
                around.append(one)
    return found


def _named(token: Token, parsed: Parsed) -> Iterator[tuple[str, tuple[int, int]]]:
    """The component that a token opens, or those in its text, each with line and column in the file."""
    if token.type == "component_open":
        opening = token.meta["opening"]
        yield type(opening.component).__name__, opening.spot.place(opening.spot.start).position()
    for child in token.children or ():
        if child.type in {"inline_component", "span_component_open"} and child.meta["mark"].component:
            chunk = chunk_of(token, parsed.reading.body)
            begin = chunk.bounds(token.map[0])[0] if token.map else 0
            yield type(child.meta["mark"].component).__name__, Place(chunk, begin).position()


def _sections(sheet: Sheet, tokens: Sequence[Token]) -> Iterator[SourceSection]:
    """Yield the sections of the headings that stand in the page's own text, and in no quote or list."""
    found = _direct(tokens) if sheet.headings else frozenset()
    direct = [place for place in sheet.headings if id(place.token) in found]
    lines = [(place, *_source_line(sheet, place.chunk, place.line)) for place in direct]
    places = [(place, line) for place, line, is_own in lines if is_own]
    ends: list[int | None] = [None] * len(places)
    inside: dict[int, list[int]] = defaultdict(list)
    for at, (place, line) in enumerate(places):
        open_ = inside[id(place.chunk)]
        while open_ and places[open_[-1]][0].entry.level >= place.entry.level:
            ends[open_.pop()] = line - 1
        open_.append(at)
    for (place, first), end in zip(places, ends, strict=True):
        lines_of_chunk = len(place.chunk.starts) - place.chunk.text.endswith("\n")
        last = end or _source_line(sheet, place.chunk, lines_of_chunk - 1)[0]
        yield SourceSection(place.entry.id, place.entry.level, place.entry.label, first, max(first, last))


def _direct(tokens: Sequence[Token]) -> frozenset[int]:
    """Return which headings stand in nothing but components: their tokens' ids."""
    depth, found = 0, set()
    for token in tokens:
        if token.type in {"component_open", "component_close"}:
            depth += token.nesting
        elif token.type == "heading_open" and token.level == depth:
            found.add(id(token))
    return frozenset(found)


def _source_line(sheet: Sheet, chunk: Chunk, line: int) -> tuple[int, bool]:
    """Return the line of the body, from 1, that a line of a chunk is; and whether the page itself has it."""
    before = sheet.source.first_line - 1
    if sheet.expanded is None:
        return chunk.line + line - before, True
    place = sheet.expanded.place(chunk.line + line, 1)
    return place.line - before, not place.part


def _expanded(
    text: str, source: BodySource, context: Context
) -> tuple[str, ExpandedText | None, Sequence[Diagnostic]]:
    """The text with what it includes, the places of that, and what is wrong with it."""
    is_including = not context.extras.isdisjoint(INCLUDING)
    if source.format != "mdx" or not (MAY_INCLUDE.search(text) if is_including else "%{" in text):
        return text, None, ()
    variables = {**context.parts.variables(source.path), **source.variables}
    if not variables and not is_including:
        return text, None, ()
    # Loaded here, as most pages include nothing.
    from builder.markdown.parts.expander import Expander  # noqa: PLC0415

    expander = Expander(context.parts, context.extras, source.path)
    expanded = expander.page(text, source.file, source.first_line, variables or None)
    return expanded.text, expanded, expander.found


def _with_parts(
    found: Iterable[Diagnostic], expanded: ExpandedText | None, said: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """The findings with their places on the page, and with those in the parts that it includes."""
    if expanded is None:
        return list(found)
    placed = {_placed(one, expanded) for one in found}
    return sorted(placed.union(said))


def _placed(found: Diagnostic, expanded: ExpandedText) -> Diagnostic:
    place = expanded.place(found.line, found.column)
    message = f"{found.message} ({place.part})" if place.part else found.message
    return replace(found, line=place.line, column=place.column, message=message)


def _parsed(text: str, source: BodySource, context: Context) -> Parsed:
    if source.format == "mdx" and not context.premium:
        return parse_gated(text, source.first_line, context.words, context.extras)
    chunk, premium = Chunk(text, source.first_line), context.premium
    return parse(chunk, source.format, premium=premium, words=context.words, extras=context.extras)


def _lines(text: str) -> str:
    """The text with line ends as `\n`, and no NUL."""
    text = text.replace("\0", "\ufffd")
    return _LINE_END.sub("\n", text) if "\r" in text else text


def _twin(sheet: Sheet, parsed: Parsed, *, html: bool) -> str:
    body = parsed.reading.body
    for definition in parsed.env.get(footnotes.UNUSED, ()):
        chunk = chunk_of(definition, body)
        first, end = definition.map
        chunk.edit(chunk.bounds(first)[0], chunk.bounds(end - 1)[1], block=True)
    for address in destinations.definition_addresses(parsed.tokens):
        sheet.define(address)
    if html:
        raw.edit(parsed.tokens, body, sheet.absolute)
    return Twins(sheet.context, sheet.base).text(body)


def _with_rest(sheet: Sheet, html: str, twin: str, rest: str) -> tuple[str, str]:
    """HTML and twin with what is too long to be parsed, as it is."""
    body = sheet.reading.body
    hidden = sheet.source.format == "mdx" and not sheet.context.premium and locked(body.text + rest)
    shown = "it is not shown, as it may have premium parts" if hidden else "it is shown as plain text"
    place = Place(body, len(body.text))
    sheet.found(place, "budget-exceeded", f"the page is too long; from here on {shown}", "split the page")
    text = WITHHELD if hidden else rest
    return f"{html}{highlight.plain(text, '').html}", f"{twin.rstrip()}\n\n{fenced(text)}\n"


def _heading(parsed: Parsed) -> str | None:
    """The text of the level-1 heading that the body begins with."""
    start = next((at for at, token in enumerate(parsed.tokens) if token.type != "definition"), 0)
    return headings.first(parsed.tokens[start : start + 2])


def _chosen(parsed: Parsed) -> Iterator[str]:
    """The ids that headings have chosen."""
    return (str(token.meta["id"]) for token in parsed.tokens if token.type == "heading_open" and token.meta)


def _has_html(parsed: Parsed) -> bool:
    """Return whether an author's raw HTML is among the tokens."""
    if "<" not in parsed.reading.body.text:
        return False
    return any(
        token.type == "html_block"
        or ("<" in token.content and any(child.type == "html_inline" for child in token.children or ()))
        for token in parsed.tokens
    )


def _diagnostics(parsed: Parsed, source: BodySource) -> list[Diagnostic]:
    """List the findings of the rules and the renderer, in the order of the source."""
    found = set(parsed.reading.diagnostics(source.file))
    chunks = parsed.reading.notes
    for number, note in enumerate(notes(parsed.env)):
        chunk = chunks.get(number, parsed.reading.body)
        exact = number in chunks or not chunks
        offset = note.at if note.at >= 0 else _near(chunk, note.line, note.near, exact=exact)
        line, column = Place(chunk, offset).position()
        found.add(Diagnostic(source.file, line, column, note.code, note.message, note.hint))
    return sorted(found)


def _near(chunk: Chunk, line: int, near: str, *, exact: bool) -> int:
    """The offset of a note. Without an exact line it is looked for in the whole chunk."""
    starts = chunk.starts
    start = starts[min(line, len(starts) - 1)]
    found = chunk.text.find(near, start if exact else 0) if near else -1
    return found if found >= 0 else start
