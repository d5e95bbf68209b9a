"""The navigation of a site of MkDocs: `nav`, or folders, with the files that order one.

https://github.com/lukasgeiter/mkdocs-awesome-nav and https://oprypin.github.io/mkdocs-literate-nav.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from builder.importer.old_site import Loss, NavEntry, OldPage
from builder.importer.source_tree import SourceTree
from builder.importer.systems.mkdocs.mkdocs_config import without_tags
from builder.yaml.safe import YamlFault

PAGE = re.compile(r"\.(?:md|markdown|mdown|mkdn|mkd)$", re.IGNORECASE)
INDEX = frozenset({"index", "readme"})
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/", re.IGNORECASE)
_BULLET = re.compile(r"^(?P<indent>[ \t]*)[-*+][ \t]+(?P<text>.*?)[ \t]*$")
_LINKED = re.compile(r"\[(?P<label>(?:[^\[\]\\]|\\.){0,500})\]\((?P<href>[^()\s]{0,500})[^()]{0,300}\)$")
_DEEPEST = 20
_MOST_FOLDERS = 20_000
"""Folders that are listed, those that are named again and again among them."""


class Navigation:
    """The navigation of the pages below a folder."""

    def __init__(
        self, origin: SourceTree, docs: str, file: str, pages: Mapping[str, OldPage], losses: list[Loss]
    ) -> None:
        self._origin = origin
        self._docs = docs
        self._file = file
        self._pages = pages
        self._losses = losses
        self._open: set[str] = set()
        self._left = _MOST_FOLDERS
        self._inner = sorted(self._relative(each) for each in pages)

    def _relative(self, file: str) -> str:
        return posixpath.relpath(file, self._docs)

    def read(self, nav: object, *, literate: str) -> tuple[NavEntry, ...]:
        """Return the entries of the configuration, of a list in a page, or of the folders."""
        if isinstance(nav, list):
            return tuple(self._entries(nav, 0))
        if literate and (text := self._origin.text(posixpath.join(self._docs, literate))):
            return tuple(self._entries(_literate(text), 0))
        return tuple(self._folder("", 0))

    def _entries(self, listed: object, depth: int, folder: str = "") -> Iterator[NavEntry]:
        for each in listed if isinstance(listed, list) and depth < _DEEPEST else []:
            if isinstance(each, str):
                yield from self._entry("", each, depth, folder)
            elif isinstance(each, dict):
                for label, inner in each.items():
                    if isinstance(inner, list):
                        yield group(str(label or ""), tuple(self._entries(inner, depth + 1, folder)))
                    elif isinstance(inner, str):
                        yield from self._entry(str(label or ""), inner, depth, folder)

    def _entry(self, label: str, target: str, depth: int, folder: str) -> Iterator[NavEntry]:
        path = posixpath.normpath(posixpath.join(folder, target.partition("#")[0]))
        file = posixpath.normpath(posixpath.join(self._docs, path))
        if file in self._pages:
            yield NavEntry(label, file)
        elif _ELSEWHERE.match(target):
            yield NavEntry(label or target, href=target)
        elif target.endswith(("/*", "/**", "*")) and depth < _DEEPEST:
            yield from self._folder("" if path in {"*", "**"} else path.rstrip("*").strip("/"), depth + 1)
        elif self._origin.has_folder(file) and depth < _DEEPEST:
            inner = tuple(self._folder("" if path == "." else path, depth + 1))
            yield group(label or readable(posixpath.basename(path)), inner)
        else:
            self._losses.append(Loss("entry of the navigation that is not there", self._file, 0, target))

    def _folder(self, folder: str, depth: int) -> Iterator[NavEntry]:
        """Yield the entries of a folder: in the order of its own file, else by name."""
        if depth > _DEEPEST or folder in self._open or self._left <= 0:
            return
        self._left -= 1
        self._open.add(folder)
        yield from self._ordered(folder, depth)
        self._open.discard(folder)

    def _ordered(self, folder: str, depth: int) -> Iterator[NavEntry]:
        wanted = self._wanted(folder)
        listed = wanted.get("nav") or wanted.get("arrange")
        if not isinstance(listed, list):
            yield from self._rest(folder, frozenset(), depth, is_reversed=wanted.get("order") == "desc")
            return
        named = frozenset(name.rstrip("/") for name in _targets(listed))
        for each in listed:
            target = (
                each
                if isinstance(each, str)
                else next(iter(each.values()), "")
                if isinstance(each, dict)
                else ""
            )
            if isinstance(target, str) and target.startswith("..."):
                yield from self._rest(folder, named, depth)
            else:
                yield from self._entries([each], depth, folder)

    def _rest(
        self, folder: str, named: frozenset[str], depth: int, *, is_reversed: bool = False
    ) -> Iterator[NavEntry]:
        """Yield pages and folders of a folder that its list does not name."""
        prefix = f"{folder}/" if folder else ""
        here = [path.removeprefix(prefix) for path in self._inner if path.startswith(prefix)]
        pages = sorted((path for path in here if "/" not in path and path not in named), key=_index_first)
        folders = [
            name
            for name in dict.fromkeys(path.split("/")[0] for path in here if "/" in path)
            if name not in named
        ]
        if is_reversed:
            pages, folders = pages[::-1], folders[::-1]
        yield from (NavEntry("", posixpath.join(self._docs, prefix, path)) for path in pages)
        for name in folders:
            wanted = self._wanted(f"{prefix}{name}")
            if wanted.get("hide") is True:
                continue
            title = wanted.get("title")
            inner = tuple(self._folder(f"{prefix}{name}", depth + 1))
            yield group(str(title) if isinstance(title, str) else readable(name), inner)

    def _wanted(self, folder: str) -> Mapping[str, object]:
        """Return what a folder's own file says of its order."""
        for name in (".pages", ".nav.yml", ".nav.yaml"):
            file = posixpath.join(self._docs, folder, name)
            text = self._origin.text(file)
            if text is not None:
                return self._loaded(text, file)
        return {}

    def _loaded(self, text: str, file: str) -> Mapping[str, object]:
        try:
            found = without_tags(text)
        except YamlFault:
            self._losses.append(Loss("file of the navigation that cannot be read", file, 1, text[:100]))
            return {}
        return found if isinstance(found, dict) else {}


def _targets(listed: list[object]) -> Iterator[str]:
    for each in listed:
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            for value in each.values():
                if isinstance(value, str):
                    yield value
                elif isinstance(value, list):
                    yield from (one for one in value if isinstance(one, str))


def _literate(text: str) -> list[object]:
    """Return a list of links as `nav` has it."""
    root: list[object] = []
    open_: list[tuple[int, list[object]]] = [(-1, root)]
    for line in text.split("\n"):
        found = _BULLET.match(line)
        if found is None:
            continue
        indent = len(found["indent"].expandtabs(4))
        while len(open_) > 1 and open_[-1][0] >= indent:
            open_.pop()
        inner: list[object] = []
        open_[-1][1].append(_item(found["text"], inner))
        open_.append((indent, inner))
    return [_plain(each) for each in root]


def _plain(item: object) -> object:
    """Return an item with nothing below it as its link alone."""
    if not isinstance(item, dict):
        return item
    ((label, inner),) = item.items()
    if len(inner) == 1 and isinstance(inner[0], str):
        return {label: inner[0]}
    return {label: [_plain(each) for each in inner]}


def _item(text: str, inner: list[object]) -> object:
    """Return an item; one with a link and a list below it is a group that begins with its page."""
    linked = _LINKED.match(text)
    if linked is None:
        return text if text.endswith("*") else {text: inner}
    label = re.sub(r"\\(.)", r"\1", linked["label"])
    inner.append(linked["href"])
    return {label: inner}


def _index_first(path: str) -> tuple[bool, str]:
    return PAGE.sub("", path).casefold() not in INDEX, path


def group(label: str, items: tuple[NavEntry, ...]) -> NavEntry:
    """Return a group; a page without a label at its begin that is an index stands for it."""
    first = items[0] if items else NavEntry()
    name = PAGE.sub("", posixpath.basename(first.page)).casefold()
    if first.page and not first.label and not first.items and name in INDEX:
        return NavEntry(label, first.page, items=items[1:])
    return NavEntry(label, items=items)


def readable(name: str) -> str:
    """Return the name of a folder as MkDocs shows it."""
    text = re.sub(r"[-_]+", " ", name).strip()
    return text.capitalize() if text.islower() else text
