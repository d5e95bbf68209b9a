"""Read a site of Mintlify: `docs.json`, or `mint.json` of old, with its navigation.

https://mintlify.com/docs/organize/navigation. A page is named by its path without ending, its address.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping

from builder.importer.old_site import Loss, OldPage, OldSite, State, System
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.mintlify import mintlify_pages
from builder.importer.systems.mintlify.api_operations import ApiDescriptions
from builder.importer.systems.mintlify.mintlify_navigation import (
    MintlifyNavigation,
    endpoint_of,
    operation_page,
    with_lines,
)
from builder.importer.systems.mintlify.mintlify_settings import settings_of

_CONFIGS = ("docs.json", "mint.json")
_PAGE = re.compile(r"\.mdx?$", re.IGNORECASE)
_NO_PAGES = re.compile(
    r"(?:^|/)(?:snippets|_snippets|node_modules)/|(?:^|/)(?:README|LICENSE|CONTRIBUTING|AGENTS|CLAUDE)\.mdx?$"
)
_KEPT = {
    "title": "title",
    "description": "description",
    "sidebarTitle": "sidebar_label",
    "hidden": "unlisted",
}
_UNSEEN = frozenset({"iconType", "openapi", "api", "public"})
_CHANGED: State = "changed"
_LOST: State = "lost"
_MADE = frozenset({"llms.txt", "llms-full.txt", "sitemap.xml"})


class Mintlify:
    """The rules of Mintlify."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "mintlify"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether there is a configuration of Mintlify."""
        return any(_is_config(origin.text(name)) for name in _CONFIGS)

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource where its configuration cannot be read."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite tags and fences."""
        mintlify_pages.rewrite(work)


def _is_config(text: str | None) -> bool:
    return text is not None and '"navigation"' in text


class _Site:
    """A site that is read."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._file = next((name for name in _CONFIGS if origin.has(name)), _CONFIGS[0])
        try:
            found = json.loads(origin.text(self._file) or "")
        except (ValueError, RecursionError) as error:
            raise NoSource(f"cannot be read: {error}", path=self._file, hint="is it JSON?") from None
        if not isinstance(found, dict):
            raise NoSource("is no object", path=self._file, hint="is it the configuration of Mintlify?")
        self._config: Mapping[str, object] = _Resolving(origin).mapping(found)
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        self._files = origin.files()
        self._descriptions = ApiDescriptions(origin, self._files)

    def read(self) -> OldSite:
        """Return all that the site has."""
        files = self._files
        for file in files:
            if _PAGE.search(file) and not _NO_PAGES.search(file):
                self._page(file)
        if not self._pages:
            raise NoSource("there are no pages", path=self._file, hint="is the folder with the pages?")
        navigation = MintlifyNavigation(
            self._config, self._file, self._pages, self._descriptions, self._choices
        )
        parts = navigation.read()
        copied = {file: f"/{file}" for file in files if self._is_copied(file)}
        return OldSite(
            "mintlify",
            tuple(self._pages.values()),
            parts,
            settings_of(self._config, self._file, self._choices, self._losses),
            copied,
            redirects=dict(self._redirects()),
            roots=("",),
            losses=(*self._losses, *navigation.losses),
            versions=tuple(dict.fromkeys(navigation.offered["versions"])),
            locales=tuple(dict.fromkeys(navigation.offered["languages"])),
            shows_descriptions=True,
        )

    def _page(self, file: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = _PAGE.sub("", file)
        fields = source.kept_fields(_KEPT)
        self._losses += source.lost_fields({*_KEPT, *_UNSEEN})
        address = f"/{name.removesuffix('index')}" if posixpath.basename(name) == "index" else f"/{name}"
        page = OldPage(file, address, name, source.body, source.first_line, fields, is_mdx=True)
        self._pages[file] = self._with_operation(page, source.fields)

    def _with_operation(self, page: OldPage, fields: Mapping[str, object]) -> OldPage:
        """Return a page with the operation that its frontmatter names, in full where it is described."""
        told = next((str(fields[name]) for name in ("openapi", "api") if fields.get(name)), "")
        operation = self._descriptions.operation(told) if told else None
        line = endpoint_of(told) if operation is None else ""
        if told:
            now = "an endpoint with its parameters" if operation else "an endpoint" if line else ""
            what, state = "page made from an API description", _CHANGED if now else _LOST
            self._losses.append(Loss(what, page.file, 1, told, now, state))
        if operation is not None:
            return operation_page(page, operation)
        return with_lines(page, [line], []) if line else page

    def _redirects(self) -> Iterator[tuple[str, str]]:
        listed = self._config.get("redirects")
        for each in listed if isinstance(listed, list) else []:
            old, new = (
                (each.get("source"), each.get("destination")) if isinstance(each, dict) else (None, None)
            )
            if isinstance(old, str) and isinstance(new, str):
                yield _pattern(old), _pattern(new)

    def _is_copied(self, file: str) -> bool:
        if file in _MADE:
            self._losses.append(Loss("file that the build makes itself", file))
            return False
        kept = not _PAGE.search(file) and file not in _CONFIGS and not file.startswith(".")
        return kept and not file.endswith((".jsx", ".tsx", ".js", ".ts"))


class _Resolving:
    """Puts in what `{"$ref": "./file.json"}` names."""

    def __init__(self, origin: SourceTree) -> None:
        self._origin = origin
        self._left = 200

    def mapping(self, config: Mapping[str, object]) -> Mapping[str, object]:
        """Return a configuration with what it names."""
        return {name: self._value(value, "", 0) for name, value in config.items()}

    def _value(self, value: object, folder: str, depth: int) -> object:
        if depth > 60:
            return value
        if isinstance(value, list):
            return [self._value(each, folder, depth + 1) for each in value]
        if not isinstance(value, dict):
            return value
        named = value.get("$ref")
        if isinstance(named, str) and self._left > 0:
            return self._named(value, posixpath.normpath(posixpath.join(folder, named.lstrip("/"))), depth)
        return {name: self._value(each, folder, depth + 1) for name, each in value.items()}

    def _named(self, value: Mapping[str, object], file: str, depth: int) -> object:
        self._left -= 1
        try:
            found = json.loads(self._origin.text(file) or "null")
        except (ValueError, RecursionError):
            return value
        return self._value(found, posixpath.dirname(file), depth + 1)


def _pattern(address: str) -> str:
    return re.sub(r":\w+\*$", "*", address)
