"""The inline rules of `mdx`: tags, expressions and icons within text, headings and table cells.

    <Method ... />     inline component
    <kbd>              kept element (builder/markdown/mdx/elements.py)
    <Card> <b>         the tags go, what stands between them stays
    <script> <!-- -->  goes with its content
    {...}              goes
    :icon-name:        icon

Tokens: `inline_component`, `element`, `icon` and `dropped`; each has its `Mark` in meta. What they mean for
the page is settled when their paragraph is parsed (builder/markdown/mdx/inline_tokens.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from markdown_it.rules_inline import StateInline

from builder.markdown.mdx import elements
from builder.markdown.mdx.containers import broken
from builder.markdown.mdx.cursor.reading import reading
from builder.markdown.mdx.inline_marks import Mark, MarkFault
from builder.markdown.mdx.scan.javascript import literal
from builder.markdown.mdx.scan.scanned_text import ScannedText
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.mdx.tag_attributes import component
from builder.markdown.mdx.tag_hints import free_way, instead, texts_of
from components.attributes import attributes
from components.base import Component
from components.icons import KNOWN, nearest
from components.nearest import LONGEST
from components.premium import notice

_ICON = re.compile(r":icon-([a-z0-9]+(?:-[a-z0-9]+)*):")
_UNSEEN = frozenset({"icon", "id", "color"})


def icon(state: StateInline, silent: bool) -> bool:
    """`:icon-name:`."""
    found = _ICON.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        name = found[1]
        faults = () if name in KNOWN else (_no_icon(found.start(), name),)
        _push(state, "icon", Mark(found.start(), found.end(), faults=faults), name)
    state.pos = found.end()
    return True


def _no_icon(at: int, name: str) -> MarkFault:
    return MarkFault(at, "icon-unknown", f"there is no icon `{name}`", partial(nearest, name[:LONGEST]))


def expression(state: StateInline, silent: bool) -> bool:
    """`{...}`."""
    scanned = _scanned(state)
    end = scanned.braces.end(state.pos)
    if not 0 < end <= state.posMax:
        return False
    if not silent:
        value = literal(state.src[state.pos + 1 : end - 1])
        _drop(state, end, *scanned.ends.stripped(state.pos, end))
        if isinstance(value, str) and value.isspace():
            state.append_pending(" ")  # `{" "}` stands between words that would run together
    state.pos = end
    return True


def tag(state: StateInline, silent: bool) -> bool:
    """`<...>`, when it is a comment or a whole tag."""
    scanned = _scanned(state)
    end = scanned.ends.special(state.pos)
    if 0 < end <= state.posMax:
        if not silent:
            _drop(state, end, *scanned.ends.dropped(state.pos))
        state.pos = end
        return True
    one = scanned.tag(state.pos)
    if one is None or one.end > state.posMax:
        return False
    end = _end(state, scanned, one)
    if not silent:
        sort = elements.sort(elements.canonical(one.name), reading(state.env).components)
        _TAKE[sort](state, scanned, one, end)
    state.pos = end
    return True


def _end(state: StateInline, scanned: ScannedText, one: Tag) -> int:
    """The end of the tag, or of all that goes with it."""
    if one.kind == "open" and one.name.lower() in elements.HIDDEN:
        end = scanned.ends.hidden(one)
        return end if 0 < end <= state.posMax else one.end
    if one.kind == "open" and _locked(state, one):
        span = scanned.closes.get(one.start)
        return min(span[1], state.posMax) if span else state.posMax
    return one.end


def _locked(state: StateInline, one: Tag) -> bool:
    read = reading(state.env)
    kind = read.components.get(one.name)
    return kind is not None and kind.premium and not read.premium


def _component(state: StateInline, scanned: ScannedText, one: Tag, end: int) -> None:
    kind = reading(state.env).components[one.name]
    if kind.spanning and not one.broken:
        _span(state, kind, one)
    elif one.kind == "close":
        opened = _opened(scanned, one)
        message = f"`</{one.name}>` closes nothing here"
        unpaired = kind.premium and not opened
        _drop(state, end, "" if opened else "component-unopened", message, unpaired=unpaired)
    elif _locked(state, one):
        message = f"`{one.name}` needs the premium plan; its content is hidden"
        shown = notice(one.name, reading(state.env).words).inline
        unpaired = one.kind == "open" and not scanned.closes.get(one.start)
        _drop(state, end, "premium-hidden", message, free_way(one.name), shown=shown, unpaired=unpaired)
    elif one.broken:
        _drop(state, end, "tag-broken", *broken(one.name))
    elif kind.inline:
        _inline(state, kind, one, end)
    else:
        message, hint = f"`{one.name}` cannot stand within a line of text", "put it on a line of its own"
        shown = _visible(kind, one)
        _drop(state, end, "component-misplaced", message, hint, shown=shown)
        state.append_pending(" " if shown else "")


def _inline(state: StateInline, kind: type[Component], one: Tag, end: int) -> None:
    faults: list[MarkFault] = []
    made = component(kind, one.attributes, lambda *fault: faults.append(MarkFault(*fault)))
    shown = made.twin((), reading(state.env).words)
    mark = Mark(one.start, end, shown=shown, faults=tuple(faults), component=made, tag=one)
    _push(state, "inline_component", mark, "", plain=mark.shown.strip("`"))


def _span(state: StateInline, kind: type[Component], one: Tag) -> None:
    """A tag of a component around a part of the text; its partner is found when the paragraph is parsed."""
    faults: list[MarkFault] = []
    made = component(kind, one.attributes, lambda *fault: faults.append(MarkFault(*fault)))
    mark = Mark(one.start, one.end, _visible(kind, one), tuple(faults), component=made, tag=one)
    _push(state, "element", mark, one.name)


def _visible(kind: type[Component], one: Tag) -> str:
    """Return the text that a reader would have seen of the attributes."""
    known = attributes(kind)
    seen = [
        str(given.value)
        for given in one.attributes
        if given.name in known and given.name not in _UNSEEN and known[given.name].kind in {"text", "labels"}
    ]
    return " ".join(" ".join(text.split()) for text in seen)


def _opened(scanned: ScannedText, one: Tag) -> bool:
    return (one.start, one.end) in scanned.closings


def _element(state: StateInline, scanned: ScannedText, one: Tag, end: int) -> None:
    name = elements.canonical(one.name)
    if name == "a":
        _count_link(state, scanned, one)
    _push(state, "element", Mark(one.start, end, tag=one), name)


def _count_link(state: StateInline, scanned: ScannedText, one: Tag) -> None:
    """Within a link that has an end, addresses and mentions of footnotes are text."""
    if one.kind == "open" and scanned.closes.get(one.start):
        state.linkLevel += 1
    elif one.kind == "close" and _opened(scanned, one):
        state.linkLevel = max(0, state.linkLevel - 1)


def _hidden(state: StateInline, _: ScannedText, one: Tag, end: int) -> None:
    content = " with its content" if end > one.end else ""
    _drop(state, end, "html-dropped", f"`<{one.name}>` was left out{content}")


def _html(state: StateInline, scanned: ScannedText, one: Tag, end: int) -> None:
    told = one.kind == "close" and _opened(scanned, one)
    slash = "/" if one.kind == "close" else ""
    hint = instead(one, reading(state.env).components) or "use markdown"
    _drop(state, end, "" if told else "html-dropped", f"`<{slash}{one.name}>` was left out", hint)


def _unknown(state: StateInline, scanned: ScannedText, one: Tag, end: int) -> None:
    told = one.kind == "close" and _opened(scanned, one)
    hint = instead(one, reading(state.env).components) or "put it into a code span to show it"
    message, shown = f"there is no component `{one.name}`", " ".join(texts_of(one))
    _drop(state, end, "" if told else "component-unknown", message, hint, shown=shown)
    state.append_pending(" " if shown and one.kind == "open" else "")


def _drop(
    state: StateInline,
    end: int,
    code: str,
    message: str,
    hint: str = "",
    *,
    shown: str = "",
    unpaired: bool = False,
) -> None:
    """Leave out what reaches from here to `end`, and show a text for it."""
    faults = (MarkFault(state.pos, code, message, hint),) if code else ()
    _push(state, "dropped", Mark(state.pos, end, shown, faults=faults, unpaired=unpaired), "")
    state.append_pending(shown)


def _push(state: StateInline, kind: str, mark: Mark, content: str, plain: str = "") -> None:
    token = state.push(kind, "", 0)
    token.content = content
    token.meta = {"mark": mark, "plain": plain}
    reading(state.env).marked += 1


def _scanned(state: StateInline) -> ScannedText:
    return reading(state.env).scanned(state.src)


_TAKE: dict[elements.Sort, Callable[[StateInline, ScannedText, Tag, int], None]] = {
    "component": _component,
    "kept": _element,
    "disclosure": _html,
    "hidden": _hidden,
    "html": _html,
    "unknown": _unknown,
}
