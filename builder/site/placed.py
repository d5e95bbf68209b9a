"""Put pages where `docs_at` and `trailing_slash` of `site.yml`, or a slug of their own, say that they lie.

Their titles are what the site's extras make of their headings. A site that asks for none of this keeps its
pages as they were read.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from builder import paths
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.errors import InvalidPath
from builder.site.pages import SitePage, with_digest
from builder.site.reader import Read, heading, of_source
from builder.store import SiteFile, Source

SLUG = "slug"
_UNUSED = "`slug`: "
_SIGNS = {"keys": "++", "math": "$"}
"""Extras that make something else of the text of a heading, and what stands in it then."""


def placed(page: SitePage, config: SiteConfig) -> SitePage:
    """The page at its place on a site with these settings."""
    return Placed(config).page(page)


def read_at_place(source: Source, twin_file: str, config: SiteConfig) -> Read:
    """The page that a source is at its place, and what is wrong with it, on a site with these settings."""
    read, places = of_source(source, twin_file), Placed(config)
    if read.page is None:
        return read
    page = places.page(read.page)
    return Read(page, places.told(read.diagnostics))


def address_of(source: Source, config: SiteConfig) -> str:
    """The address of the page that a source is, on a site with these settings."""
    if not has_slugs(config):
        return paths.url(source.path, place_by_path(source.path, config))
    page = of_source(source, "").page
    return placed(page, config).url if page else paths.url(source.path)


def has_slugs(config: SiteConfig) -> bool:
    """Return whether addresses follow from the texts of pages, too."""
    return SLUG in config.extras


def place_alike(one: SiteConfig, other: SiteConfig) -> bool:
    """Return whether a page whose file stays as it is has the same address with both settings."""
    if has_slugs(one) or has_slugs(other):
        return False
    return (one.docs_at, one.trailing_slash) == (other.docs_at, other.trailing_slash)


def place_by_path(path: str, config: SiteConfig) -> str:
    """Return the place of a page without a slug; empty where its content path says it."""
    return paths.place_of(path, config.docs_at, in_folder=config.trailing_slash)


def _line_of_slug(head: str) -> int:
    """The line of a frontmatter block that has the slug."""
    lines = enumerate(head.splitlines(), 1)
    return next((number for number, line in lines if line.lstrip("'\"").startswith(SLUG)), 1)


class Placed:
    """Places the pages and files of a site with these settings, and collects which slugs are none."""

    def __init__(self, config: SiteConfig) -> None:
        self._config = config
        self._docs_at = config.docs_at
        self._slugs = has_slugs(config)
        self._moves = self._docs_at != f"/{paths.DOCS}"
        self._extras = frozenset(config.extras)
        self._signs = tuple(sign for extra, sign in _SIGNS.items() if extra in self._extras)
        self._found: list[Diagnostic] = []

    def page(self, page: SitePage) -> SitePage:
        """The page at its place, with its title."""
        if page.format == "mdx" and not page.meta.title and any(map(page.title.__contains__, self._signs)):
            title = heading(page.document.body, "mdx", self._extras) or page.title
            page = with_digest(replace(page, title=title, label=page.meta.sidebar_label or title))
        if not self._moves and not self._slugs and not self._config.trailing_slash:
            return page
        place = self._place(page)
        return replace(page, place=place) if place != page.place else page

    def files(self, files: tuple[SiteFile, ...]) -> tuple[SiteFile, ...]:
        """The files that are copied, those beside pages where the pages lie."""
        if not self._moves:
            return files
        below = f"{paths.DOCS}/"
        moved = (
            replace(file, output=paths.moved(file.output, self._docs_at))
            if file.file.startswith(below)
            else file
            for file in files
        )
        return tuple(sorted(moved, key=lambda file: file.output))

    def told(self, said: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The diagnostics of pages: without those of slugs that count, with those that are none."""
        if not self._slugs:
            return tuple(said)
        rest = (
            one for one in said if one.code != "frontmatter-address" or not one.message.startswith(_UNUSED)
        )
        return (*rest, *self._found)

    def _place(self, page: SitePage) -> str:
        given = page.document.frontmatter.get(SLUG) if self._slugs else None
        if page.path == paths.NOT_FOUND or given in (None, ""):
            return place_by_path(page.path, self._config)
        try:
            if not isinstance(given, str):
                raise InvalidPath("expected text", path=page.path)
            in_folder = self._config.trailing_slash
            place = paths.place_of(page.path, self._docs_at, given, in_folder=in_folder)
            if paths.is_taken(place):
                raise InvalidPath("the site itself answers there", path=page.path)
        except InvalidPath as error:
            message = f"`slug`: {error.message}"
            hint = error.hint or "write `slug: name`, or `slug: /folder/name`"
            line = _line_of_slug(page.document.head)
            self._found.append(Diagnostic(page.file, line, 1, "frontmatter-type", message, hint))
            return place_by_path(page.path, self._config)
        return place
