"""Read a site of Starlight: `astro.config`, which is parsed and never run, and its collection of pages.

https://starlight.astro.build/reference/configuration/ and .../reference/frontmatter/. A page's address is its
path below `src/content/docs`, as a slug, unless its frontmatter has one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from builder.importer.embeds import has_embeds
from builder.importer.literals import Literal, as_text, first_data
from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.omitted_pages import OmittedPage, OmittedPages
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import SourcePage, read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.starlight import starlight_pages
from builder.importer.systems.starlight.frontmatter import (
    KEPT,
    frontmatter_losses,
    sidebar_fields,
    with_banner,
    without_markdoc,
)
from builder.importer.systems.starlight.starlight_settings import (
    CONFIGS,
    StarlightConfig,
    label_of,
    slugged,
    starlight_settings,
)

_DOCS = "src/content/docs"
_PAGE = re.compile(r"\.(?:mdx?|mdoc|markdown)$", re.IGNORECASE)
_DEEPEST = 12


class Starlight:
    """The rules of Starlight."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "starlight"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether there is a configuration of Astro that has Starlight in it."""
        return any("starlight" in (origin.text(name) or "") for name in CONFIGS if origin.has(name))

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource where its configuration is no data."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite tags, admonitions and fences."""
        starlight_pages.rewrite(work)


class _Site:
    """A site that is read."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._file = next((name for name in CONFIGS if origin.has(name)), CONFIGS[0])
        self._losses: list[Loss] = []
        self._omitted = OmittedPages(losses=self._losses)
        self._redirected = self._omitted.redirects
        self._reader = StarlightConfig(origin, self._file, self._losses)
        self._astro = self._reader.astro
        self._config = self._reader.starlight()
        self._main = self._locale = self._main_locale()
        self._pages: dict[str, OldPage] = {}
        self._sources: dict[str, SourcePage] = {}
        self._slugs: dict[str, str] = {}

    def read(self) -> OldSite:
        """Return all that the site has."""
        others = self._other_locales()
        for file in self._origin.files(_DOCS):
            inner = posixpath.relpath(file, _DOCS)
            if _PAGE.search(file) and inner.split("/")[0] not in others and not _is_part(inner):
                self._page(file, inner)
        if not self._pages:
            raise NoSource("there are no pages", path=_DOCS, hint="is the folder of the site?")
        self._leave(others)
        self._leave_programs()
        self._fall_back()
        return OldSite(
            "starlight",
            tuple(self._pages.values()),
            tuple(self._parts(others)),
            self._settings(),
            dict(self._files()),
            redirects={**self._redirected, **dict(self._reader.redirects())},
            answered=self._omitted.answered,
            roots=(_DOCS, "public", ""),
            base=as_text(self._astro.get("base")).rstrip("/"),
            losses=tuple(self._losses),
            locales=tuple(locales) if isinstance(locales := self._config.get("locales"), dict) else (),
        )

    def _parts(self, others: frozenset[str]) -> Iterator[NavPart]:
        """Yield the sidebar for the site's own language, and for each other one that is imported."""
        locales, sidebar = self._config.get("locales"), self._config.get("sidebar")
        names = [name for name in locales if name != "root"] if isinstance(locales, dict) else []
        for name in (self._main, *(each for each in names if each not in {self._main, *others})):
            self._locale = name
            told = len(self._losses)
            entries = self._entries(sidebar, 0) if isinstance(sidebar, list) else self._folder(name)
            label = label_of(first_data(locales, name, "label")) or name
            part = NavPart(tuple(entries), "" if name == self._main else label)
            if name != self._main:
                del self._losses[told:]
            if self._origin.has_folder(f"{_DOCS}/{name}"):
                yield part

    def _main_locale(self) -> str:
        """Return the folder of the site's own language, "" where that is the root."""
        locales, name = self._config.get("locales"), as_text(self._config.get("defaultLocale"))
        is_root = not isinstance(locales, dict) or "root" in locales or name in {"", "root"}
        return "" if is_root or not self._origin.has_folder(f"{_DOCS}/{name}") else name

    def _other_locales(self) -> frozenset[str]:
        locales = self._config.get("locales")
        if not isinstance(locales, dict):
            return frozenset()
        wanted = {"root", self._main, *self._choices.locales}
        return frozenset(name for name in locales if name not in wanted and self._choices.locales != ("all",))

    def _leave(self, others: Iterable[str]) -> None:
        """Tell of languages that are not imported; their addresses lead to the pages of the site's own."""
        for name in sorted(others):
            files = [file for file in self._origin.files(f"{_DOCS}/{name}") if _PAGE.search(file)]
            pages: list[OmittedPage] = []
            for file in files:
                slug = self._slug_of(_PAGE.sub("", posixpath.relpath(file, _DOCS)), None)
                inner = "/".join(filter(None, (self._main, slug.removeprefix(name).strip("/"))))
                own = self._slugs.get(inner)
                if own is None or not self._pages[own].is_standalone:
                    address = self._pages[own].address if own is not None else ""
                    pages.append(OmittedPage(file, f"/{slug}/", address))
            self._omitted.leave("locale", name, pages, self._file)

    def _fall_back(self) -> None:
        """Lead the address of each page in each language, where nobody translated it, to the page itself."""
        taken = {page.address for page in self._pages.values()}
        locales = self._config.get("locales")
        names = [name for name in locales if name != "root"] if isinstance(locales, dict) else []
        for slug, file in self._slugs.items():
            first = slug.split("/")[0]
            if self._pages[file].is_standalone or (first in names and first != self._main):
                continue
            inner = slug.removeprefix(self._main).strip("/")
            for name in names:
                old = f"/{'/'.join(filter(None, (name, inner)))}/"
                if old not in taken:
                    self._redirected.setdefault(old, self._pages[file].address)

    def _leave_programs(self) -> None:
        """Tell of pages beside those of Starlight."""
        for file in self._origin.files("src/pages"):
            stem, _, ending = posixpath.relpath(file, "src/pages").rpartition(".")
            if stem and ending in {"astro", "md", "mdx", "html", "ts", "js"} and not _is_part(stem):
                address = f"/{stem.removesuffix('index')}".rstrip("/") or "/"
                is_page = ending not in {"ts", "js"} and "[" not in stem and stem != "404"
                taken = {page.address.rstrip("/") for page in self._pages.values()}
                if is_page and address.rstrip("/") not in taken:
                    first = self._slugs.get(self._main) or next(iter(self._pages))
                    self._redirected[address] = self._pages[first].address
                now = "its address leads to the documentation" if is_page else ""
                self._losses.append(Loss("page that is a program", file, 0, address, now))

    def _slug_of(self, name: str, given: object) -> str:
        slug = given.strip("/") if isinstance(given, str) else "/".join(map(slugged, name.split("/")))
        return slug.removesuffix("index").rstrip("/") if f"/{slug}".endswith("/index") else slug

    def _page(self, file: str, inner: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = _PAGE.sub("", inner)
        slug = self._slug_of(name, source.fields.get("slug"))
        fields = source.renamed(KEPT)
        fields |= sidebar_fields(source.fields)
        self._losses += frontmatter_losses(source, self._origin.has)
        address = f"/{slug}/" if slug else "/"
        body = with_banner(source, self._origin.has)
        is_markdoc = file.endswith(".mdoc")
        body = without_markdoc(body) if is_markdoc else body
        is_404 = name == "404"
        self._pages[file] = OldPage(
            file,
            address,
            name,
            body,
            source.first_line,
            fields,
            is_mdx=is_markdoc or file.endswith(".mdx"),
            is_standalone=is_404,
        )
        self._sources[file] = source
        self._slugs.setdefault(slug, file)

    def _entries(self, listed: Literal, depth: int) -> Iterator[NavEntry]:
        for each in listed if isinstance(listed, list) and depth < _DEEPEST else []:
            if isinstance(each, str):
                yield from self._entry("", each)
            elif isinstance(each, dict):
                yield from self._item(each, depth)
            else:
                self._losses.append(
                    Loss(
                        "entry of the sidebar that is no data",
                        self._file,
                        0,
                        str(getattr(each, "text", each)),
                    )
                )

    def _item(self, item: Mapping[str, Literal], depth: int) -> Iterator[NavEntry]:
        label, collapsed = self._translated(item), item.get("collapsed")
        badge = item.get("badge")
        if badge:
            shown = badge if isinstance(badge, str) else label_of(first_data(badge, "text"))
            self._losses.append(Loss("badge in the sidebar", self._file, 0, f"{label} {shown}".strip()))
        folded = collapsed if isinstance(collapsed, bool) else None
        generated = item.get("autogenerate")
        if isinstance(item.get("items"), list):
            inner = tuple(self._entries(item["items"], depth + 1))
            yield from [NavEntry(label, items=inner, collapsed=folded)] if label else inner
        elif isinstance(generated, dict):
            folder = as_text(generated.get("directory")).strip("/")
            localized = "/".join(filter(None, (self._locale, folder)))
            is_there = not self._is_main or self._origin.has_folder(f"{_DOCS}/{localized}")
            folds = True if generated.get("collapsed") is True else None
            inner = tuple(self._folder(localized if is_there else folder, folds))
            yield from [NavEntry(label, items=inner, collapsed=folded)] if label else inner
        elif isinstance(item.get("slug"), str):
            yield from self._entry(label, as_text(item["slug"]))
        elif isinstance(item.get("link"), str):
            yield from self._link(label, as_text(item["link"]))

    @property
    def _is_main(self) -> bool:
        return self._locale == self._main

    def _translated(self, item: Mapping[str, Literal]) -> str:
        """Return the label of an entry in the language whose sidebar is read."""
        language = first_data(self._config.get("locales"), self._locale, "lang")
        listed = item.get("translations")
        for name in (language, self._locale):
            found = listed.get(name) if isinstance(listed, dict) and isinstance(name, str) else None
            if isinstance(found, str):
                return found
        return label_of(item.get("label"))

    def _link(self, label: str, link: str) -> Iterator[NavEntry]:
        file = self._slugs.get(link.strip("/")) if "#" not in link else None
        yield NavEntry(label, file) if file else NavEntry(label, href=link)

    def _entry(self, label: str, slug: str) -> Iterator[NavEntry]:
        slug = slug.strip("/")
        inner = "" if slug == "index" else slug.removesuffix("/index")
        localized = "/".join(filter(None, (self._locale, inner)))
        file = self._slugs.get(localized) or (self._is_main and self._slugs.get(inner))
        if file:
            yield NavEntry(label, file)
        elif self._is_main:
            self._losses.append(Loss("entry of the sidebar that is not there", self._file, 0, slug))

    def _folder(self, folder: str, folds: bool | None = None) -> Iterator[NavEntry]:
        """Yield the entries of a folder: by the order that pages ask for, then by path.

        `folds` says that folders in it are collapsed.
        """
        prefix = f"{_DOCS}/{folder.strip('/')}/".replace("//", "/")
        inner = {file.removeprefix(prefix): file for file in self._pages if file.startswith(prefix)}
        here = {path: file for path, file in inner.items() if "/" not in path}
        ordered = sorted(
            (self._order(file), path, file) for path, file in here.items() if _PAGE.sub("", path) != "404"
        )
        groups = sorted({path.split("/")[0] for path in inner if "/" in path})
        if not folder and isinstance(languages := self._config.get("locales"), dict):
            groups = [name for name in groups if name not in languages]
        yield from (NavEntry("", file) for _, _, file in ordered if not self._is_hidden(file))
        for name in groups:
            items = tuple(self._folder(f"{folder}/{name}".strip("/"), folds))
            yield NavEntry(name, items=items, collapsed=folds)

    def _order(self, file: str) -> float:
        given = first_data(dict(self._sources[file].fields), "sidebar", "order")
        return float(given) if isinstance(given, int | float) else float("inf")

    def _is_hidden(self, file: str) -> bool:
        return first_data(dict(self._sources[file].fields), "sidebar", "hidden") is True

    def _files(self) -> Iterator[tuple[str, str]]:
        for file in self._origin.files("public"):
            if posixpath.basename(file) not in {"_redirects", "_headers"}:
                yield file, f"/{posixpath.relpath(file, 'public')}"
        for file in self._origin.files("src/assets"):
            yield file, f"/{posixpath.relpath(file, 'src')}"
        for file in self._origin.files(_DOCS):
            if not _PAGE.search(file) and not file.endswith((".astro", ".ts", ".js", ".json")):
                yield file, f"/{posixpath.relpath(file, _DOCS)}"

    def _settings(self) -> Mapping[str, object]:
        found = dict(
            starlight_settings(self._astro, self._config, self._choices.url, self._file, self._losses)
        )
        files = {address for _, address in self._files()}
        for name in ("logo", "favicon"):
            path = found.get(name)
            if isinstance(path, str) and path.startswith("/") and path not in files:
                self._losses.append(Loss("image of the configuration that is not there", self._file, 0, path))
                del found[name]
        return {**found, "plan": "premium"} if has_embeds(self._pages.values()) else found


def _is_part(inner: str) -> bool:
    return any(part.startswith("_") for part in inner.split("/"))
