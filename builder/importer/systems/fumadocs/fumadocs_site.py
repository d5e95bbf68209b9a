"""Read a site of Fumadocs: its collections of pages, with their addresses and the navigation.

https://fumadocs.dev/docs/page-conventions. A page's address is its path below the base of its collection,
without folders in brackets, behind its language.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from builder.importer.old_site import Loss, NavPart, OldPage, OldSite, System
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import SourcePage, read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.fumadocs import fumadocs_pages
from builder.importer.systems.fumadocs.folder_tree import FolderTree, without_groups
from builder.importer.systems.fumadocs.fumadocs_config import Collection, read_config

_PAGE = re.compile(r"\.mdx?$", re.IGNORECASE)
_TITLE = re.compile(r"\btitle:\s{0,20}['\"`]([^'\"`\n]{1,200})['\"`]")
_LAYOUTS = tuple(
    f"{folder}{name}"
    for folder in ("", "src/")
    for name in ("lib/layout.shared.tsx", "app/layout.config.tsx", "lib/layout.tsx", "app/layout.shared.tsx")
)
_FEW, _MOST = 3, 0.75
_PROGRAM = (".json", ".ts", ".tsx", ".js", ".jsx", ".yaml", ".yml")
_NUMBER = re.compile(r"^\d{2,4}-(?=.)")
_KEPT = {"title": "title", "description": "description"}
_CONFIGS = ("source.config.ts", "source.config.mjs", "source.config.js", "source.config.tsx", "package.json")


class Fumadocs:
    """The rules of Fumadocs."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "fumadocs"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether the site's program names Fumadocs."""
        return any("fumadocs" in (origin.text(name) or "") for name in _CONFIGS if origin.has(name))

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource without pages."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite tags and fences."""
        fumadocs_pages.rewrite(work)


class _Site:
    """A site that is read. `_trees` has for a collection and a language the files of pages by their paths."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        self._redirects: dict[str, str] = {}
        self._is_numbered = False
        self._trees: dict[tuple[Collection, str], dict[str, str]] = defaultdict(dict)
        self._config = read_config(origin, self._losses)
        self._languages = self._config.languages
        if not self._config.collections:
            raise NoSource(
                "there is no folder of pages", path="content/docs", hint="is the folder of the site?"
            )

    def _has_numbers(self) -> bool:
        """Return whether most names begin with a number, which such sites leave out of addresses."""
        names = [
            posixpath.basename(file)
            for collection in self._config.collections
            for file in self._origin.files(collection.folder)
            if _PAGE.search(file) and not posixpath.basename(file).startswith("index.")
        ]
        return len(names) > _FEW and sum(bool(_NUMBER.match(name)) for name in names) > _MOST * len(names)

    def read(self) -> OldSite:
        """Return all that the site has."""
        self._is_numbered = self._has_numbers()
        if self._is_numbered:
            now = "addresses are read without them"
            self._losses.append(Loss("number before names", "", 0, "", now, "changed"))
        for collection in self._config.collections:
            for file in self._origin.files(collection.folder):
                if _PAGE.search(file) and self._owner(file) is collection:
                    self._page(file, collection)
        if not self._pages:
            folder = self._config.collections[0].folder
            raise NoSource("there are no pages", path=folder, hint="is the folder of the site?")
        navigation = tuple(self._navigation())
        return OldSite(
            "fumadocs",
            tuple(self._pages.values()),
            navigation,
            {name: value for name, value in self._settings().items() if value},
            dict(self._files()),
            redirects=self._redirects,
            roots=(*(each.folder for each in self._config.collections), "public", ""),
            base=self._config.below,
            has_neighbours=True,
            bases=tuple(self._bases()),
            losses=tuple(self._losses),
            locales=tuple(filter(None, (self._languages.first, *sorted(self._languages.others)))),
            shows_descriptions=True,
        )

    def _owner(self, file: str) -> Collection | None:
        """Return the collection that a file belongs to: that of the folder nearest to it."""
        found = [each for each in self._config.collections if file.startswith(f"{each.folder}/")]
        return max(found, key=lambda one: len(one.folder), default=None)

    @property
    def _is_single(self) -> bool:
        """Return whether all pages lie below one address, which the new site has too."""
        return len(self._config.collections) == 1 and len(self._wanted()) <= 1

    def _wanted(self) -> frozenset[str]:
        """Return the languages that are imported."""
        first, others = self._languages.first, self._languages.others
        if self._choices.locales == ("all",):
            return others | {first}
        chosen = frozenset(self._choices.locales) & (others | {first})
        return chosen or frozenset({first})

    def _page(self, file: str, collection: Collection) -> None:
        stem = _PAGE.sub("", posixpath.relpath(file, collection.folder))
        language, path = self._languages.of(stem)
        if language not in self._wanted():
            now = f"it was at {self._address(path, collection, language)}"
            self._losses.append(Loss("page in another language", file, 0, language, now))
            return
        source = read_page(self._origin, file)
        if source is None:
            return
        self._trees[collection, language][path] = file
        given = source.fields.get("slug")
        shown = given.strip("/") if isinstance(given, str) and given.strip("/") else path
        address = self._address(shown, collection, language)
        name = path if self._is_single else self._name(path, collection, language)
        body, line, fields = source.body, source.first_line, self._fields(source)
        self._pages[file] = OldPage(file, address, name, body, line, fields, is_mdx=True)
        if self._languages.prefix(language) and language == self._languages.first:
            self._redirects[address.removeprefix(f"/{language}") or "/"] = file

    def _address(self, path: str, collection: Collection, language: str) -> str:
        shown = without_groups(path)
        if self._is_numbered:
            shown = "/".join(_NUMBER.sub("", one) for one in shown.split("/"))
        shown = shown.removesuffix("index").rstrip("/") if posixpath.basename(shown) == "index" else shown
        base = f"{self._languages.prefix(language)}{collection.base}"
        return f"{base}/{shown}" if shown else base or "/"

    def _name(self, path: str, collection: Collection, language: str) -> str:
        """Return a path that no page of another collection or language has."""
        return f"{self._languages.prefix(language)}{collection.base}/{path}".strip("/")

    def _fields(self, source: SourcePage) -> Mapping[str, object]:
        self._losses += source.lost_fields({*_KEPT, "slug"})
        return source.kept_fields(_KEPT)

    def _navigation(self) -> Iterator[NavPart]:
        titles = {file: str(page.fields.get("title") or "") for file, page in self._pages.items()}
        for number, ((collection, language), pages) in enumerate(self._trees.items()):
            folder = collection.folder
            if self._languages.by_folder and language:
                folder = f"{folder}/{language}"
            tree = FolderTree(self._origin, folder, language, pages, titles)
            for part in tree.parts():
                label = part.label or (self._label(collection, language) if number else "")
                yield NavPart(part.entries, label)
            self._losses += tree.losses

    def _label(self, collection: Collection, language: str) -> str:
        """Return the name of a further collection or language."""
        name = posixpath.basename(collection.base or collection.folder).replace("-", " ").capitalize()
        is_other = language and language != self._languages.first
        return f"{name} ({language})" if is_other else name

    def _files(self) -> Iterator[tuple[str, str]]:
        for file in self._origin.files("public"):
            yield file, f"/{posixpath.relpath(file, 'public')}"
        for collection in self._config.collections:
            base = f"{self._languages.prefix(self._languages.first)}{collection.base}"
            for file in self._origin.files(collection.folder):
                if not _PAGE.search(file) and not file.endswith(_PROGRAM) and self._owner(file) is collection:
                    yield file, f"{base}/{posixpath.relpath(file, collection.folder)}"

    def _bases(self) -> Iterator[str]:
        """Yield the addresses below which pages are."""
        for language in self._wanted():
            for collection in self._config.collections:
                yield f"{self._languages.prefix(language)}{collection.base}"
        yield from (each.base for each in self._config.collections)

    def _title(self, package: object) -> str:
        """Return the name that the site shows, else that of its package."""
        for file in _LAYOUTS:
            found = _TITLE.search(self._origin.text(file) or "") if self._origin.has(file) else None
            if found:
                return found[1]
        name = package.get("name") if isinstance(package, dict) else ""
        return name if isinstance(name, str) else ""

    def _settings(self) -> Mapping[str, object]:
        try:
            package = json.loads(self._origin.text("package.json") or "{}")
        except (ValueError, RecursionError):
            package = {}
        first, language = self._config.collections[0], next(iter(self._wanted()), "")
        base = f"{self._languages.prefix(language)}{first.base}" if self._is_single else ""
        return {
            "title": self._title(package),
            "url": self._choices.url,
            "language": self._languages.first,
            "docs_at": base or "/",
        }
