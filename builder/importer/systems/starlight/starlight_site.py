"""Read a site of Starlight: `astro.config`, which is parsed and never run, and its collection of pages.

https://starlight.astro.build/reference/configuration/ and .../reference/frontmatter/. A page's address is its
path below `src/content/docs`, as a slug, unless its frontmatter has one.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from builder.importer.embeds import plan_of
from builder.importer.host_redirects import HOST_FILES
from builder.importer.literals import as_text
from builder.importer.old_site import Loss, OldPage, OldSite, System
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
    slugged,
    starlight_settings,
)
from builder.importer.systems.starlight.starlight_sidebar import DOCS, PAGE, StarlightSidebar


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
        self._main = self._main_locale()
        self._pages: dict[str, OldPage] = {}
        self._sources: dict[str, SourcePage] = {}
        self._slugs: dict[str, str] = {}

    def read(self) -> OldSite:
        """Return all that the site has."""
        others = self._other_locales()
        for file in self._origin.files(DOCS):
            inner = posixpath.relpath(file, DOCS)
            if PAGE.search(file) and inner.split("/")[0] not in others and not _is_part(inner):
                self._page(file, inner)
        if not self._pages:
            raise NoSource("there are no pages", path=DOCS, hint="is the folder of the site?")
        self._leave(others)
        self._leave_programs()
        self._fall_back()
        sidebar = StarlightSidebar(
            self._origin,
            self._config,
            self._file,
            self._losses,
            pages=self._sources,
            slugs=self._slugs,
            main=self._main,
        )
        return OldSite(
            "starlight",
            tuple(self._pages.values()),
            tuple(sidebar.parts(others)),
            self._settings(),
            dict(self._files()),
            redirects={**self._redirected, **dict(self._reader.redirects())},
            answered=self._omitted.answered,
            roots=(DOCS, "public", ""),
            base=as_text(self._astro.get("base")).rstrip("/"),
            losses=tuple(self._losses),
            locales=tuple(locales) if isinstance(locales := self._config.get("locales"), dict) else (),
        )

    def _main_locale(self) -> str:
        """Return the folder of the site's own language, "" where that is the root."""
        locales, name = self._config.get("locales"), as_text(self._config.get("defaultLocale"))
        is_root = not isinstance(locales, dict) or "root" in locales or name in {"", "root"}
        return "" if is_root or not self._origin.has_folder(f"{DOCS}/{name}") else name

    def _other_locales(self) -> frozenset[str]:
        locales = self._config.get("locales")
        if not isinstance(locales, dict):
            return frozenset()
        wanted = {"root", self._main, *self._choices.locales}
        return frozenset(name for name in locales if name not in wanted and self._choices.locales != ("all",))

    def _leave(self, others: Iterable[str]) -> None:
        """Tell of languages that are not imported; their addresses lead to the pages of the site's own."""
        for name in sorted(others):
            files = [file for file in self._origin.files(f"{DOCS}/{name}") if PAGE.search(file)]
            pages: list[OmittedPage] = []
            for file in files:
                slug = self._slug_of(PAGE.sub("", posixpath.relpath(file, DOCS)), None)
                inner = "/".join(filter(None, (self._main, slug.removeprefix(name).strip("/"))))
                own = self._slugs.get(inner)
                if own is None or not self._pages[own].is_standalone:
                    address = self._pages[own].address if own is not None else ""
                    pages.append(OmittedPage(file, f"/{slug}/", address))
            self._omitted.omit("locale", name, pages, self._file)

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
        name = PAGE.sub("", inner)
        slug = self._slug_of(name, source.fields.get("slug"))
        fields = source.kept_fields(KEPT)
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

    def _files(self) -> Iterator[tuple[str, str]]:
        for file in self._origin.files("public"):
            if posixpath.basename(file) not in HOST_FILES:
                yield file, f"/{posixpath.relpath(file, 'public')}"
        for file in self._origin.files("src/assets"):
            yield file, f"/{posixpath.relpath(file, 'src')}"
        for file in self._origin.files(DOCS):
            if not PAGE.search(file) and not file.endswith((".astro", ".ts", ".js", ".json")):
                yield file, f"/{posixpath.relpath(file, DOCS)}"

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
        return {**found, **plan_of(self._pages.values())}


def _is_part(inner: str) -> bool:
    return any(part.startswith("_") for part in inner.split("/"))
