"""Settle the inline tokens of `mdx` once their paragraph is parsed.

Faults become diagnostics at their place, and what goes or is replaced becomes edits of the chunk. Kept
elements that are whole (opened and closed, and not across other markup) become tokens that render as what
they are; all else goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from msgspec import Struct, field

from builder.markdown.mdx.chunk.chunks import Place
from builder.markdown.mdx.chunk.places import Places
from builder.markdown.mdx.cursor.reading import Reading
from builder.markdown.mdx.elements import VOID, attributes_of
from builder.markdown.mdx.inline_marks import Mark, MarkFault
from builder.markdown.mdx.scan.tags import Tag
from components.base import SLOT, Child, Component

_MARKUP = ""


def settle(reading: Reading, tokens: Sequence[Token], index: int, places: Places) -> None:
    """Settle the marks of the inline token at `index`."""
    token = tokens[index]
    _Settling(reading, places, index).settle(token)


class _Settling(Struct):
    """The settling of one paragraph; `shift` is where the text that marks are counted from begins in it."""

    reading: Reading
    places: Places
    index: int
    shift: int = 0
    ends: list[str] = field(default_factory=list)
    """What closes the components that are open, in the twin."""

    def settle(self, token: Token) -> None:
        children = token.children or []
        _name_icons(children)
        dropped = unbalanced(children)
        token.children = [
            kept for at, child in enumerate(children) for kept in self._settled(token, child, dropped.get(at))
        ]

    def _settled(self, parent: Token, token: Token, dropped: bool | None) -> Iterator[Token]:
        """Yield the tokens that stay of one. A tag may be `dropped`, which must be said when that is true."""
        mark: Mark | None = token.meta.get("mark")
        if mark is None:
            if token.type == "image" and token.children:
                self._label(parent, token)
            yield token
            return
        for fault in mark.faults:
            self.fault(fault)
        if mark.unpaired:
            self.reading.unpaired(self.place(mark.start))
        if token.type == "element" and mark.tag is not None:
            yield from self._element(token, mark.tag, dropped, mark)
        elif token.type == "dropped":
            self.edit(mark.start, mark.end, f"{mark.shown} " if mark.shown else "")
        elif token.type == "icon":
            self._icon(parent, token, mark)
            yield token
        else:
            if mark.component is not None:
                self.edit(mark.start, mark.end, mark.shown)
            yield token

    def _icon(self, parent: Token, token: Token, mark: Mark) -> None:
        """In the twin an icon is its name or, with the blank after it, nothing."""
        name = token.meta.get("name", "")
        blank = not name and parent.content[mark.end : mark.end + 1] == " "
        self.edit(mark.start, mark.end + blank, name)

    def _label(self, parent: Token, image: Token) -> None:
        """The label of an image was parsed as a text of its own; elements cannot stay in it."""
        begin = parent.content.find(f"![{image.content}]", self.shift)
        inner = _Settling(self.reading, self.places, self.index, self.shift + max(0, begin) + 2)
        kept = [one for token in image.children or () for one in inner._settled(image, token, dropped=True)]
        image.children = kept

    def _element(self, token: Token, tag: Tag, dropped: bool | None, mark: Mark) -> Iterator[Token]:
        name = token.content
        if dropped is not None:
            if dropped:
                self.fault(_alone(tag, name, mark.component))
            shown = f"{mark.shown} " if mark.shown else ""
            self.edit(tag.start, tag.end, shown)
            yield from (Token("text", "", 0, content=shown),) if shown else ()
        elif mark.component is not None:
            yield self._span(tag, mark.component, token.meta)
        elif tag.kind == "close":
            yield Token("link_close" if name == "a" else "element_close", name, -1)
        else:
            found = attributes_of(name, tag)
            for fault in found.faults:
                self.fault(fault)
            for start, end, new in found.edits:
                self.edit(start, end, new)
            yield from found.tokens(name)

    def _span(self, tag: Tag, made: Component, meta: dict[str, object]) -> Token:
        """The token for a tag of a component around text; in the twin its words stand for the tags."""
        if tag.kind == "close":
            self.edit(tag.start, tag.end, self.ends.pop())
            return Token("span_component_close", "", -1)
        before, _, after = made.twin((Child("text", SLOT),), self.reading.words).partition(SLOT)
        self.edit(tag.start, tag.end, before)
        self.ends.append(after)
        return Token("span_component_open", "", 1, meta=meta)

    def fault(self, fault: MarkFault) -> None:
        self.reading.found(self.place(fault.at), fault.code, fault.message, fault.hint)

    def edit(self, start: int, end: int, new: str) -> None:
        self.places.edit(self.index, self.shift + start, self.shift + end, new)

    def place(self, at: int) -> Place:
        return self.places.place(self.index, self.shift + at)


def _alone(tag: Tag, name: str, made: Component | None) -> MarkFault:
    if made is not None:
        return _component_alone(tag, name, made)
    slash = "/" if tag.kind == "close" else ""
    message = f"`<{slash}{name}>` has no partner here, or stands around or within a link"
    return MarkFault(tag.start, "html-dropped", message if name == "a" else message.partition(",")[0])


def _component_alone(tag: Tag, name: str, made: Component) -> MarkFault:
    if tag.kind == "close":
        return MarkFault(tag.start, "component-unopened", f"`</{name}>` closes nothing here")
    more = ", or stands around or within a link" if made.clickable else ""
    message = f"`<{name}>` has no text, or no closing tag in its paragraph{more}"
    return MarkFault(tag.start, "component-unclosed", message, f"write `<{name}>text</{name}>`")


def _is_blank(token: Token) -> bool:
    return token.type == "dropped" or (token.type == "text" and not token.content.strip())


def _name_icons(children: Sequence[Token]) -> None:
    """An icon that is all there is of a text or link says its name."""
    alone = sum(token.type != "text" or not token.content.isspace() for token in children) == 1
    for at, token in enumerate(children):
        if token.type == "icon":
            linked = at and children[at - 1].type == "link_open" and children[at + 1].type == "link_close"
            token.meta["name"] = token.content.replace("-", " ") if alone or linked else ""


def unbalanced(tokens: Sequence[Token]) -> dict[int, bool]:
    """The indices of `element` tokens whose tags must go; links around or within links are among them.

    The value tells whether it must be said: of a closing tag it was said with the opening one.
    """
    balance = _Balance(tokens)
    for index, token in enumerate(tokens):
        if token.type == "element":
            balance.element(index, token)
        elif token.nesting > 0:
            balance.open_markup(index, is_link=token.type == "link_open")
        elif token.nesting < 0:
            balance.close_markup(is_link=token.type == "link_close")
    balance.dropped.update((index, True) for name, index in balance.stack if name != _MARKUP)
    return balance.dropped


class _Balance(Struct):
    """The open tags, the innermost last; `counts` has the elements open since the last markup."""

    tokens: Sequence[Token]
    dropped: dict[int, bool] = field(default_factory=dict)
    stack: list[tuple[str, int]] = field(default_factory=list)
    counts: list[Counter[str]] = field(default_factory=lambda: [Counter()])
    anchors: list[int] = field(default_factory=list)
    """Elements `a` that are open; those within the first are dropped already."""
    links: int = 0

    def element(self, index: int, token: Token) -> None:
        mark: Mark = token.meta["mark"]
        name, kind = token.content, mark.tag.kind if mark.tag else "void"
        if name in VOID:
            self.dropped.update({index: True} if kind == "close" else {})
        elif kind == "close":
            self._close(index, name)
        elif kind == "void":
            self.dropped[index] = True
        else:
            self._open(index, name, mark)

    def open_markup(self, index: int, *, is_link: bool) -> None:
        self.stack.append((_MARKUP, index))
        self.counts.append(Counter())
        if is_link:
            self.links += 1
            self.dropped.update(dict.fromkeys(self.anchors[:1], True))

    def close_markup(self, *, is_link: bool) -> None:
        """End the last markup; elements still open within it are cut off."""
        self.links -= is_link
        while self.stack:
            name, index = self.stack.pop()
            if name == _MARKUP:
                self.counts.pop()
                return
            self._forget(name, index)

    def _open(self, index: int, name: str, mark: Mark) -> None:
        if name == "a" or (mark.component is not None and mark.component.clickable):
            if self.links or self.anchors:
                self.dropped[index] = True
            self.anchors.append(index)
        self.stack.append((name, index))
        self.counts[-1][name] += 1

    def _close(self, index: int, name: str) -> None:
        """Close the last element of this name, unless markdown's own markup was opened within it."""
        if not self.counts[-1][name]:
            self.dropped[index] = True
            return
        while self.stack[-1][0] != name:
            self._forget(*self.stack.pop())
        opening = self.stack.pop()[1]
        self.counts[-1][name] -= 1
        self._end_anchor(opening)
        if self._holds_nothing(opening, index):
            self.dropped[opening] = True
        if opening in self.dropped:
            self.dropped[index] = False

    def _holds_nothing(self, opening: int, index: int) -> bool:
        """Return whether there is nothing between the tags of a component."""
        mark: Mark = self.tokens[opening].meta["mark"]
        within = range(opening + 1, index)
        return mark.component is not None and all(_is_blank(self.tokens[place]) for place in within)

    def _forget(self, name: str, index: int) -> None:
        """An element without an end."""
        self.dropped[index] = True
        self.counts[-1][name] -= 1
        self._end_anchor(index)

    def _end_anchor(self, index: int) -> None:
        if self.anchors[-1:] == [index]:
            self.anchors.pop()
