"""Read a site of Fumadocs: its folder of pages with a `meta.json` in each.

https://fumadocs.dev/docs/headless/page-conventions. A page's address is its path below the base of the
source, without folders in brackets; a `meta.json` orders a folder and names what belongs into it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.fumadocs import fumadocs_pages

_PAGE = re.compile(r"\.mdx?$", re.IGNORECASE)
_GROUP = re.compile(r"^\(.*\)$")
_LINK = re.compile(r"^(?:external:)?(?:\[(?P<icon>[^\]]*)\])?\[(?P<label>[^\]]+)\]\((?P<href>[^)]+)\)$")
_SEPARATOR = re.compile(r"^-{3}(?:\[[^\]]*\])?(?P<label>.*?)-{3}$")
_KEPT = {"title": "title", "description": "description"}
_FOLDERS = ("content/docs", "content", "docs")
_BASE = re.compile(r"baseUrl:\s*['\"](?P<base>/[^'\"]*)['\"]")
_DIR = re.compile(r"dir:\s*['\"](?P<dir>[^'\"]+)['\"]")
_LANGUAGES = re.compile(r"languages:\s*\[([^\[\]]{0,2000})\]")
_DEFAULT = re.compile(r"defaultLanguage:\s*['\"]([\w-]+)['\"]")
_DEEPEST = 12
_MOST_FOLDERS = 20_000
"""Folders that are listed, those that are named again and again among them."""


class Fumadocs:
    """The rules of Fumadocs."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "fumadocs"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether the site's program names Fumadocs."""
        names = ("source.config.ts", "source.config.mjs", "source.config.js", "package.json")
        return any("fumadocs" in (origin.text(name) or "") for name in names if origin.has(name))

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource without pages."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite tags and fences."""
        fumadocs_pages.rewrite(work)


class _Listing(Struct, frozen=True):
    """The content of a folder: pages by name with their files, folders, and what its `meta.json` wants."""

    folder: str
    pages: Mapping[str, str]
    folders: tuple[str, ...]
    wanted: tuple[str, ...]

    @property
    def named(self) -> frozenset[str]:
        """The names that the list has."""
        return frozenset(each.lstrip(".!/") for each in self.wanted)

    def inner(self, name: str) -> str:
        """Return the path of a folder in it."""
        return f"{self.folder}/{name}".strip("/")


class _Site:
    """A site that is read."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        self._docs = self._folder_of_pages()
        self._base = self._address_base()
        self._languages = self._reads_languages()
        self._roots: set[str] = set()
        self._open: set[str] = set()
        self._left = _MOST_FOLDERS

    def _folder_of_pages(self) -> str:
        config = next(
            (text for name in ("source.config.ts", "source.config.mjs") if (text := self._origin.text(name))),
            "",
        )
        named = _DIR.search(config)
        places = (named["dir"], *_FOLDERS) if named else _FOLDERS
        found = next((place for place in places if self._origin.has_folder(place)), "")
        if not found:
            raise NoSource(
                "there is no folder of pages", path="content/docs", hint="is the folder of the site?"
            )
        return posixpath.normpath(found)

    def _address_base(self) -> str:
        places = [f"{folder}source.ts{x}" for x in ("", "x") for folder in ("lib/", "src/lib/", "app/")]
        text = next((text for place in places if (text := self._origin.text(place))), "")
        found = _BASE.search(text)
        return found["base"].rstrip("/") if found else "/docs"

    def read(self) -> OldSite:
        """Return all that the site has."""
        for file in self._origin.files(self._docs):
            if _PAGE.search(file) and not self._is_translated(file):
                self._page(file)
        if not self._pages:
            raise NoSource("there are no pages", path=self._docs, hint="is the folder of the site?")
        entries = tuple(self._folder("", 0))
        parts = self._parts(entries)
        return OldSite(
            "fumadocs",
            tuple(self._pages.values()),
            parts,
            {name: value for name, value in self._settings().items() if value},
            dict(self._files()),
            roots=(self._docs, "public", ""),
            losses=tuple(self._losses),
            locales=tuple(filter(None, (self._languages[0], *sorted(self._languages[1])))),
        )

    def _page(self, file: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = _PAGE.sub("", posixpath.relpath(file, self._docs))
        given = source.fields.get("slug")
        shown = (
            str(given).strip("/")
            if isinstance(given, str)
            else "/".join(one for one in name.split("/") if not _GROUP.match(one))
        )
        address = (
            f"{self._base}/{shown.removesuffix('index')}"
            if posixpath.basename(shown) == "index"
            else f"{self._base}/{shown}"
        )
        fields = {new: source.fields[old] for old, new in _KEPT.items() if old in source.fields}
        self._losses += source.losses
        for key, value in source.fields.items():
            if key not in _KEPT and key not in {"icon", "full", "slug"}:
                self._losses.append(Loss(f"frontmatter `{key}`", file, 1, f"{key}: {value}"))
        self._pages[file] = OldPage(file, address, name, source.body, source.first_line, fields, is_mdx=True)

    def _meta(self, folder: str) -> Mapping[str, object]:
        text = self._origin.text(posixpath.join(self._docs, folder, "meta.json"))
        try:
            found = json.loads(text or "{}")
        except (ValueError, RecursionError):
            self._losses.append(
                Loss("meta.json that cannot be read", f"{folder}/meta.json", 1, (text or "")[:100])
            )
            return {}
        return found if isinstance(found, dict) else {}

    def _listing(self, folder: str) -> _Listing:
        prefix = f"{self._docs}/{folder}/" if folder else f"{self._docs}/"
        inner = sorted(file.removeprefix(prefix) for file in self._pages if file.startswith(prefix))
        pages = {_PAGE.sub("", path): f"{prefix}{path}" for path in inner if "/" not in path}
        folders = tuple(dict.fromkeys(path.split("/")[0] for path in inner if "/" in path))
        listed = self._meta(folder).get("pages")
        wanted = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else ["..."]
        return _Listing(folder, pages, folders, tuple(wanted))

    def _folder(self, folder: str, depth: int) -> Iterator[NavEntry]:
        if depth > _DEEPEST or folder in self._open or self._left <= 0:
            return
        self._left -= 1
        self._open.add(folder)
        listing = self._listing(folder)
        for each in listing.wanted:
            yield from self._entry(each, listing, depth)
        self._open.discard(folder)

    def _entry(self, each: str, listing: _Listing, depth: int) -> Iterator[NavEntry]:
        separator, link, name = _SEPARATOR.match(each), _LINK.match(each), each.strip("./")
        if each in {"...", "z...a"}:
            yield from self._rest(listing, depth)
        elif separator:
            yield NavEntry(separator["label"].strip() or "·", is_heading=True)
        elif link:
            yield NavEntry(link["label"], href=link["href"])
        elif each.startswith("!"):
            return
        elif each.startswith("...") and name in listing.folders:
            yield from self._folder(listing.inner(name), depth + 1)
        elif name in listing.pages:
            yield NavEntry("", listing.pages[name])
        else:
            yield from self._named(posixpath.normpath(posixpath.join(listing.folder, each)), depth)

    def _rest(self, listing: _Listing, depth: int) -> Iterator[NavEntry]:
        """Yield what a folder's list does not name: pages, then folders, by name."""
        left = [name for name in listing.pages if name not in listing.named]
        if listing.folder and "index" in left:
            left.remove("index")
        for name in sorted(left, key=lambda one: (one != "index", one)):
            yield NavEntry("", listing.pages[name])
        for name in listing.folders:
            if name not in listing.named:
                yield from self._group(listing.inner(name), depth)

    def _named(self, path: str, depth: int) -> Iterator[NavEntry]:
        file = next(
            (
                f"{self._docs}/{path}{ending}"
                for ending in (".mdx", ".md")
                if f"{self._docs}/{path}{ending}" in self._pages
            ),
            "",
        )
        if file:
            yield NavEntry("", file)
        elif self._origin.has_folder(f"{self._docs}/{path}"):
            yield from self._group(path, depth)
        else:
            self._losses.append(Loss("entry of the navigation that is not there", "meta.json", 0, path))

    def _group(self, folder: str, depth: int) -> Iterator[NavEntry]:
        meta, names = self._meta(folder), self._listing(folder).pages
        items = tuple(self._folder(folder, depth + 1))
        index = names.get("index", "")
        inner = tuple(each for each in items if each.page != index or not index)
        title = meta.get("title")
        label = (
            title
            if isinstance(title, str)
            else re.sub(r"[-_()]+", " ", posixpath.basename(folder)).strip().capitalize()
        )
        opened = meta.get("defaultOpen")
        if meta.get("root") is True and depth == 0:
            self._roots.add(label)
        if inner or index:
            yield NavEntry(
                label, index, items=inner, collapsed=not opened if isinstance(opened, bool) else None
            )

    def _parts(self, entries: tuple[NavEntry, ...]) -> tuple[NavPart, ...]:
        """Return a navigation for each folder that is a root of its own, and one for all others."""
        roots = [each for each in entries if self._is_root(each)]
        others = tuple(each for each in entries if each not in roots)
        found = [NavPart(others)] if others else []
        for each in roots:
            first = (NavEntry("", each.page),) if each.page else ()
            found.append(NavPart((*first, *each.items), each.label))
        return tuple(found)

    def _is_root(self, entry: NavEntry) -> bool:
        return entry.label in self._roots and bool(entry.items)

    def _reads_languages(self) -> tuple[str, frozenset[str]]:
        """Return the default language and the others, whose pages have them in their names."""
        places = ("lib/i18n.ts", "src/lib/i18n.ts", "i18n.ts")
        text = next((text for place in places if (text := self._origin.text(place))), "")
        listed, default = _LANGUAGES.search(text), _DEFAULT.search(text)
        codes = re.findall(r"['\"]([\w-]+)['\"]", listed[1]) if listed else []
        first = default[1] if default else codes[0] if codes else ""
        return first, frozenset(codes) - {first}

    def _is_translated(self, file: str) -> bool:
        """Return whether a page is in a language that is not imported, which is told."""
        stem = _PAGE.sub("", posixpath.relpath(file, self._docs))
        named = {stem.rpartition(".")[2], stem.partition("/")[0]} & self._languages[1]
        if not named or named <= set(self._choices.locales) or self._choices.locales == ("all",):
            return False
        self._losses.append(Loss("page in another language", file, 0, min(named)))
        return True

    def _files(self) -> Iterator[tuple[str, str]]:
        for file in self._origin.files("public"):
            yield file, f"/{posixpath.relpath(file, 'public')}"
        for file in self._origin.files(self._docs):
            if not _PAGE.search(file) and not file.endswith((".json", ".ts", ".tsx", ".js", ".jsx")):
                yield file, f"{self._base}/{posixpath.relpath(file, self._docs)}"

    def _settings(self) -> Mapping[str, object]:
        try:
            package = json.loads(self._origin.text("package.json") or "{}")
        except (ValueError, RecursionError):
            package = {}
        name = package.get("name") if isinstance(package, dict) else ""
        return {
            "title": name if isinstance(name, str) else "",
            "url": self._choices.url,
            "docs_at": self._base or "/",
        }
