"""Read a site of MkDocs: its pages, its navigation, its plugins.

https://www.mkdocs.org/user-guide/configuration/.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import SourcePage, read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.mkdocs import mkdocs_pages
from builder.importer.systems.mkdocs.blog import FIELDS, blogs_of
from builder.importer.systems.mkdocs.includes import Includes, expand
from builder.importer.systems.mkdocs.mkdocs_config import Configuration, settings_of
from builder.importer.systems.mkdocs.mkdocs_files import MkDocsFiles
from builder.importer.systems.mkdocs.mkdocs_navigation import INDEX, PAGE, Navigation
from builder.importer.systems.mkdocs.page_templates import FILLING, template_data
from builder.markdown.first_heading import first_heading

_CONFIGS = ("zensical.toml", "zensical.yml", "mkdocs.yml", "mkdocs.yaml")
_KEPT = {"title": "title", "description": "description", "sidebar_title": "sidebar_label"}
_UNSEEN = frozenset({"hide", "icon", "template", "status", "search", "subtitle"})
_LEADING_TABS = re.compile(r"^\t+", re.MULTILINE)
_KNOWN = frozenset({
    "search", "redirects", "exclude", "awesome-pages", "awesome-nav", "literate-nav", "autorefs", "offline",
    "minify", "macros", "markdownextradata", "include-markdown", "section-index", "glightbox", "blog", "i18n",
    "git-revision-date-localized", "git-revision-date", "privacy", "optimize", "meta", "snippets",
    "markdown-exec-off",
})  # fmt: skip
"""Plugins of which nothing is left that readers would miss."""


class MkDocs:
    """The rules of MkDocs."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "mkdocs"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether there is a configuration of MkDocs."""
        return any(map(origin.has, _CONFIGS))

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the site. Raises NoSource where its configuration cannot be read."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite blocks, lists of attributes, marks and fences."""
        mkdocs_pages.rewrite(work)


class _Site:
    """A site that is read."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        file = next(filter(origin.has, _CONFIGS), "")
        if not file:
            raise NoSource("there is no `mkdocs.yml`", path=".", hint="name the folder with `mkdocs.yml`")
        self._config = Configuration(origin, file)
        self._docs = posixpath.normpath(self._config.text("docs_dir") or "docs")
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        self._includes = self._reads_includes()
        self._files = MkDocsFiles(self._config, self._docs, choices)
        self._blogs = blogs_of(self._config, self._docs, origin)
        self._translated: dict[str, str] = {}

    def read(self) -> OldSite:
        """Return all that the site has."""
        found = self._origin.files(self._docs)
        for file in self._files.pages(found):
            if not self._is_translated(file):
                self._page(file)
        for blog in self._blogs:
            if blog.posts:
                home = blog.home(self._pages)
                self._pages[home.file] = home
        if not self._pages:
            raise NoSource("there are no pages", path=self._docs, hint="is the folder of `docs_dir` in it?")
        literate = self._config.plugin("literate-nav")
        navigation = Navigation(self._origin, self._docs, self._config.file, self._pages, self._losses)
        nav_file = str(literate.get("nav_file") or "SUMMARY.md") if literate is not None else ""
        entries = navigation.read(self._config.value("nav"), literate=nav_file)
        self._title(entries)
        self._plugins()
        return OldSite(
            "mkdocs",
            tuple(self._pages.values()),
            (NavPart(entries),),
            settings_of(self._config, self._docs, self._choices, self._losses),
            {file: f"/{self._inner(file)}" for file in found if self._is_copied(file)},
            redirects=self._redirects(),
            roots=(self._docs,),
            base=re.sub(r"^https?://[^/]*", "", self._config.text("site_url")).rstrip("/"),
            syntax=frozenset(self._syntax()),
            losses=tuple(self._losses),
            locales=tuple(
                filter(None, (self._files.languages.default, *sorted(self._files.languages.others)))
            ),
        )

    def _title(self, entries: Iterable[NavEntry]) -> None:
        """Give pages that begin without a heading the title that the navigation has for them."""
        for entry in entries:
            page = self._pages.get(entry.page)
            if page and entry.label and "title" not in page.fields and not first_heading(page.body, "md"):
                titled = {"title": entry.label, **page.fields}
                self._pages[entry.page] = replace(page, fields=titled)
            self._title(entry.items)

    def _inner(self, file: str) -> str:
        return posixpath.relpath(file, self._docs)

    def _syntax(self) -> Iterator[str]:
        for name, options in self._config.extensions():
            yield name.rpartition(".")[2]
            if name.endswith("toc") and options.get("slugify"):
                yield "slugify"
        for name, _ in self._config.plugins():
            yield name.removeprefix("material/")
        if self._config.value("hooks"):
            yield "hooks"

    def _reads_includes(self) -> Includes:
        """Return where snippets lie, and what macros know."""
        options = next((given for name, given in self._config.extensions() if name.endswith("snippets")), {})
        base = options.get("base_path")
        folders = [str(each) for each in base] if isinstance(base, list) else [str(base)] if base else ["."]
        folders = [re.sub(r"^\$?\{?config_dir\}?/?", "", each) or "." for each in folders]
        appended = options.get("auto_append")
        found = [
            place
            for each in (appended if isinstance(appended, list) else ())
            for folder in folders
            if self._origin.has(place := posixpath.normpath(posixpath.join(folder, str(each))))
        ]
        extra = self._config.value("extra")
        values = {**(extra if isinstance(extra, dict) else {}), "config": self._config.values}
        values |= template_data(self._config, self._origin, self._docs)
        has_macros = any(self._config.plugin(name) is not None for name in FILLING)
        has_statements = has_macros or self._config.plugin("include-markdown") is not None
        return Includes(self._origin, [*folders, ".", self._docs], found, values, has_macros, has_statements)

    def _is_translated(self, file: str) -> bool:
        """Return whether a page is one in a language that is not imported, which is told."""
        place = self._files.place(file)
        if self._files.is_wanted(place):
            return False
        told = f"{place.language}: {place.address}"
        self._losses.append(Loss("page in another language", file, 0, told))
        self._translated[place.address] = place.address.removeprefix(f"/{place.language}")
        return True

    def _page(self, file: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        place = self._files.place(file)
        expanded = expand(self._includes, file, source.body, source.first_line)
        body = expanded.text
        if "\n\t" in body:
            body = _LEADING_TABS.sub(lambda found: "    " * len(found[0]), body)
        if "```" in body or "~~~" in body:
            body = mkdocs_pages.longer_fences(body)
        self._losses += expanded.losses
        blog = next((blog for blog in self._blogs if blog.has(file)), None)
        fields = self._fields(source, FIELDS if blog is not None else frozenset())
        page = OldPage(file, place.address, place.name, body, source.first_line, fields, lines=expanded.lines)
        if blog is not None and source.fields.get("draft") is True:
            self._losses.append(Loss("draft of a post", file, 1, "draft: true"))
        else:
            self._pages[file] = page if blog is None else blog.post(page, source.fields)

    def _fields(self, source: SourcePage, read_too: frozenset[str]) -> Mapping[str, object]:
        fields = source.kept_fields(_KEPT)
        hidden = source.fields.get("hide")
        if isinstance(hidden, list) and "toc" in hidden:
            fields["hide_toc"] = True
        search = source.fields.get("search")
        if isinstance(search, dict) and search.get("exclude") is True:
            self._losses.append(Loss("page that search leaves out", source.file, 1, "search: exclude"))
        self._losses += source.lost_fields({*_KEPT, *_UNSEEN, *read_too})
        return fields

    def _is_copied(self, file: str) -> bool:
        theme = posixpath.normpath(self._config.text("theme", "custom_dir") or "overrides")
        is_theme = f"{file}/".startswith(f"{theme}/")
        name = posixpath.basename(file)
        return (
            not is_theme
            and not PAGE.search(file)
            and not self._files.is_left_out(file)
            and not name.startswith(".")
            and not name.endswith((".py", ".pyc"))
        )

    def _plugins(self) -> None:
        for name, options in self._config.plugins():
            if name.removeprefix("material/") not in _KNOWN:
                told = f"{name}: {options or ''}".strip()[:300]
                self._losses.append(Loss(f"plugin {name}", self._config.file, 0, told))

    def _redirects(self) -> Mapping[str, str]:
        """Return the redirects of the plugin: from addresses to files of pages, or to other addresses."""
        listed = (self._config.plugin("redirects") or {}).get("redirect_maps")
        here = {page.address for page in self._pages.values()}
        found = {old: new for old, new in self._translated.items() if new in here}
        for blog in self._blogs:
            found |= dict(blog.lists()) if blog.posts else {}
        for old, new in listed.items() if isinstance(listed, dict) else ():
            path, sign, anchor = str(new).partition("#")
            page = self._pages.get(posixpath.normpath(posixpath.join(self._docs, path)))
            if page is not None and "." in anchor and "::: " in page.body:
                self._losses.append(
                    Loss("anchor that a plugin made", self._config.file, 0, str(new), path, "changed")
                )
                sign = anchor = ""
            target = f"{page.address}{sign}{anchor}" if page else str(new)
            found[self._address(PAGE.sub("", str(old)))] = target
        return found

    def _address(self, name: str) -> str:
        """Return the address of a page by its file without ending."""
        folder, last = posixpath.split(name)
        if self._config.value("use_directory_urls") is False:
            return f"/{name}.html"
        return f"/{posixpath.join(folder, '' if last.casefold() in INDEX else f'{last}/')}"
