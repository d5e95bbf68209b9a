"""The block rule of `mdx`: what begins a line with `<`, `:::`, `{`, `import` or `export`.

    <Card ...>     component, to its closing tag or the end of its container
    <details>      as a component
    <div>          goes; what stands between its tags stays
    <script>       goes with its content, as comments do
    </Card>        a closing tag that is nobody's goes
    :::note        admonition
    {...}          goes
    import ...     goes, at the start of a line of the body itself

What follows in the same line is looked at next: another of these, or the start of a paragraph.
"""

from __future__ import annotations

from collections.abc import Callable

from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

from builder.lazy_regex import lazy
from builder.markdown.mdx import elements
from builder.markdown.mdx.containers import admonition, opened, opening, stray
from builder.markdown.mdx.cursor.spots import Spot
from builder.markdown.mdx.cursor.state import ChunkState
from builder.markdown.mdx.scan.javascript import UNCLOSED, statement_end
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.mdx.shown_unparsed import too_deep

ENDS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
"""The blocks that this rule may interrupt."""

_GOES_ON = -1
"""The indentation by which markdown-it marks lines that only go on with a paragraph."""
_INTERRUPTING = ("<", ":::", "{")
_BEGINNINGS = (*_INTERRUPTING, "import", "export")
_PART = lazy(
    r"""import\s+(?P<name>[A-Z]\w{0,60})\s+from\s+["'](?:@site(?P<site>/[^"'\n]*\.mdx?)"""
    r"""|(?P<src>[^"'\n]*\.mdx?))["']"""
)
_HIDDEN_HINTS = {"iframe": 'write `<Embed src="..." title="..." />` with the plan premium, or a link'}
_UNCLOSED_STATEMENTS = 20
"""Statements that are not closed make the rest of the body be looked through; so many are tried."""


def markup(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """The block rule."""
    if not isinstance(state, ChunkState):
        return False
    if not silent and (state.too_deep or state.exhausted):
        return too_deep(state, startLine, endLine)
    pos = state.bMarks[startLine] + state.tShift[startLine]
    if not state.src.startswith(_INTERRUPTING if silent else _BEGINNINGS, pos):
        return False
    if state.is_code_block(startLine):
        return False
    if silent:
        return _INTERRUPTS[state.src[pos]](_spot(state, startLine, endLine))
    return _take(state, startLine, endLine)


def _spot(state: ChunkState, line: int, end: int) -> Spot:
    region = state.region(line, end)
    return Spot(state, region, line, region.offset_of(state.place(line)))


def _seen(spot: Spot, end: int) -> Spot:
    """The spot in a region that has seen what opens there, if anything does; another may have seen code."""
    state = spot.state
    if spot.region.has(spot.start) or state.exhausted or not _opens(spot):
        return spot
    place, region = spot.place(spot.start), state.fresh_region(spot.line, end)
    return Spot(state, region, spot.line, region.offset_of(place))


def _opens(spot: Spot) -> bool:
    """Return whether something begins at the spot that may have an end."""
    tag = spot.scanned.tag(spot.start)
    if tag is None:
        return opening(spot) is not None
    return tag.kind == "open" and elements.canonical(tag.name) not in elements.VOID | elements.HIDDEN


def _take(state: ChunkState, line: int, end: int) -> bool:
    """Take what begins at `line` and, in the line where it ends, what follows; whether anything was taken."""
    marks = state.bMarks[line], state.tShift[line], state.sCount[line]
    taken = False
    while True:
        spot = _seen(_spot(state, line, end), end)
        rule = _RULES.get(spot.text[spot.start : spot.start + 1])
        stop = rule(spot) if rule else -1
        if stop < 0:
            break
        taken = True
        last = spot.region.line_of(stop)
        if spot.alone(stop):
            state.line = last + 1
            break
        _cut(state, last, spot.place(stop).offset)
        state.line = last
        if last > line:
            break
    if taken and state.line == line:
        _rest(state, line, end)
    if taken:
        state.markup = line
        state.bMarks[line], state.tShift[line], state.sCount[line] = marks
    return taken


def _cut(state: ChunkState, line: int, pos: int) -> None:
    """Let `line` begin at `pos`, or after the white space there."""
    begin = state.skipSpaces(pos)
    state.bMarks[line], state.tShift[line] = begin, 0
    state.sCount[line] = state.blkIndent


def _rest(state: ChunkState, line: int, end: int) -> None:
    """Parse what is left of the line, which begins none of the blocks of this rule."""
    for rule in state.md.block.ruler.getRules(""):
        if rule is not markup and rule(state, line, end, False):
            return


def _tag(spot: Spot) -> int:
    """Read a construct that begins with `<`."""
    special = spot.scanned.ends.special(spot.start)
    if special >= 0:
        whole = spot.alone(special) or spot.many_lines(special)
        return spot.drop(special, *spot.scanned.ends.dropped(spot.start)) if whole else -1
    tag = spot.scanned.tag(spot.start)
    if tag is None:
        return -1
    name, sort = _sort_of(spot, tag)
    if sort == "kept":
        return -1
    if tag.kind == "close":
        return _stray(spot, tag, name) if _blocks(name, sort) or spot.alone(tag.end) else -1
    if sort == "hidden":
        return _hide(spot, tag, name)
    if _blocks(name, sort) or spot.alone(tag.end):
        return opened(spot, tag)
    return -1


def _sort_of(spot: Spot, tag: Tag) -> tuple[str, elements.Sort]:
    """The canonical name of a tag, and its sort: `kept` for all that begin no block in running text."""
    name, known = elements.canonical(tag.name), spot.state.reading.components
    sort = elements.sort(name, known)
    if sort == "kept" or (sort == "component" and known[name].inline):
        _go_on_inside(spot, tag)
        return name, "kept"
    return name, sort


def _go_on_inside(spot: Spot, tag: Tag) -> None:
    """Let no line within a tag of running text begin a block, as a `>` alone on its last line would.

    They go on with the paragraph, as lines of a quote without its mark do (see `_GOES_ON`).
    """
    state = spot.state
    for line in range(spot.line + 1, spot.region.line_of(tag.end - 1) + 1):
        if state.isEmpty(line):
            return
        state.sCount[line] = _GOES_ON


def _blocks(name: str, sort: elements.Sort) -> bool:
    """Return whether the tags of this name interrupt a paragraph."""
    return sort in {"component", "disclosure"} or (sort == "html" and name in elements.BLOCKS)


def _stray(spot: Spot, tag: Tag, name: str) -> int:
    known = spot.state.reading.components
    if name in known:
        if known[name].premium:
            spot.state.reading.unpaired(spot.place(spot.start))
        return spot.drop(tag.end, "component-unopened", f"`</{name}>` closes nothing here")
    return spot.drop(tag.end, "html-dropped", f"`</{tag.name}>` was left out")


def _hide(spot: Spot, tag: Tag, name: str) -> int:
    end = spot.scanned.ends.hidden(tag) if tag.kind == "open" else -1
    if end < 0:
        return spot.drop(tag.end, "html-dropped", f"`<{name}>` was left out") if spot.alone(tag.end) else -1
    if not spot.alone(end) and not spot.many_lines(end):
        return -1
    return spot.drop(
        end, "html-dropped", f"`<{name}>` was left out with its content", _HIDDEN_HINTS.get(name, "")
    )


def _expression(spot: Spot) -> int:
    """Read a construct that begins with `{`."""
    end = spot.scanned.braces.end(spot.start)
    if end < 0 or not (spot.alone(end) or spot.many_lines(end)):
        return -1
    return spot.drop(end, *spot.scanned.ends.stripped(spot.start, end))


def _statement(spot: Spot) -> int:
    """Read a construct that begins with `i` or `e`."""
    end = _statement_end(spot)
    if end < 0:
        return -1
    word = spot.text[spot.start : spot.start + 6]
    hint = _include_hint(spot.text[spot.start : end]) if word == "import" else ""
    return spot.drop(end, "esm-stripped", f"an `{word}` statement was left out", hint)


def _include_hint(statement: str) -> str:
    """The line to write for a part that other systems import."""
    found = _PART.match(statement)
    if found is None:
        return ""
    src = found["site"] or found["src"]
    return f'in the place of `<{found["name"]} />` write `<Include src="{src}" />` (`extras: [includes]`)'


def _statement_end(spot: Spot) -> int:
    state = spot.state
    if not _at_margin(spot) or state.reading.unclosed_statements > _UNCLOSED_STATEMENTS:
        return -1
    end = statement_end(spot.scanned.braces, spot.start)
    state.reading.unclosed_statements += end == UNCLOSED
    return end - 1 if spot.text[end - 1 : end] == "\n" else end


def _at_margin(spot: Spot) -> bool:
    state = spot.state
    pos = spot.place(spot.start).offset
    return state.chunk.body is None and state.direct and state.src[pos - 1 : pos] in {"", "\n"}


def _tag_interrupts(spot: Spot) -> bool:
    special = spot.scanned.ends.special(spot.start)
    if special >= 0:
        return spot.many_lines(special)
    tag = spot.scanned.tag(spot.start)
    if tag is None:
        return False
    name, sort = _sort_of(spot, tag)
    if sort == "kept":
        return False
    if sort == "component":
        return True
    if sort == "hidden" and tag.kind == "open":
        end = spot.scanned.ends.hidden(tag)
        return end >= 0 and (spot.alone(end) or spot.many_lines(end))
    return _blocks(name, sort)


def _expression_interrupts(spot: Spot) -> bool:
    end = spot.scanned.braces.end(spot.start)
    return end >= 0 and spot.alone(end) and spot.many_lines(end)


_RULES: dict[str, Callable[[Spot], int]] = {
    "<": _tag,
    ":": admonition,
    "{": _expression,
    "i": _statement,
    "e": _statement,
}
_INTERRUPTS: dict[str, Callable[[Spot], bool]] = {
    "<": _tag_interrupts,
    ":": lambda spot: opening(spot) is not None or stray(spot) is not None,
    "{": _expression_interrupts,
}
