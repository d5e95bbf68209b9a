"""Links, pages and folders that `site.yml` and `sidebar.yml` name, changed in their text.

Each value is replaced where it stands, in the quotes that it has; all other characters stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from builder.config.site_yml import MAX_NODES, MAX_TEXT
from builder.links.resolved import Kind
from builder.moves.moved_links import Moves
from builder.moves.rewritten_text import LeftLink
from builder.plan.layout import HOME
from builder.yaml.nodes import Mapping, Node, Scalar, Sequence, YamlFault, compose

_IMAGES = frozenset({"logo", "favicon", "social_image"})
_PLAIN = re.compile(r"[\w./][\w./~%#?=-]*")

Change = Callable[[str], "str | None"]
"""From a value to the one in its place, None for the same."""


class SettingsLinks(Struct, frozen=True):
    """The text, and how many values are others; `left` are those that could not be changed."""

    text: str
    changed: int = 0
    left: tuple[LeftLink, ...] = ()


def with_moved_links(text: str, file: str, moves: Moves) -> SettingsLinks:
    """Return a text of settings with the values that name what has moved."""
    try:
        root = compose(text.removeprefix("\ufeff"), MAX_NODES, MAX_TEXT)
    except YamlFault:
        return SettingsLinks(text)  # a check tells of it
    shift = len(text) - len(text.removeprefix("\ufeff"))
    is_sidebar = file == "sidebar.yml"
    found = _Values(moves).in_sidebar(root) if is_sidebar else _Values(moves).in_settings(root)
    changes = {scalar.start: (scalar, new) for scalar, new in found if new != scalar.text}
    changed, left = 0, []
    for scalar, new in sorted(changes.values(), reverse=True):
        start, end = scalar.start + shift, scalar.end + shift
        written = _written(text[start:end], new)
        if written is None:
            left.append(LeftLink(file, text.count("\n", 0, start) + 1, scalar.text))
            continue
        text = text[:start] + written + text[end:]
        changed += 1
    return SettingsLinks(text, changed, tuple(left))


def _written(before: str, new: str) -> str | None:
    """A value in the form that it has, None for a form of several lines."""
    if "\n" in before or before[:1] in {"|", ">", "&", "*", "!"}:
        return None
    if before[:1] == "'":
        return "'" + new.replace("'", "''") + "'"
    return new if before[:1] != '"' and _PLAIN.fullmatch(new) else json.dumps(new, ensure_ascii=False)


class _Values(Struct, frozen=True):
    """Finds the values that name pages, files and folders, each with what it is to be."""

    moves: Moves

    def in_settings(self, root: Node | None) -> Iterator[tuple[Scalar, str]]:
        """Yield those of `site.yml`."""
        for name, value in _entries(root):
            if name in _IMAGES:
                yield from self._each(value, self._image)
            elif name == "css":
                yield from self._each(value, self._link)
            elif name == "redirects":
                for _, target in _entries(value):
                    yield from self._each(target, self._link)
            elif name == "sidebar":
                yield from self.in_sidebar(value)
            elif name in {"nav", "footer", "announcement"}:
                yield from self._hrefs(value)

    def in_sidebar(self, root: Node | None) -> Iterator[tuple[Scalar, str]]:
        """Yield those of a sidebar."""
        if isinstance(root, Scalar):
            yield from self._each(root, self._page)
        elif isinstance(root, Sequence):
            for item in root.items:
                yield from self.in_sidebar(item)
        for name, value in _entries(root):
            change = {"page": self._page, "folder": self._folder, "href": self._link}.get(name)
            if change is not None:
                yield from self._each(value, change)
            elif name in {"items", "sidebar"}:
                yield from self.in_sidebar(value)

    def _hrefs(self, node: Node) -> Iterator[tuple[Scalar, str]]:
        if isinstance(node, Sequence):
            for item in node.items:
                yield from self._hrefs(item)
        for name, value in _entries(node):
            if name == "href":
                yield from self._each(value, self._link)
            else:
                yield from self._hrefs(value)

    def _each(self, node: Node, change: Change) -> Iterator[tuple[Scalar, str]]:
        if isinstance(node, Sequence):
            for item in node.items:
                yield from self._each(item, change)
        elif isinstance(node, Scalar) and (new := change(node.text)) is not None:
            yield node, new

    def _link(self, address: str) -> str | None:
        return self._moved(address, "link")

    def _image(self, address: str) -> str | None:
        return self._moved(address, "image")

    def _moved(self, address: str, kind: Kind) -> str | None:
        want = self.moves.wanted(address, HOME, kind)
        if want is None or self.moves.leads(address, HOME, kind) == want:
            return None
        return self.moves.written(address, address, (HOME, HOME), kind, want)

    def _page(self, path: str) -> str | None:
        moved = self.moves.pages.get(path)
        return moved[1].path if moved else None

    def _folder(self, path: str) -> str | None:
        new = self.moves.folders.get(path.rstrip("/"))
        return new + path[len(path.rstrip("/")) :] if new else None


def _entries(node: Node | None) -> Iterator[tuple[str, Node]]:
    if isinstance(node, Mapping):
        for entry in node.items:
            if isinstance(entry.key, Scalar):
                yield entry.key.text, entry.value
