"""Claim every output path before the first page is rendered: two sources for one place is an error."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from builder import paths, sidebar, theme
from builder.diagnostics import Diagnostic
from builder.links.table import GENERATED
from builder.paths import NOT_FOUND
from builder.plan import sitemap
from builder.plan.patterns import Pattern
from builder.plan.redirects import Redirect, read_patterns, read_redirects, that_arrive
from builder.sidebar import Category
from builder.site import CONFIG_FILE, Site, SitePage
from builder.store import SiteFile

HOME = "pages/index"
WELL_KNOWN = ("llms.txt", "llms-full.txt", ".nojekyll")


Generated = tuple[Category, tuple[Category, ...]]
"""A category that needs an index page, and the chain of categories down to it."""


class Layout(Struct, frozen=True):
    """A site in which no two things are written to one place.

    `generated` are the categories that need an index page, with the chain of categories down to each.
    `feeds` are the pages that have a feed. `home` is the page that also answers at `/`: None when
    `pages/index` does. `outputs` are all places that are known before pages are rendered. `sitemap` says how
    many addresses each file of the sitemap holds; it is empty when there is none. `patterns` are redirects
    for many addresses.
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

    def has(self, path: str) -> bool:
        """Return whether an author's page is shown at this content path."""
        return any(page.path == path for page in self.site.pages)


def lay_out(site: Site) -> Layout:
    """Claim a place for everything that the build will write; who comes second is left out and named."""
    registry = Registry()
    registry.reserve(theme.FOLDER)
    found: list[Diagnostic] = []
    pages = tuple(
        page
        for page in site.pages
        if not _is_taken(page, found) and _claims(registry, page.outputs, page.file, found)
    )
    site = replace(site, pages=pages)
    root = sidebar.build(pages, site.categories, site.config.docs_at)
    folders = root
    if site.config.sidebar:
        root, pages = _chosen_sidebar(site, root, found)
        site = replace(site, pages=pages)
    for name in _well_known(site):
        registry.claim(name, "a file that the build makes")
    home = _home(root, registry, found) if not any(page.url == "/" for page in pages) else None
    generated = tuple(_generated(folders, registry, found, {page.path for page in pages}))
    if site.config.sidebar:
        shown = {category.path: (category, chain) for category, chain in sidebar.categories_in_order(root)}
        generated = tuple(shown.get(category.path, (category, chain)) for category, chain in generated)
    if not any(page.path == NOT_FOUND for page in pages):
        _claims(registry, paths.outputs(NOT_FOUND), "the generated not-found page", found)
    feeds = tuple(_feeds(site, registry, found))
    public = public_addresses(site, root, generated, home)
    counts = tuple(sitemap.divided(public)) if site.config.url else ()
    for name in sitemap.names(counts):
        registry.claim(name, "a part of the sitemap that the build makes")
    files = tuple(file for file in site.files if _claims(registry, (file.output,), file.file, found))
    if not pages:
        found.append(_no_page(site))
    claimed = tuple(_redirects(site, registry, found))
    redirects = tuple(that_arrive(site.config, claimed, found))
    patterns = tuple(read_patterns(site.config, found))
    return Layout(
        site,
        root,
        generated,
        home,
        files,
        redirects,
        registry.paths,
        counts,
        tuple(found),
        feeds,
        patterns,
    )


def _chosen_sidebar(
    site: Site, folders: Category, found: list[Diagnostic]
) -> tuple[Category, tuple[SitePage, ...]]:
    """The sidebar that a site has written down, and its pages with a mark on those that are left out."""
    # Loaded here, as few sites write their sidebar down.
    from builder.sidebar.chosen import choose  # noqa: PLC0415

    chosen = choose(site.config, folders, site.pages)
    found += chosen.diagnostics
    marks = {path: {"left_out": True} for path in chosen.left_out}
    marks |= {path: {"in_sidebar": True} for path in chosen.standalone}
    pages = (replace(page, **marks[page.path]) if page.path in marks else page for page in site.pages)
    return chosen.root, tuple(pages)


def generated_place(layout: Layout, path: str) -> str:
    """Return the place of a generated page; empty where its content path says it."""
    return paths.place_of(path, layout.site.config.docs_at)


def reading_order(layout: Layout) -> list[SitePage]:
    """The authors' pages in the order in which they are read, then the standalone ones."""
    others = (page for page in layout.site.pages if not page.is_doc or not page.is_listed)
    return [*sidebar.pages_in_order(layout.root), *others]


def standalone_pages(pages: Iterable[SitePage]) -> tuple[SitePage, ...]:
    """Standalone pages that lists name: all but the not-found page, the home page first."""
    found = [page for page in pages if not page.is_doc and page.is_listed]
    return tuple(sorted(found, key=lambda page: (page.path != HOME, page.path)))


def public_addresses(
    site: Site, root: Category, generated: Iterable[Generated], home: SitePage | None
) -> Iterator[str]:
    """Canonical addresses for the sitemap, in reading order; drafts are not for search engines."""
    url = site.config.url
    if home is None and not any(page.url == "/" and page.meta.unlisted for page in site.pages):
        yield f"{url}/"
    pages = (*sidebar.pages_in_order(root), *standalone_pages(site.pages))
    yield from (url + page.url for page in pages if page.url != "/" and not page.meta.draft)
    yield from (url + category.url for category, _ in generated)


def _no_page(site: Site) -> Diagnostic:
    """A site that would be published with nothing in it."""
    if site.drafts:
        message, hint = "all pages are drafts", "remove `draft: true`, or write `draft: false`"
    else:
        message, hint = "the site has no page", "save the first one as `docs/index.md`"
    return Diagnostic(CONFIG_FILE, 0, 0, "site-empty", f"{message}, so a build shows nothing", hint)


def _is_taken(page: SitePage, found: list[Diagnostic]) -> bool:
    """Return whether a page that lies elsewhere than its path says lies where the site itself answers."""
    if not paths.is_taken(page.place):
        return False
    found.append(_reserved(page.outputs[0], page.file))
    return True


def _well_known(site: Site) -> Iterator[str]:
    """Files with a fixed name that this site's build makes; a `robots.txt` of the author's own is better."""
    yield from WELL_KNOWN
    if site.config.url:
        yield sitemap.NAME
    if site.config.redirects:
        yield "_redirects"
        yield from (f"_redirects.{host}" for host in site.config.redirect_files)


def _claims(registry: Registry, outputs: tuple[str, ...], source: str, found: list[Diagnostic]) -> bool:
    """Claim all of a source's places, or say why not and leave it out."""
    for path in outputs:
        conflict = registry.claim(path, source)
        if conflict is not None:
            found.append(conflict)
            return False
    return True


def _generated(
    root: Category, registry: Registry, found: list[Diagnostic], pages: Container[str]
) -> Iterator[Generated]:
    """Categories without a page of their own; the root has one when any page lies in `docs`."""
    every = [(root, ()), *sidebar.categories_in_order(root)] if root.children else []
    for category, chain in every:
        has_own = f"{category.path}/index" in pages
        source = f"the generated page of `{category.path}`"
        if has_own or category.url == "/":  # the first page of the documentation answers there
            continue
        if _claims(registry, paths.outputs(f"{category.path}/index", category.place), source, found):
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
        elif _claims(registry, (page.feed_url[1:],), f"the feed of `{page.path}`", found):
            yield page


def _lacks(site: Site) -> tuple[str, str] | None:
    """Return what a site lacks for feeds, and what to do."""
    if "update" not in site.config.extras:
        return "the site has no `Update`", "add `update` to `extras` in `site.yml`"
    return None if site.config.url else ("the site's address is not known", "add `url` to `site.yml`")


def _home(root: Category, registry: Registry, found: list[Diagnostic]) -> SitePage | None:
    """The first documentation page answers at `/` when no page was made for it."""
    _claims(registry, paths.outputs(HOME), "the generated home page", found)
    return next(iter(sidebar.pages_in_order(root)), None)


def _redirects(site: Site, registry: Registry, found: list[Diagnostic]) -> Iterator[Redirect]:
    files = Registry()
    for name in GENERATED:
        files.claim(name, "a file that the build makes")
    for redirect in read_redirects(site.config, found):
        source = f"the redirect from {redirect.source}"
        # Hosts that apply redirects first would send readers away from a file at the old address itself.
        file = redirect.path[1:]
        taken = registry.taken(file, source) or files.taken(file, source)
        conflict = taken or registry.claim(redirect.output, source)
        if conflict is None:
            yield redirect
            continue
        file, line, column = site.config.redirect_place(redirect.source)
        found.append(replace(conflict, file=file, line=line, column=column))


class Registry:
    """Every output path of a build, compared without case: two sources for one place is an error."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._paths: list[str] = []
        self._reserved: set[str] = set()

    def reserve(self, folder: str) -> None:
        """Keep a folder at the top, and all in it, for what the build itself makes."""
        self._reserved.add(folder.casefold())

    def claim(self, path: str, source: str) -> Diagnostic | None:
        """Take `path` for `source` (a file of the site, or words for what is generated).

        Gives a `path-conflict` that names both when it is taken, also as a folder, and claims nothing.
        """
        key = path.casefold()
        if key.partition("/")[0] in self._reserved:
            return _reserved(path, source)
        folder = key.rpartition("/")[0]
        taken = self._sources.get(key) or self._folders.get(key)
        if taken is None and folder and folder not in self._folders:
            taken = next((self._sources[above] for above in _above(key) if above in self._sources), None)
        if taken is not None:
            return _conflict(path, source, taken)
        self._sources[key] = source
        self._paths.append(path)
        # Where one folder is known, those above it are, too.
        while folder and folder not in self._folders:
            self._folders[folder] = source
            folder = folder.rpartition("/")[0]
        return None

    def taken(self, path: str, source: str) -> Diagnostic | None:
        """The `path-conflict` of `source` with the file at `path`, None when there is none."""
        taken = self._sources.get(path.casefold())
        return _conflict(path, source, taken) if taken is not None else None

    @property
    def paths(self) -> frozenset[str]:
        """Every output path that was claimed, as it was claimed."""
        return frozenset(self._paths)


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _conflict(path: str, source: str, taken: str) -> Diagnostic:
    return Diagnostic(
        source,
        0,
        0,
        "path-conflict",
        f"{_named(source)} and {_named(taken)} would both be written to `{path}`",
        "rename or delete one of them",
    )


def _reserved(path: str, source: str) -> Diagnostic:
    folder = path.partition("/")[0]
    message = (
        f"{_named(source)} would be written to `{path}`, but `{folder}` is for files that the build makes"
    )
    return Diagnostic(source, 0, 0, "path-conflict", message, "choose another name")


def _named(source: str) -> str:
    """A file as a file, words as they are."""
    return source if " " in source and "." not in source.rpartition(" ")[2] else f"`{source}`"
