"""A page's HTML as a tree, read as loosely as agents read it, and the markdown that they make of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
})  # fmt: skip
BLOCKS = frozenset({
    "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "tr", "td", "th", "blockquote", "pre", "dt", "dd",
    "figcaption", "section", "article", "details", "summary", "br", "hr",
})  # fmt: skip
_APART = BLOCKS | frozenset({
    "body", "html", "head", "header", "footer", "main", "nav", "aside", "ul", "ol", "dl", "table", "thead",
    "tbody", "figure", "form", "dialog", "title",
})  # fmt: skip
_CLOSED_BY = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "tr": frozenset({"tr", "td", "th"}),
    "td": frozenset({"td", "th"}),
    "th": frozenset({"td", "th"}),
}
_SPACE = re.compile(r"\s+")


class Node:
    """An element with its attributes and what is in it: elements and texts."""

    __slots__ = ("attributes", "children", "parent", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], parent: Node | None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Node | str] = []

    def elements(self) -> Iterator[Node]:
        """All elements below this one, in the order of the document."""
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.elements()

    def first(self, *tags: str) -> Node | None:
        """Return the first element below this one that has one of these tags."""
        return next((each for each in self.elements() if each.tag in tags), None)

    def without(self, is_unwanted: Callable[[Node], bool]) -> Node:
        """Return a copy without some elements."""
        copy = Node(self.tag, self.attributes, None)
        for child in self.children:
            if isinstance(child, str):
                copy.children.append(child)
            elif not is_unwanted(child):
                copy.children.append(child.without(is_unwanted))
        return copy

    def text(self) -> str:
        """The text, with line ends around blocks."""
        inner = "".join(child if isinstance(child, str) else child.text() for child in self.children)
        return f"\n{inner}\n" if self.tag in BLOCKS else inner

    def plain(self) -> str:
        """The text on one line."""
        return _SPACE.sub(" ", self.text()).strip()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {}, None)
        self._at = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._at.tag in _CLOSED_BY.get(tag, ()) and self._at.parent:
            self._at = self._at.parent
        node = Node(tag, {name: value or "" for name, value in attrs}, self._at)
        self._at.children.append(node)
        if tag not in VOID:
            self._at = node

    def handle_endtag(self, tag: str) -> None:
        node: Node | None = self._at
        while node is not None and node.tag != tag:
            node = node.parent
        if node is not None and node.parent is not None:
            self._at = node.parent

    def handle_data(self, data: str) -> None:
        self._at.children.append(data)


def read(html: str) -> Node:
    """The tree of a document. Never raises: what cannot be read is text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


def converted(node: Node) -> str:
    """The markdown that a common converter makes of the whole document, scripts and styles left out."""
    return re.sub(r"\n(?:[ \t]*\n)+", "\n\n", _converted(node)).strip()


def _converted(node: Node) -> str:
    tag = node.tag
    if tag in {"script", "style"}:
        return ""
    if tag == "pre":
        return "\n\n    " + node.text().strip("\n").replace("\n", "\n    ") + "\n\n"
    inner = "".join(
        _SPACE.sub(" ", child) if isinstance(child, str) else _converted(child) for child in node.children
    )
    if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
        return _heading(int(tag[1]), inner.strip())
    return _inline(node, inner) if tag not in _APART else _block(node, inner)


def _heading(level: int, text: str) -> str:
    if level <= 2:
        return f"\n\n{text}\n{('=' if level == 1 else '-') * len(text)}\n\n" if text else ""
    return f"\n\n{'#' * level} {text}\n\n" if text else ""


def _inline(node: Node, inner: str) -> str:
    tag, attributes = node.tag, node.attributes
    if tag == "a" and attributes.get("href"):
        return f"[{inner.strip()}]({attributes['href']})"
    if tag == "img":
        return f"![{attributes.get('alt', '')}]({attributes.get('src', '')})" if attributes.get("src") else ""
    if tag == "code":
        return f"`{inner}`" if inner.strip() else ""
    if tag in {"strong", "b"}:
        return f"**{inner}**" if inner.strip() else ""
    return f"_{inner}_" if tag in {"em", "i"} and inner.strip() else inner


def _block(node: Node, inner: str) -> str:
    tag, text = node.tag, inner.strip()
    if tag == "br":
        return "  \n"
    if tag == "hr":
        return "\n\n* * *\n\n"
    if not text:
        return ""
    if tag == "li":
        return "\n*   " + text.replace("\n", "\n    ") + "\n"
    if tag == "blockquote":
        return "\n\n> " + text.replace("\n", "\n> ") + "\n\n"
    if tag in {"td", "th"}:
        return f"| {_SPACE.sub(' ', text)} "
    return f"\n{text}|\n" if tag == "tr" else f"\n\n{text}\n\n"
