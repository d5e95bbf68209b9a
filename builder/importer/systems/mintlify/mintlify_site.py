"""Read a site of Mintlify: `docs.json`, or `mint.json` of old, with its navigation.

https://mintlify.com/docs/organize/navigation. A page is named by its path without ending, its address.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.mintlify import mintlify_pages
from builder.importer.systems.social_places import social_places

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
_UNSEEN = frozenset({"icon", "iconType", "mode", "openapi", "api"})
_GROUPS = ("languages", "versions", "tabs", "anchors", "dropdowns", "products", "menu", "groups", "pages")
_LABELS = ("tab", "anchor", "dropdown", "product", "language", "version", "group", "item")
_PARTS = frozenset({"tabs", "anchors", "dropdowns", "products"})
_MADE = frozenset({"llms.txt", "llms-full.txt", "sitemap.xml"})
_DEEPEST = 12


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
        self._offered: dict[str, list[str]] = {"languages": [], "versions": []}
        self._pages: dict[str, OldPage] = {}

    def read(self) -> OldSite:
        """Return all that the site has."""
        files = self._origin.files()
        for file in files:
            if _PAGE.search(file) and not _NO_PAGES.search(file):
                self._page(file)
        if not self._pages:
            raise NoSource("there are no pages", path=self._file, hint="is the folder with the pages?")
        parts = tuple(self._parts(self._config.get("navigation"), 0))
        copied = {file: f"/{file}" for file in files if self._is_copied(file)}
        return OldSite(
            "mintlify",
            tuple(self._pages.values()),
            parts,
            self._settings(),
            copied,
            redirects=dict(self._redirects()),
            roots=("",),
            losses=tuple(self._losses),
            versions=tuple(dict.fromkeys(self._offered["versions"])),
            locales=tuple(dict.fromkeys(self._offered["languages"])),
        )

    def _page(self, file: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = _PAGE.sub("", file)
        fields = {new: source.fields[old] for old, new in _KEPT.items() if old in source.fields}
        self._losses += source.losses
        for key, value in source.fields.items():
            if key in {"openapi", "api"}:
                self._losses.append(Loss("page made from an API description", file, 1, f"{key}: {value}"))
            elif key not in _KEPT and key not in _UNSEEN:
                self._losses.append(Loss(f"frontmatter `{key}`", file, 1, f"{key}: {value}"))
        address = f"/{name.removesuffix('index')}" if posixpath.basename(name) == "index" else f"/{name}"
        self._pages[file] = OldPage(file, address, name, source.body, source.first_line, fields, is_mdx=True)

    def _file_of(self, name: str) -> str:
        name = posixpath.normpath(name.strip("/"))
        tried = (f"{name}{ending}" for ending in (".mdx", ".md", "/index.mdx", "/index.md", ""))
        return next((file for file in tried if file in self._pages), "")

    def _parts(self, navigation: object, depth: int) -> Iterator[NavPart]:
        """Yield a part for each tab, anchor or drop-down; a site without them has one."""
        if isinstance(navigation, list):
            yield NavPart(tuple(self._entries(navigation, 0)))
            return
        if not isinstance(navigation, dict) or depth > _DEEPEST:
            return
        kind = next((name for name in _GROUPS if isinstance(navigation.get(name), list)), "")
        listed = self._chosen(kind, navigation.get(kind))
        if kind in _PARTS:
            for each in listed:
                yield from self._part(each, depth)
        elif kind in {"languages", "versions"}:
            for each in listed:
                yield from self._parts(each, depth + 1)
        elif kind:
            yield NavPart(tuple(self._entries(listed, 0)))

    def _part(self, each: object, depth: int) -> Iterator[NavPart]:
        inner = list(self._parts(each, depth + 1))
        label = _label(each)
        if len(inner) == 1 and not inner[0].label:
            yield NavPart(inner[0].entries, label)
        elif inner:
            yield from inner
        elif isinstance(each, dict) and isinstance(each.get("href"), str):
            yield NavPart((NavEntry(label, href=str(each["href"])),), "")

    def _chosen(self, kind: str, listed: object) -> Sequence[object]:
        """Return what is imported: of languages and versions the first one, and those asked for."""
        entries = listed if isinstance(listed, list) else []
        self._offered.get(kind, []).extend(map(_label, entries))
        wanted = {"languages": self._choices.locales, "versions": self._choices.versions}.get(kind)
        if wanted is None or not entries or wanted == ("all",):
            return entries
        first = next((one for one in entries if isinstance(one, dict) and one.get("default")), entries[0])
        chosen = [one for one in entries if one is first or _label(one) in wanted]
        for one in entries:
            if one not in chosen:
                self._losses.append(Loss(f"{kind[:-1]} that is not imported", self._file, 0, _label(one)))
        return chosen

    def _entries(self, listed: Sequence[object], depth: int) -> Iterator[NavEntry]:
        for each in listed if depth < _DEEPEST else []:
            if isinstance(each, str):
                yield from self._entry(each)
            elif isinstance(each, dict):
                inner: list[object] = next(
                    (each[name] for name in _GROUPS if isinstance(each.get(name), list)), []
                )
                items = tuple(self._entries(inner, depth + 1))
                root = self._file_of(each["root"]) if isinstance(each.get("root"), str) else ""
                if items or root:
                    collapsed = None if "expanded" not in each else not each["expanded"]
                    yield NavEntry(_label(each), root, items=items, collapsed=collapsed)
                elif "openapi" in each:
                    self._losses.append(
                        Loss("group made from an API description", self._file, 0, json.dumps(each["openapi"]))
                    )

    def _entry(self, name: str) -> Iterator[NavEntry]:
        file = self._file_of(name)
        if file:
            yield NavEntry("", file)
        elif re.match(r"https?://", name):
            yield NavEntry(name, href=name)
        else:
            self._losses.append(Loss("entry of the navigation that is not there", self._file, 0, name))

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

    def _settings(self) -> Mapping[str, object]:
        config = self._config
        logo, colors = config.get("logo"), config.get("colors")
        settings: dict[str, object] = {
            "title": config.get("name"),
            "description": config.get("description"),
            "url": self._choices.url,
            "docs_at": "/",
            "logo": logo.get("light") if isinstance(logo, dict) else logo,
            "favicon": config.get("favicon") if isinstance(config.get("favicon"), str) else "",
            "accent": colors.get("primary") if isinstance(colors, dict) else "",
            "nav": [*self._nav()],
            "footer": self._footer(),
        }
        return {name: value for name, value in settings.items() if value}

    def _nav(self) -> Iterator[Mapping[str, object]]:
        bar = self._config.get("navbar")
        links = bar.get("links") if isinstance(bar, dict) else None
        for each in links if isinstance(links, list) else []:
            if isinstance(each, dict) and each.get("label") and each.get("href"):
                yield {"label": str(each["label"]), "href": str(each["href"])}
        primary = bar.get("primary") if isinstance(bar, dict) else None
        if isinstance(primary, dict) and primary.get("href"):
            label = str(primary.get("label") or primary.get("type") or primary["href"])
            yield {"label": label, "href": str(primary["href"]), "primary": True}

    def _footer(self) -> Mapping[str, object]:
        footer = self._config.get("footer")
        socials = footer.get("socials") if isinstance(footer, dict) else None
        pairs = socials.items() if isinstance(socials, dict) else ()
        given = [(str(name), value) for name, value in pairs if isinstance(value, str)]
        found = social_places(given, self._file, self._losses)
        return {"social": dict(found)} if found else {}


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


def _label(each: object) -> str:
    found = (
        next((each[name] for name in _LABELS if isinstance(each.get(name), str)), "")
        if isinstance(each, dict)
        else ""
    )
    return str(found)


def _pattern(address: str) -> str:
    return re.sub(r":\w+\*$", "*", address)
