"""Give each page its content path, so that its old address stays: by its file, a slug, or a redirect.

A file keeps its name and folder, so that links by file and the history of git go on; only what no content
path can have is changed. Where the address that follows is not the old one, the page has a slug; where it
can have none (the address belongs to another page, or to the site itself), a redirect leads to it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping
from typing import Literal
from urllib.parse import quote, unquote

from msgspec import Struct, field

from builder import paths
from builder.errors import InvalidPath
from builder.importer.old_site import OldPage, OldSite
from builder.plan.addresses import key_of

_BAD = re.compile(r"[^\w.-]+")
_LEAD = re.compile(r"^[^\w]+|^_+")


class PlacedPage(Struct, frozen=True):
    """A page with its content path; `slug` where its address needs one, `url` where readers find it."""

    page: OldPage
    path: str
    slug: str = ""
    url: str = ""
    format: Literal["md", "mdx"] = "mdx"

    @property
    def file(self) -> str:
        """The file of the new site."""
        return f"{self.path}.{self.format}"


class PlacedSite(Struct, frozen=True):
    """All pages by their old file; `redirects` from old addresses to content paths.

    With `trailing_slash` the addresses of all pages end with a slash.
    """

    docs_at: str
    pages: Mapping[str, PlacedPage]
    redirects: Mapping[str, str] = field(default_factory=dict)
    trailing_slash: bool = False


def place(site: OldSite, plain: Container[str] = ()) -> PlacedSite:
    """Place all pages of a site; those whose files are `plain` stay markdown without tags.

    Deterministic: by the order of the pages.
    """
    places = _Places(str(site.settings.get("docs_at") or "/"), site.in_folders or _end_with_slash(site.pages))
    named = _named(site.pages)
    wanted = {key_of(unquote(page.address)): page.file for page in reversed(site.pages)}
    pages: dict[str, PlacedPage] = {}
    redirects: dict[str, str] = {}
    for page in site.pages:
        path, address = named[page.file], key_of(unquote(page.address))
        is_first = wanted.get(address) == page.file
        slug = places.slug(page, path) if is_first and not page.is_standalone else ""
        url = places.url(path, slug)
        if is_first and key_of(url) != address:
            redirects[page.address] = path
        pages[page.file] = PlacedPage(page, path, slug, url, "md" if page.file in plain else "mdx")
    return PlacedSite(places.docs_at, pages, redirects, places.in_folder)


def _end_with_slash(pages: Iterable[OldPage]) -> bool:
    """Return whether most addresses are those of folders, which plain hosts answer from an index alone."""
    ends = [page.address.endswith("/") for page in pages if page.address.strip("/")]
    return 2 * sum(ends) > len(ends)


class _Places(Struct, frozen=True):
    """The addresses that content paths give on the new site."""

    docs_at: str
    in_folder: bool

    def url(self, path: str, slug: str = "") -> str:
        """Return the address of a page. Raises InvalidPath for a slug that cannot be."""
        return paths.url(path, paths.place_of(path, self.docs_at, slug, in_folder=self.in_folder))

    def slug(self, page: OldPage, path: str) -> str:
        """Return the slug with which a page keeps its address, "" where it needs none or can have none."""
        old = unquote(page.address)
        try:
            url = self.url(path)
            if key_of(url) == key_of(old) and url.endswith("/") >= old.endswith("/"):
                return ""
            name = old.strip("/").removesuffix(".html")
            slug = f"/{name}/index" if name and old.endswith("/") else f"/{name or 'index'}"
            place = paths.place_of(path, self.docs_at, slug)
        except InvalidPath:
            return ""
        return "" if paths.is_taken(place) else slug


def _named(pages: Iterable[OldPage]) -> dict[str, str]:
    """Return the content path of each file; two that would have the same one are told apart by a number."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for page in pages:
        path = wanted = (
            f"{paths.PAGES}/{_segment(page.name)}" if page.is_standalone else content_path(page.name)
        )
        number = 1
        while paths.fold(path) in taken or _is_reserved(path):
            number += 1
            path = f"{wanted}-{number}"
        taken.add(paths.fold(path))
        found[page.file] = path
    return found


def _is_reserved(path: str) -> bool:
    try:
        paths.parse(path)
    except InvalidPath:
        return True
    return False


def content_path(name: str) -> str:
    """Return the content path nearest to a file's name without ending: `docs/guide/install`."""
    segments = [_segment(part) for part in name.split("/") if part.strip(". ")]
    if len(segments) > paths.MAX_DEPTH:
        segments = [*segments[: paths.MAX_DEPTH - 1], "-".join(segments[paths.MAX_DEPTH - 1 :])]
    return "/".join(
        (
            paths.DOCS,
            *(
                segment[: paths.MAX_BYTES // 4] if len(segment.encode()) > paths.MAX_BYTES else segment
                for segment in segments or ["index"]
            ),
        )
    )


def _segment(part: str) -> str:
    """Return a name that a content path can have, the same where it is one."""
    text = unicodedata.normalize("NFC", part)
    try:
        return paths.parse(f"{paths.DOCS}/{text}").removeprefix(f"{paths.DOCS}/")
    except InvalidPath:
        pass  # made into one below
    text = _LEAD.sub("", _BAD.sub("-", unicodedata.normalize("NFKC", text))).strip("-. ")
    for ending in paths.ENDINGS:
        if text.casefold().endswith(ending):
            text = f"{text[: -len(ending)]}-{ending[1:]}"
    try:
        return paths.parse(f"{paths.DOCS}/{text}").removeprefix(f"{paths.DOCS}/")
    except InvalidPath:
        return (
            f"page-{text}"
            if _works(f"page-{text}")
            else f"page-{quote(part, safe='').replace('%', '').lower()[:40]}"
        )


def _works(text: str) -> bool:
    return not _is_reserved(f"{paths.DOCS}/{text}")
