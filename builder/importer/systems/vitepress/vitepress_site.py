"""Read a site of VitePress: `.vitepress/config`, which is parsed and never run, and its pages.

https://vitepress.dev/reference/site-config and .../default-theme-sidebar. A page's address is its path, with
`.html` unless `cleanUrls` is set.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from builder.importer.embeds import plan_of
from builder.importer.globs import globs, is_matched
from builder.importer.host_redirects import HOST_FILES, host_redirects
from builder.importer.literals import Literal, as_text, first_data, texts
from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.omitted_pages import OmittedPage, OmittedPages
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import SourcePage, read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.vitepress import vitepress_pages
from builder.importer.systems.vitepress.included_files import with_lines
from builder.importer.systems.vitepress.vitepress_config import (
    CONFIGS,
    ConfigReader,
    filled_route,
    renamed_path,
)
from builder.importer.systems.vitepress.vitepress_pages import hero_image, with_home
from builder.importer.systems.vitepress.vitepress_settings import (
    VitePressLinks,
    VitePressSettings,
    plain_text,
)
from builder.importer.systems.vitepress.vue_marks import with_long_names

_PAGE = re.compile(r"\.md$", re.IGNORECASE)
_KEPT = {"title": "title", "description": "description"}
_KNOWN = frozenset({*_KEPT, "hero", "features"})
_USUAL = (("layout", "home"), ("layout", "doc"), ("outline", False), ("aside", False), ("aside", True))
"""Fields with the values that pages keep, or have anyway."""
_DEEPEST = 12
_MOST_ROUTES = 5_000
"""Pages that one file may stand for."""
_MOST = 20_000
"""Entries of sidebars that are read."""


class VitePress:
    """The rules of VitePress."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "vitepress"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether there is a configuration of VitePress."""
        return any(map(origin.has, CONFIGS))

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource where its configuration is no data."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite containers, includes, tags and fences."""
        vitepress_pages.rewrite(work)


class _Site:
    """A site that is read."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._file = next(filter(origin.has, CONFIGS), CONFIGS[0])
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        self._names: dict[str, str] = {}
        self._left = _MOST
        self._omitted = OmittedPages(losses=self._losses)
        self._reader = reader = ConfigReader(origin, self._file, self._losses)
        self._config = reader.read()
        self._value = reader.value
        self._src = posixpath.normpath(as_text(self._config.get("srcDir"), "."))

    def read(self) -> OldSite:
        """Return all that the site has."""
        others = self._other_locales()
        excluded = globs(texts(self._config.get("srcExclude")))
        for file in self._origin.files("" if self._src == "." else self._src):
            inner = posixpath.relpath(file, self._src)
            is_page = _PAGE.search(file) and not any(part.startswith(".") for part in inner.split("/"))
            if is_page and inner.split("/")[0] not in others and not is_matched(inner, excluded):
                self._page(file, inner)
        if not self._pages:
            raise NoSource("there are no pages", path=self._src, hint="is the folder of the site?")
        self._leave(others)
        return OldSite(
            "vitepress",
            tuple(self._pages.values()),
            tuple(self._parts()),
            self._settings(),
            dict(self._files()),
            redirects={
                **self._omitted.redirects,
                **dict(host_redirects(self._origin, ("", self._src, self._public()), self._losses)),
            },
            answered=self._omitted.answered,
            roots=(self._src, self._public()),
            base=as_text(self._config.get("base")).rstrip("/"),
            losses=tuple(self._losses),
            locales=tuple(locales) if isinstance(locales := self._config.get("locales"), dict) else (),
        )

    def _other_locales(self) -> frozenset[str]:
        locales = self._config.get("locales")
        names = locales if isinstance(locales, dict) else {}
        wanted = self._choices.locales
        return frozenset(
            name for name in names if name != "root" and name not in wanted and wanted != ("all",)
        )

    def _public(self) -> str:
        return posixpath.normpath(posixpath.join(self._src, "public"))

    def _leave(self, others: Iterable[str]) -> None:
        """Tell of languages that are not imported; their addresses lead to the pages of the site's own."""
        own = {page.name: page.address for page in self._pages.values()}
        for locale in sorted(others):
            folder = posixpath.normpath(posixpath.join(self._src, locale))
            files = [file for file in self._origin.files(folder) if _PAGE.search(file)]
            names = [_PAGE.sub("", posixpath.relpath(file, self._src)) for file in files]
            pages = [
                OmittedPage(file, self._address(name), own.get(name.removeprefix(f"{locale}/"), ""))
                for file, name in zip(files, names, strict=True)
            ]
            self._omitted.omit("locale", locale, pages, self._file)

    def _address(self, name: str) -> str:
        if posixpath.basename(name) == "index":
            return f"/{name.removesuffix('index')}"
        return f"/{name}" if self._config.get("cleanUrls") is True else f"/{name}.html"

    def _page(self, file: str, inner: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = _PAGE.sub("", inner)
        if "[" in name:
            self._routes(source, name)
        else:
            self._add(source, self._rewritten(name))

    def _routes(self, source: SourcePage, name: str) -> None:
        """Make a page of each value for which the program beside a page asks, as far as that is data."""
        places = (_PAGE.sub(f".paths.{end}", source.file) for end in ("ts", "js", "mts", "mjs"))
        file = next(filter(self._origin.has, places), "")
        about = self._reader.module(file).exports.get("default") if file else None
        listed = self._reader.value(first_data(about, "paths"))
        routes = listed[:_MOST_ROUTES] if isinstance(listed, list) else []
        filled = [found for each in routes if (found := filled_route(source, name, each))]
        if not filled:
            self._losses.append(Loss("page for each value of a program", source.file, 0, f"/{name}"))
        for page, path in filled:
            self._add(page, self._rewritten(path))

    def _add(self, source: SourcePage, name: str) -> None:
        file, address = source.file, self._address(name)
        fields = source.kept_fields(_KEPT)
        if source.fields.get("outline") is False or source.fields.get("aside") is False:
            fields["hide_toc"] = True
        usual = (name for name, value in source.fields.items() if (name, value) in _USUAL)
        self._losses += source.lost_fields(_KNOWN.union(usual))
        hero = source.fields.get("hero")
        if isinstance(hero, dict) and hero.get("image") and not self._has(hero_image(hero)[0]):
            self._losses.append(Loss("image of the hero", file, 1, str(hero["image"])[:300]))
        body = with_lines(self._origin, file, with_home(source, self._has), self._src)
        body = with_long_names(body)
        self._pages[file] = OldPage(file, address, name, body, source.first_line, fields)

    def _has(self, path: str) -> bool:
        return path.startswith("/") and self._origin.has(f"{self._public()}{path}")

    def _rewritten(self, name: str) -> str:
        """Return the path that `rewrites` gives a page."""
        rewrites = self._value(self._config.get("rewrites"))
        for old, new in rewrites.items() if isinstance(rewrites, dict) else ():
            if isinstance(new, str) and (target := renamed_path(f"{name}.md", old, new)):
                return _PAGE.sub("", target)
        return name

    def _parts(self) -> Iterator[NavPart]:
        yield from self._sidebar(self._themed(self._config, "sidebar"), "")
        locales = self._config.get("locales")
        for name, about in locales.items() if isinstance(locales, dict) else ():
            sidebar = self._themed(self._value(about), "sidebar")
            is_root = name == "root" and self._themed(self._config, "sidebar") is not None
            if sidebar is not None and not is_root and (name == "root" or self._is_asked(name)):
                yield from self._sidebar(sidebar, "" if name == "root" else name)
        if self._themed(self._config, "sidebar") is None and not isinstance(locales, dict):
            yield NavPart(tuple(NavEntry("", file) for file in self._pages))

    def _themed(self, config: Literal, name: str) -> Literal:
        return first_data(self._value(first_data(config, "themeConfig")), name)

    def _is_asked(self, locale: str) -> bool:
        return locale in self._choices.locales or self._choices.locales == ("all",)

    def _sidebar(self, value: Literal, locale: str) -> Iterator[NavPart]:
        """Yield the parts of a sidebar: one, or one for each path."""
        sidebar = self._value(value)
        if not isinstance(sidebar, list | dict | None):
            self._lose("sidebar that is no data", sidebar)
        if isinstance(sidebar, list):
            yield NavPart(tuple(self._entries(sidebar, "", 0)), locale)
        places = sidebar if isinstance(sidebar, dict) else {}
        for place, listed in places.items():
            base, items = "", self._value(listed)
            if isinstance(items, dict):
                base, items = as_text(items.get("base")), self._value(items.get("items"))
            if not isinstance(items, list):
                self._lose("sidebar that is no data", items)
            entries = tuple(self._entries(items, base, 0))
            if entries:
                yield NavPart(entries, self._label(place) if len(places) > 1 else locale)

    def _lose(self, what: str, value: Literal) -> None:
        self._losses.append(Loss(what, self._file, 0, str(getattr(value, "text", value))[:300]))

    def _label(self, place: str) -> str:
        nav = self._value(self._themed(self._config, "nav"))
        for item in nav if isinstance(nav, list) else []:
            link = as_text(item.get("link")) if isinstance(item, dict) else ""
            if link and link.startswith(place) and isinstance(item.get("text"), str):
                return str(item["text"])
        return re.sub(r"[-_/]+", " ", place).strip().capitalize() or "Home"

    def _entries(self, listed: Literal, base: str, depth: int) -> Iterator[NavEntry]:
        for given in listed if isinstance(listed, list) and depth < _DEEPEST else []:
            self._left -= 1
            if self._left < 0:
                return
            each = self._value(given.get("...") if isinstance(given, dict) and "..." in given else given)
            if isinstance(each, list):
                yield from self._entries(each, base, depth + 1)
                continue
            if not isinstance(each, dict):
                self._lose("entry of the sidebar that is no data", each)
                continue
            inner_base = as_text(each.get("base"), base)
            items = tuple(self._entries(self._value(each.get("items")), inner_base, depth + 1))
            label, link = plain_text(as_text(self._value(each.get("text")))), self._value(each.get("link"))
            collapsed = each.get("collapsed")
            folded = collapsed if isinstance(collapsed, bool) else None
            file = self._file_of(f"{inner_base}{link}") if isinstance(link, str) else ""
            if file or items:
                yield NavEntry(label, file, items=items, collapsed=folded)
            elif isinstance(link, str) and re.match(r"[a-z]+:|/", link):
                yield NavEntry(label, href=link)
            elif link is not None:
                self._losses.append(Loss("entry of the sidebar that is not there", self._file, 0, str(link)))

    def _file_of(self, link: str) -> str:
        path = re.sub(
            r"(?:\.html|\.md)$", "", link.split("#", maxsplit=1)[0].split("?", maxsplit=1)[0].strip("/")
        )
        tried = (path, f"{path}/index".strip("/"))
        if len(self._names) != len(self._pages):
            self._names = {page.name: file for file, page in self._pages.items()}
        return (
            next((self._names[name] for name in tried if name in self._names), "") if "#" not in link else ""
        )

    def _files(self) -> Iterator[tuple[str, str]]:
        public = self._public()
        for file in self._origin.files(public):
            if posixpath.basename(file) not in HOST_FILES:
                yield file, f"/{posixpath.relpath(file, public)}"
        for file in self._origin.files("" if self._src == "." else self._src):
            inner = posixpath.relpath(file, self._src)
            if re.search(
                r"\.(?:png|jpe?g|gif|svg|webp|avif|mp4|webm|pdf|zip)$", file
            ) and not inner.startswith(("public/", ".")):
                yield file, f"/{inner}"

    def _settings(self) -> Mapping[str, object]:
        files = {address for _, address in self._files()}
        links = VitePressLinks(self._value, self._address_of, files)
        locales = self._config.get("locales")
        wanted = [name for name in (locales if isinstance(locales, dict) else {}) if self._is_asked(name)]
        reader = VitePressSettings(self._config, self._file, self._losses, links, wanted)
        has_math = first_data(self._config, "markdown", "math") is True
        extras = {"extras": ["math"]} if has_math else {}
        return {**reader.settings(self._choices.url), **plan_of(self._pages.values()), **extras}

    def _address_of(self, link: str) -> str:
        """Return the address of the page that a link of the configuration names, "" for none."""
        inner, sign, rest = link.partition("#")
        file = self._file_of(inner)
        return f"{self._pages[file].address.removesuffix('.html')}{sign}{rest}" if file else ""
