"""The navigation of Fumadocs: folders with a `meta.json` each, which orders and names what is in them.

    {"title": "T", "root": true, "defaultOpen": true,
     "pages": ["index", "---[Icon]Part---", "folder", "...other", "!left-out", "[Label](/x)", "..."]}

https://fumadocs.dev/docs/page-conventions
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from builder.importer.old_site import Loss, NavEntry, NavPart
from builder.importer.source_tree import SourceTree

_GROUP = re.compile(r"^\(.*\)$")
_LINK = re.compile(r"^(?:external:)?(?:\[(?P<icon>[^\]]*)\])?\[(?P<label>[^\]]+)\]\((?P<href>[^)]+)\)$")
_SEPARATOR = re.compile(r"^-{3}(?:\[[^\]]*\])?(?P<label>.*?)(?:-{3})?$")
_DEEPEST = 12
_MOST_FOLDERS = 20_000
"""Folders that are listed, those that are named again and again among them."""


class _Folder(Struct):
    """The pages in a folder by name, with their files, and the names of its folders."""

    pages: dict[str, str] = field(default_factory=dict)
    folders: dict[str, None] = field(default_factory=dict)


class FolderTree:
    """The tree of one collection in one language; `pages` are files by their path without ending."""

    def __init__(
        self,
        origin: SourceTree,
        folder: str,
        language: str,
        pages: Mapping[str, str],
        titles: Mapping[str, str],
    ) -> None:
        self.losses: list[Loss] = []
        self._origin = origin
        self._docs = folder
        self._language = language
        self._pages = pages
        self._titles = titles
        self._folders: dict[str, _Folder] = {"": _Folder()}
        self._roots: list[NavEntry] = []
        self._open: set[str] = set()
        self._left = _MOST_FOLDERS
        for name, file in sorted(pages.items()):
            self._add(name, file)

    def _add(self, name: str, file: str) -> None:
        folder, _, page = name.rpartition("/")
        self._folders.setdefault(folder, _Folder()).pages[page] = file
        while folder:
            outer, _, inner = folder.rpartition("/")
            self._folders.setdefault(outer, _Folder()).folders[inner] = None
            folder = outer

    def parts(self) -> tuple[NavPart, ...]:
        """Return a navigation for each folder that is a root of its own, and one for all others."""
        others = tuple(self._entries("", 0))
        found = [NavPart(others)] if others else []
        for each in self._roots:
            first = (NavEntry("", each.page),) if each.page else ()
            found.append(NavPart((*first, *each.items), each.label))
        return tuple(found)

    def _meta(self, folder: str) -> Mapping[str, object]:
        names = (f"meta.{self._language}.json", "meta.json") if self._language else ("meta.json",)
        files = (posixpath.join(self._docs, folder, name) for name in names)
        file = next((one for one in files if self._origin.has(one)), "")
        text = self._origin.text(file) if file else None
        try:
            found = json.loads(text or "{}")
        except (ValueError, RecursionError):
            self.losses.append(Loss("meta.json that cannot be read", file, 1, (text or "")[:100]))
            return {}
        return found if isinstance(found, dict) else {}

    def _entries(self, folder: str, depth: int) -> Iterator[NavEntry]:
        if depth > _DEEPEST or folder in self._open or self._left <= 0 or folder not in self._folders:
            return
        self._left -= 1
        self._open.add(folder)
        listed = self._meta(folder).get("pages")
        wanted = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else ["..."]
        named = frozenset(each.lstrip(".!/").removesuffix(".mdx").rstrip("/") for each in wanted)
        for each in wanted:
            yield from self._entry(each, folder, named, depth)
        self._open.discard(folder)

    def _entry(self, each: str, folder: str, named: frozenset[str], depth: int) -> Iterator[NavEntry]:
        separator, link = _SEPARATOR.match(each), _LINK.match(each)
        if each in {"...", "z...a"}:
            yield from self._rest(folder, named, depth, reverse=each == "z...a")
        elif separator:
            yield NavEntry(separator["label"].strip() or "·", is_heading=True)
        elif link:
            yield NavEntry(link["label"], href=link["href"])
        elif each.startswith("..."):
            yield from self._unfolded(_joined(folder, each[3:]), depth)
        elif not each.startswith("!"):
            yield from self._named(_joined(folder, each), depth)

    def _rest(
        self, folder: str, named: frozenset[str], depth: int, *, reverse: bool = False
    ) -> Iterator[NavEntry]:
        """Yield what a folder's list does not name: pages, then folders, by name."""
        here = self._folders[folder]
        left = [name for name in here.pages if name not in named and not (folder and name == "index")]
        for name in sorted(left, key=lambda one: (one != "index", one), reverse=reverse):
            yield NavEntry("", here.pages[name])
        for name in sorted(here.folders, reverse=reverse):
            if name not in named:
                yield from self._group(_joined(folder, name), depth)

    def _unfolded(self, path: str, depth: int) -> Iterator[NavEntry]:
        """Yield what is in a folder in its place."""
        if not path or path not in self._folders:
            self._missing(path)
            return
        if index := self._folders[path].pages.get("index"):
            yield NavEntry("", index)
        yield from (each for each in self._entries(path, depth + 1) if not index or each.page != index)

    def _named(self, path: str, depth: int) -> Iterator[NavEntry]:
        path = re.sub(r"\.mdx?$", "", path)
        if path in self._pages:
            yield NavEntry("", self._pages[path])
        elif path and path in self._folders:
            yield from self._group(path, depth)
        else:
            self._missing(path)

    def _missing(self, path: str) -> None:
        file = posixpath.join(self._docs, posixpath.dirname(path), "meta.json")
        self.losses.append(Loss("entry of the navigation that is not there", file, 0, path))

    def _group(self, folder: str, depth: int) -> Iterator[NavEntry]:
        meta = self._meta(folder)
        items = tuple(self._entries(folder, depth + 1))
        index = self._folders[folder].pages.get("index", "") if folder in self._folders else ""
        inner = tuple(each for each in items if not index or each.page != index)
        opened = meta.get("defaultOpen")
        collapsed = not opened if isinstance(opened, bool) else None
        entry = NavEntry(self._label(folder, index, meta), index, items=inner, collapsed=collapsed)
        if meta.get("root") is True and (inner or index):
            self._roots.append(entry)
        elif inner or index:
            yield entry

    def _label(self, folder: str, index: str, meta: Mapping[str, object]) -> str:
        """Return the title of a folder: its own, that of its first page, or its name."""
        title = meta.get("title")
        if isinstance(title, str) and title.strip():
            return title
        name = posixpath.basename(folder)
        shown = re.sub(r"[-_]+", " ", name[1:-1] if _GROUP.match(name) else name).strip()
        return self._titles.get(index) or f"{shown[:1].upper()}{shown[1:]}" or "·"


def _joined(folder: str, name: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, name))
    return "" if path == "." else path


def without_groups(path: str) -> str:
    """Return a path without its folders in brackets, which addresses leave out."""
    return "/".join(one for one in path.split("/") if not _GROUP.match(one))
