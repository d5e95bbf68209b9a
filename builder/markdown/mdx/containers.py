"""Components, admonitions and elements that stand on lines of their own, with what stands within them.

`<details>` and `<summary>`, which pages may have as HTML, are kept as blocks, as if they were components.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from markdown_it.token import Token
from markupsafe import Markup

from builder.markdown.mdx import elements
from builder.markdown.mdx.chunk.chunks import Chunk, TwinPart
from builder.markdown.mdx.cursor.reading import reading
from builder.markdown.mdx.cursor.spots import ComponentOpening, SeenTag, Spot
from builder.markdown.mdx.scan.pairs import Span
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.mdx.tag_attributes import Report, component
from builder.markdown.mdx.tag_hints import REFERENCE, admonition_hint, free_way, instead, texts_of
from components import anchors, twin
from components.admonition import TYPES, Admonition
from components.base import Child, Component, Page
from components.html import content, fill
from components.premium import notice
from components.words import Words

_BRACKETED = re.compile(r"\[(.*)\](\{[^{}]*\})?[ \t]*")
_OPENING = re.compile(r":{3,}[ \t]*([A-Za-z][\w-]*)[ \t]*(.*)")
_REFERENCE = re.compile(rf"{REFERENCE}[ \t]*(?:\n|\Z)")
_CLOSING = re.compile(r":{3,}(?=[ \t]*(?:\n|\Z))")


def opened(spot: Spot, tag: Tag) -> int:
    """Take the component or element that `tag` opens; the offset after it."""
    name = elements.canonical(tag.name)
    kind = spot.state.reading.components.get(name) or DISCLOSURE.get(name)
    span = spot.close_of(tag.start) if tag.kind == "open" else None
    hidden = kind is not None and kind.premium and not spot.state.reading.premium
    unread = kind is not None and tag.broken and not hidden
    if kind is None or unread or (name in DISCLOSURE and not _whole(spot, kind, span)):
        return _transparent(spot, tag, span)
    end = _end(spot, tag, span, kind)
    content = (tag.end, span[0] if span else end) if end > tag.end else None
    if hidden:
        if span is None and tag.kind == "open":
            spot.state.reading.unpaired(spot.place(spot.start))
        return _hidden(spot, kind, end)
    _check_parent(spot, kind)
    made = component(kind, tag.attributes, _reporter(spot))
    if isinstance(made, Summary):
        _push(spot, made, None, end, title=spot.running(*content) if content else None)
    else:
        _push(spot, made, content, end, tag=tag)
    return end


def _whole(spot: Spot, kind: type[Component], span: Span | None) -> bool:
    """Return whether an element has its end and, if it is a summary, its details around it."""
    return span is not None and (kind is not Summary or (spot.state.direct and spot.state.owner == "details"))


def _reporter(spot: Spot) -> Report:
    return lambda at, code, message, hint: spot.found(code, message, hint, at=at)


def _end(spot: Spot, tag: Tag, span: Span | None, kind: type[Component]) -> int:
    """The offset after the component: after its closing tag, or where it ends without one."""
    if span:
        return span[1]
    if tag.kind == "void" or kind.childless:
        return tag.end
    spot.found("component-unclosed", f"`<{kind.tag}>` has no closing tag", f"add `</{kind.tag}>`")
    return len(spot.text)


def _transparent(spot: Spot, tag: Tag, span: Span | None) -> int:
    """Leave out the tags, keep what stands between them."""
    name, known = elements.canonical(tag.name), spot.state.reading.components
    if tag.broken:
        spot.found("tag-broken", *broken(name))
    elif elements.sort(name, known) == "unknown":
        spot.found("component-unknown", f"there is no component `{name}`", instead(tag, known))
    else:
        hint = instead(tag, known) or "use markdown or a component"
        spot.found("html-dropped", f"`<{name}>` was left out", hint)
    texts = () if name[0].islower() else texts_of(tag)
    for number, text in enumerate(texts):
        token = spot.state.push("notice", "", 0)
        token.content = fill("<p>{{ text }}</p>", text=text)
        if not number:
            token.meta = {"opening": SeenTag(tag, spot)}
    kept, direct = twin.blocks(twin.sentence(text) for text in texts), spot.state.direct
    if span is None:
        spot.edit(tag.end, TwinPart(None, None, direct, notice=kept) if kept else "")
        return tag.end
    content = spot.region.part(tag.end, span[0])
    spot.edit(span[1], TwinPart(None, content, direct, notice=kept))
    spot.children(content, spot.state.owner if spot.state.direct else "")
    return span[1]


def broken(name: str) -> tuple[str, str]:
    """Message and hint about a tag that cannot be read."""
    return f"the tag `<{name}>` cannot be read, so it was left out", "close all its quotes and braces"


def _hidden(spot: Spot, kind: type[Component], end: int) -> int:
    """A notice in place of a premium component; nothing of it is parsed."""
    message = f"`{kind.tag}` needs the premium plan; its content is hidden"
    spot.found("premium-hidden", message, free_way(kind.tag))
    shown = notice(kind.tag, reading(spot.state.env).words)
    token = spot.state.push("notice", "", 0)
    token.content = shown.html
    spot.edit(spot.after_blanks(end), TwinPart(None, None, spot.state.direct, notice=shown.twin))
    return end


def _check_parent(spot: Spot, kind: type[Component]) -> None:
    state = spot.state
    if kind.parents and not (state.direct and state.owner in kind.parents):
        parents = " or ".join(f"`{parent}`" for parent in kind.parents)
        spot.found("component-misplaced", f"`{kind.tag}` belongs directly into {parents}")


def _push(
    spot: Spot,
    made: Component,
    content: tuple[int, int] | None,
    end: int,
    *,
    tag: Tag | None = None,
    title: Chunk | None = None,
) -> None:
    """The tokens of a component and of what it holds."""
    state = spot.state
    chunk = spot.region.part(*content) if content else None
    direct = state.direct
    token = state.push("component_open", "", 1)
    token.meta = {"opening": ComponentOpening(made, spot, tag)}
    if title is not None:
        state.tokens.append(_title(title))
    if chunk is not None:
        spot.children(chunk, made.tag)
    state.push("component_close", "", -1)
    spot.edit(end, TwinPart(made, chunk, direct, title))


def _title(title: Chunk) -> Token:
    return Token(
        "inline", "", 0, map=[0, 1], content=title.text, children=[], meta={"chunk": title}, block=True
    )


def opening(spot: Spot) -> re.Match[str] | None:
    """The first line of an admonition, whether its type is known or not."""
    return _OPENING.match(spot.text, spot.start)


def stray(spot: Spot) -> re.Match[str] | None:
    """A line of colons that closes nothing."""
    found = _CLOSING.match(spot.text, spot.start)
    return None if found is None or spot.closes(found.end()) else found


def admonition(spot: Spot) -> int:
    """Take the admonition, or the end of none, at the spot; the offset after it, or -1 when it is neither."""
    found = opening(spot)
    if found is None:
        closing = stray(spot)
        message = "`:::` closes nothing here"
        return spot.drop(closing.end(), "admonition-unopened", message) if closing else -1
    kind = found[1].lower()
    if kind not in TYPES:
        if not _REFERENCE.match(spot.text, spot.start):  # this is told as a form of another system
            spot.found("admonition-unknown", f"there is no admonition `{found[1]}`", admonition_hint(kind))
        return -1
    span = spot.close_of(spot.start)
    if span is None:
        spot.found("admonition-unclosed", f"`:::{kind}` has no closing line", "add a line `:::`")
    inside, end = span or (len(spot.text), len(spot.text))
    if inside < found.end():
        spot.found("admonition-unclosed", "the closing `:::` stands on no line of its own", at=inside)
        _push(spot, Admonition(kind), (found.start(2), inside), end)
        return end
    title = spot.running(*_title_place(spot, found))
    _push(spot, Admonition(kind), (found.end(), max(inside, found.end())), end, title=title)
    return end


def _title_place(spot: Spot, found: re.Match[str]) -> Span:
    """Return the span of the title, without the brackets it may stand in."""
    bracketed = _BRACKETED.fullmatch(found[2])
    start = found.start(2)
    if bracketed is None:
        return start, found.end(2)
    if bracketed[2]:
        spot.found("attribute-unknown", "an admonition has no attributes", at=start + bracketed.start(2))
    return start + bracketed.start(1), start + bracketed.end(1)


class Summary(Component, frozen=True):
    """The visible part of a closed `<details>`."""

    tag: ClassVar[str] = "summary"

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """Running text; `Details` puts it into the element."""
        return content(children)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A line in bold, unless it has several blocks or is bold already."""
        text = twin.content(children)
        return text if "\n" in text or "**" in text or not text else f"**{text}**"


class Details(Component, frozen=True):
    """A part that opens on a click."""

    tag: ClassVar[str] = "details"

    open: bool = False
    id: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The native element; its summary comes first, wherever it was written."""
        summary = next((child for child in children if isinstance(child.component, Summary)), None)
        rest = content(child for child in children if child is not summary)
        head = Markup(summary.content.strip() if summary else "") or page.words.details
        state = Markup(' open=""') if self.open else Markup("")
        if chosen := anchors.chosen(self.id, page):
            state += Markup(' id="{}"').format(page.anchor(chosen, chosen))
        return Markup("<details{}><summary>{}</summary>\n{}\n</details>").format(state, head, rest)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The summary and the rest."""
        return twin.content(children)


DISCLOSURE: dict[str, type[Component]] = {"details": Details, "summary": Summary}
