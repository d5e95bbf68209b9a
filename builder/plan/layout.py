"""Claim every output path before the first page is rendered: two sources for one place is an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from builder import paths, sidebar, theme
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.paths import NOT_FOUND
from builder.plan import sitemap
from builder.plan.llms_full import NO_TEXT, FullText, seems_large
from builder.plan.llms_index import IndexFile, IndexFrame, index_files
from builder.plan.llms_sections import sections_of
from builder.plan.output_registry import Registry, reserved
from builder.plan.patterns import Pattern
from builder.plan.redirects import Redirect, claim_redirects, read_patterns
from builder.sidebar import Category, Item
from builder.sidebar.chosen import choose
from builder.site import CONFIG_FILE, Site, SitePage, place_by_path
from builder.store import SiteFile
from builder.theme import Asset
from components.words import ENGLISH, Words

HOME = "pages/index"
WELL_KNOWN = ("llms.txt", "llms-full.txt", ".nojekyll")


Generated = tuple[Category, tuple[Category, ...]]
"""A category that needs an index page, and the chain of categories down to it."""


class Layout(Struct, frozen=True, dict=True):
    """A site in which no two things are written to one place.

    `generated` are the categories that need an index page, with the chain of categories down to each.
    `feeds` are the pages that have a feed. `home` is the page that also answers at `/`: None when
    `pages/index` does. `outputs` are all places that are known before pages are rendered. `sitemap` says how
    many addresses each file of the sitemap holds; it is empty when there is none. `patterns` are redirects
    for many addresses. `index` are the files of `llms.txt`, `full` is what those of `llms-full.txt` are made
    of. Which these are is known when pages are rendered; `full_parts` are the places kept for some of them.
    A layout of pages that were not read has no lists.
    """

    site: Site
    root: Category
    generated: tuple[Generated, ...]
    home: SitePage | None
    files: tuple[SiteFile, ...]
    redirects: tuple[Redirect, ...]
    outputs: frozenset[str]
    sitemap: tuple[int, ...]
    diagnostics: tuple[Diagnostic, ...]
    feeds: tuple[SitePage, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    index: tuple[IndexFile, ...] = ()
    full: FullText = NO_TEXT
    full_parts: frozenset[str] = frozenset()
    is_read: bool = True

    def redirect_targets(self) -> Iterator[tuple[str, str]]:
        """Yield the old address as written, and the target, of each rule that leads to one address."""
        yield from ((each.source, each.target) for each in self.redirects)
        yield from ((each.written, each.target) for each in self.patterns if each.is_single)

    def has(self, path: str) -> bool:
        """Return whether an author's page is shown at this content path."""
        return any(page.path == path for page in self.site.pages)

    @cached_property
    def pages_list(self) -> Asset:
        """The list of all pages that the theme's script reads: rows of URL, label and description."""
        rows = [*_rows(self.root), *map(_row, standalone_pages(self.site.pages))] if self.is_read else []
        return theme.hashed("pages.json", msgspec.json.encode(rows))

    @cached_property
    def style_parts(self) -> list[str]:
        """The names of those `parts/*.css` that this site's style sheet needs."""
        config = self.site.config
        needs = {
            "announcement": bool(config.announcement.text),
            "page-menu": bool(config.page_menu),
            "drafts": any(page.meta.draft for page in self.site.pages),
            "nav": any(item.items or item.primary for item in config.nav),
            "footer": bool(config.footer.columns or config.footer.social),
            "sidebar": bool(config.sidebar) or any(page.meta.unlisted for page in self.site.pages),
        }
        return [name for name, needed in needs.items() if needed]


Row = tuple[str, str, str]


def _rows(category: Category) -> list[Row]:
    rows: list[Row] = []
    for child in category.children:
        if isinstance(child, Item):
            rows.append(_row(child.page))
        elif isinstance(child, Category):
            about = child.index.meta.description if child.index else ""
            if child.url and not child.href:
                rows.append((child.url, child.label, about or ""))
            rows += _rows(child)
    return rows


def _row(page: SitePage) -> Row:
    return page.url, page.label, page.meta.description or ""


def lay_out(site: Site, words: Words | None = None) -> Layout:
    """Claim a place for everything that the build will write; who comes second is left out and named.

    Without the `words` of the site's language, those of its settings stand for them.
    """
    registry = Registry()
    registry.reserve(theme.FOLDER)
    found: list[Diagnostic] = []
    site = replace(site, pages=tuple(_placed_pages(site, registry, found)))
    site, root, folders = _trees(site, found)
    pages = site.pages
    for name in _well_known(site):
        registry.claim(name, "a file that the build makes")
    home = _home(root, registry, found) if not any(page.url == "/" for page in pages) else None
    generated = _generated_pages(site, root, folders, registry, found)
    feeds = tuple(_feeds(site, registry, found))
    sitemap_sizes = _sitemap(site, root, generated, home, registry)
    lists = _for_agents(site, root, generated, words or replace(ENGLISH, **site.config.words), registry)
    files = tuple(file for file in site.files if registry.claim_all((file.output,), file.file, found))
    if not pages:
        found.append(_no_page(site))
    found.extend(_not_elsewhere(site))
    return Layout(
        site,
        root,
        generated,
        home,
        files,
        redirects=claim_redirects(site.config, registry, found),
        patterns=tuple(read_patterns(site.config, found)),
        outputs=registry.paths,
        sitemap=sitemap_sizes,
        diagnostics=tuple(found),
        feeds=feeds,
        index=lists.index,
        full=lists.full,
        full_parts=lists.full_parts,
    )


def _generated_pages(
    site: Site, root: Category, folders: Category, registry: Registry, found: list[Diagnostic]
) -> tuple[Generated, ...]:
    """Claim the places of pages that no author wrote, the not-found page too; gives the categories."""
    generated = tuple(_generated(folders, registry, found, site.pages))
    if not any(page.path == NOT_FOUND for page in site.pages):
        registry.claim_all(paths.outputs(NOT_FOUND), "the generated not-found page", found)
    return _as_shown(generated, root) if site.config.sidebar else generated


def _sitemap(
    site: Site, root: Category, generated: Iterable[Generated], home: SitePage | None, registry: Registry
) -> tuple[int, ...]:
    """Claim the places of the sitemap's files; gives how many addresses each holds."""
    public = public_addresses(site, root, generated, home)
    counts = tuple(sitemap.divided(public)) if site.config.url else ()
    for name in sitemap.names(counts):
        registry.claim(name, "a part of the sitemap that the build makes")
    return counts


class _ForAgents(Struct, frozen=True):
    """The files of `llms.txt` and `llms-full.txt`, as in Layout."""

    index: tuple[IndexFile, ...]
    full: FullText
    full_parts: frozenset[str]


def _for_agents(
    site: Site, root: Category, generated: Iterable[Generated], words: Words, registry: Registry
) -> _ForAgents:
    frame, listed = _index_frame(site, words), frozenset(category.path for category, _ in generated)
    sections = sections_of(root, standalone_pages(site.pages), listed, frame.words)
    index, shown = index_files(frame, sections, registry), listed_pages(root, site.pages)
    full = FullText(frame, sections, shown, seems_large(shown))
    return _ForAgents(index, full, full.kept_places(registry))


def sketched(site: Site) -> Layout:
    """Lay out a site of which no page is read: what links and frames need, without lists and conflicts."""
    registry, found = Registry(), list[Diagnostic]()
    site, root, folders = _trees(site, found)
    has_home = any(page.url == "/" for page in site.pages)
    home = None if has_home else next(iter(sidebar.pages_in_order(root)), None)
    generated = tuple(_generated(folders, registry, found, site.pages))
    if site.config.sidebar:
        generated = _as_shown(generated, root)
    redirects = claim_redirects(site.config, registry, found)
    return Layout(site, root, generated, home, site.files, redirects, registry.paths, (), (), is_read=False)


def full_places(layout: Layout) -> Registry:
    """The places of a layout but for those kept for parts of `llms-full.txt`, which may take no others."""
    registry = Registry()
    registry.reserve(theme.FOLDER)
    for path in layout.outputs - layout.full_parts:
        if not path.endswith((".html", ".md")):  # pages never have the names of such parts
            registry.claim(path, path)
    return registry


def with_redirect_rules(layout: Layout, config: SiteConfig) -> Layout:
    """Return a layout that was made without redirects with those of the settings."""
    if not config.redirects:
        return layout
    registry, found = Registry(), list[Diagnostic]()
    registry.reserve(theme.FOLDER)
    for path in layout.outputs:
        registry.claim(path, path)
    redirects, patterns = claim_redirects(config, registry, found), tuple(read_patterns(config, found))
    return replace(layout, redirects=redirects, patterns=patterns, outputs=registry.paths)


def _index_frame(site: Site, words: Words) -> IndexFrame:
    """The common ground of the files for agents; without an address, they start at its base path."""
    config = site.config
    return IndexFrame(config.title, config.description, config.url or config.base_path, words)


def _trees(site: Site, found: list[Diagnostic]) -> tuple[Site, Category, Category]:
    """The site with marks on pages that its sidebar leaves out, the sidebar, and the tree of its folders."""
    root = sidebar.build(site.pages, site.folders, site.config.docs_at)
    if not site.config.sidebar:
        return site, root, root
    root, pages = _chosen_sidebar(site, root, found)
    folders = sidebar.build(_of_folders(pages), site.folders, site.config.docs_at)
    return replace(site, pages=pages), root, folders


def _placed_pages(site: Site, registry: Registry, found: list[Diagnostic]) -> Iterator[SitePage]:
    """The pages that get all their places."""
    for page in site.pages:
        if not (page.place and _is_taken(page, found)) and registry.claim_all(page.outputs, page.file, found):
            yield page


def _as_shown(generated: Iterable[Generated], root: Category) -> tuple[Generated, ...]:
    """The categories as the sidebar has them, where it does."""
    shown = {category.path: (category, chain) for category, chain in sidebar.categories_in_order(root)}
    return tuple(shown.get(category.path, (category, chain)) for category, chain in generated)


def _chosen_sidebar(
    site: Site, folders: Category, found: list[Diagnostic]
) -> tuple[Category, tuple[SitePage, ...]]:
    """The sidebar that a site has written down, and its pages with a mark on those that are left out."""
    chosen = choose(site.config, folders, site.pages)
    found += chosen.diagnostics
    marks = {path: {"left_out": True} for path in chosen.left_out}
    marks |= {path: {"in_sidebar": True} for path in chosen.standalone}
    pages = (replace(page, **marks[page.path]) if page.path in marks else page for page in site.pages)
    return chosen.root, tuple(pages)


def _of_folders(pages: Iterable[SitePage]) -> Iterator[SitePage]:
    """The pages that lists of folders may name: the documentation but for what the sidebar leaves out."""
    return (page for page in pages if not page.in_sidebar and not page.left_out)


def generated_place(layout: Layout, path: str) -> str:
    """Return the place of a generated page; empty where its content path says it."""
    return place_by_path(path, layout.site.config)


def reading_order(layout: Layout) -> list[SitePage]:
    """The authors' pages in the order in which they are read, then the standalone ones."""
    others = (page for page in layout.site.pages if not page.is_doc or not page.is_listed)
    return [*sidebar.pages_in_order(layout.root), *others]


def standalone_pages(pages: Iterable[SitePage]) -> tuple[SitePage, ...]:
    """Standalone pages that lists name: all but the not-found page, the home page first."""
    found = [page for page in pages if not page.is_doc and page.is_listed]
    return tuple(sorted(found, key=lambda page: (page.path != HOME, page.path)))


def listed_pages(root: Category, pages: Iterable[SitePage]) -> tuple[SitePage, ...]:
    """The pages that lists for machines name, in the order in which they are read."""
    return (*sidebar.pages_in_order(root), *standalone_pages(pages))


def public_addresses(
    site: Site, root: Category, generated: Iterable[Generated], home: SitePage | None
) -> Iterator[str]:
    """Canonical addresses for the sitemap, in reading order; drafts are not for search engines."""
    url = site.config.url
    if home is None and not any(page.meta.unlisted and page.url == "/" for page in site.pages):
        yield f"{url}/"
    pages = listed_pages(root, site.pages)
    yield from (url + page.url for page in pages if page.url != "/" and not page.meta.draft)
    yield from (url + category.url for category, _ in generated)


def _no_page(site: Site) -> Diagnostic:
    """A site that would be published with nothing in it."""
    if site.drafts:
        message, hint = "all pages are drafts", "remove `draft: true`, or write `draft: false`"
    else:
        message, hint = "the site has no page", "save the first one as `docs/index.md`"
    return Diagnostic(CONFIG_FILE, 0, 0, "site-empty", f"{message}, so a build shows nothing", hint)


def _not_elsewhere(site: Site) -> Iterator[Diagnostic]:
    """Tell of paths that `served_elsewhere` names and at or below which this site has a page."""
    for number, prefix in enumerate(site.config.served_elsewhere):
        page = next((one for one in site.pages if paths.is_within(one.url, prefix)), None)
        if page is not None:
            field = f"served_elsewhere[{number}]"
            message = f"{field}: this site itself answers at `{page.url}`, with `{page.file}`"
            hint = "remove the entry, or move the page"
            yield Diagnostic(CONFIG_FILE, *site.config.place(field), "served-elsewhere", message, hint)


def _is_taken(page: SitePage, found: list[Diagnostic]) -> bool:
    """Return whether a page that lies elsewhere than its path says lies where the site itself answers."""
    if not paths.is_taken(page.place):
        return False
    found.append(reserved(page.outputs[0], page.file))
    return True


def _well_known(site: Site) -> Iterator[str]:
    """Files with a fixed name that this site's build makes; a `robots.txt` of the author's own is better."""
    yield from WELL_KNOWN
    if site.config.url:
        yield sitemap.NAME
    if site.config.redirects:
        yield "_redirects"
        yield from (f"_redirects.{host}" for host in site.config.redirect_files)


def _generated(
    root: Category, registry: Registry, found: list[Diagnostic], pages: Iterable[SitePage]
) -> Iterator[Generated]:
    """Categories without a page of their own, by its path or its address.

    The root has one when any page lies in `docs`.
    """
    own = {page.path for page in pages}
    taken = {page.url for page in pages if page.place}
    every = [(root, ()), *sidebar.categories_in_order(root)] if root.children else []
    for category, chain in every:
        has_own = f"{category.path}/index" in own or category.url in taken
        source = f"the generated page of `{category.path}`"
        if has_own or category.url == "/":  # the first page of the documentation answers there
            continue
        if registry.claim_all(paths.outputs(f"{category.path}/index", category.place), source, found):
            yield category, chain


def _feeds(site: Site, registry: Registry, found: list[Diagnostic]) -> Iterator[SitePage]:
    """The pages that ask for a feed and can have one."""
    for page in site.pages:
        if not page.meta.feed:
            continue
        lacks = _lacks(site)
        if lacks:
            found.append(
                Diagnostic(page.file, 0, 0, "feed-invalid", f"there is no feed: {lacks[0]}", lacks[1])
            )
        elif registry.claim_all((page.feed_url[1:],), f"the feed of `{page.path}`", found):
            yield page


def _lacks(site: Site) -> tuple[str, str] | None:
    """Return what a site lacks for feeds, and what to do."""
    if "update" not in site.config.extras:
        return "the site has no `Update`", "add `update` to `extras` in `site.yml`"
    return None if site.config.url else ("the site's address is not known", "add `url` to `site.yml`")


def _home(root: Category, registry: Registry, found: list[Diagnostic]) -> SitePage | None:
    """The first documentation page answers at `/` when no page was made for it."""
    registry.claim_all(paths.outputs(HOME), "the generated home page", found)
    return next(iter(sidebar.pages_in_order(root)), None)
