"""Put pages where `docs_at` of `site.yml`, or a slug of their own, says that they lie.

A site that asks for neither keeps its pages as they were read.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from builder import paths
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.errors import InvalidPath
from builder.site.pages import SitePage
from builder.site.reader import of_source
from builder.store import SiteFile, Source

SLUG = "slug"
_UNUSED = "`slug`: is not used"


def placed(page: SitePage, config: SiteConfig) -> SitePage:
    """The page at its place on a site with these settings."""
    return Placed(config).page(page)


def address_of(source: Source, config: SiteConfig) -> str:
    """The address of the page that a source is, on a site with these settings."""
    is_plain = config.docs_at == f"/{paths.DOCS}" and SLUG not in config.extras
    page = None if is_plain else of_source(source, "").page
    return placed(page, config).url if page else paths.url(source.path)


class Placed:
    """Places the pages and files of a site with these settings, and collects which slugs are none."""

    def __init__(self, config: SiteConfig) -> None:
        self._docs_at = config.docs_at
        self._slugs = SLUG in config.extras
        self._moves = self._docs_at != f"/{paths.DOCS}"
        self._found: list[Diagnostic] = []

    def page(self, page: SitePage) -> SitePage:
        """The page at its place."""
        if not self._moves and not self._slugs:
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
            one
            for one in said
            if one.code != "frontmatter-unknown-key" or not one.message.startswith(_UNUSED)
        )
        return (*rest, *self._found)

    def _place(self, page: SitePage) -> str:
        given = page.document.frontmatter.get(SLUG) if self._slugs else None
        if page.path == paths.NOT_FOUND or given in (None, ""):
            return paths.place_of(page.path, self._docs_at)
        try:
            if not isinstance(given, str):
                raise InvalidPath("expected text", path=page.path)
            place = paths.place_of(page.path, self._docs_at, given)
            if paths.is_taken(place):
                raise InvalidPath("the site itself answers there", path=page.path)
        except InvalidPath as error:
            message = f"`slug`: {error.message}"
            hint = error.hint or "write `slug: name`, or `slug: /folder/name`"
            self._found.append(Diagnostic(page.file, 1, 1, "frontmatter-type", message, hint))
            return paths.place_of(page.path, self._docs_at)
        return place
