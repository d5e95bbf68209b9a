"""A page as the whole site sees it: where it lies, what it is called, what its author wrote."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from builder import paths
from builder.digests import digest
from builder.frontmatter import Document, Meta
from builder.paths import Format


class SitePage(Struct, frozen=True):
    """One page, read and split but not yet rendered.

    `twin` is the hand-written twin or None, `twin_file` its file or "". `title` and `label` (the sidebar's)
    are plain text. `digest` is that of all the rest, empty when there can be none.
    `place` is where it lies when that is elsewhere than its path says, see `paths.place_of`;
    `left_out` says that a sidebar file names it not, `in_sidebar` that it names a standalone page.
    """

    path: str
    file: str
    format: Format
    document: Document
    twin: str | None
    title: str
    label: str
    twin_file: str = ""
    digest: bytes = b""
    place: str = ""
    left_out: bool = False
    in_sidebar: bool = False

    @property
    def meta(self) -> Meta:
        """The frontmatter's fields."""
        return self.document.meta

    @property
    def url(self) -> str:
        """The page's address from the site's root, without the base path."""
        return paths.url(self.path, self.place)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The output paths of its HTML, and of both places of its twin."""
        return paths.outputs(self.path, self.place)

    @property
    def twin_url(self) -> str:
        """The address of its twin, without the base path."""
        return paths.twin_url(self.path, self.place)

    @property
    def feed_url(self) -> str:
        """The address of its feed, without the base path."""
        return paths.feed_url(self.path, self.place)

    @property
    def folder(self) -> str:
        """The folder's path: `docs/guide` for `docs/guide/install`."""
        return self.path.rpartition("/")[0]

    @property
    def listing(self) -> tuple[str, str, str, Meta, str]:
        """All that other pages, and lists of pages, may say of this one.

        Keys of the cache, the preview and reviews go by it: while the listing and the file's name stay the
        same, whatever else the page says changes no other page.
        """
        meta = replace(self.meta, variables={}) if self.meta.variables else self.meta
        return self.path, self.title, self.label, meta, self.place

    @property
    def is_index(self) -> bool:
        """True if the page stands for its folder."""
        return self.path.endswith("/index")

    @property
    def is_listed(self) -> bool:
        """True if lists, the search and the sidebar may name the page."""
        return self.path != paths.NOT_FOUND and not self.meta.unlisted and not self.left_out

    @property
    def is_doc(self) -> bool:
        """True if the page belongs to the sidebar's tree."""
        return self.in_sidebar or self.path.startswith("docs/")


def with_digest(page: SitePage) -> SitePage:
    """The page with the digest of all that it has now."""
    plain = replace(page, digest=b"", document=page.document.unpacked())
    try:
        return replace(page, digest=digest(plain))
    except (OverflowError, UnicodeEncodeError):  # a number of more than 64 bits, half of a surrogate pair
        return replace(page, digest=b"")


_WORD_BREAKS = re.compile(r"[-_.]+")


def readable(path: str) -> str:
    """A name made readable: `docs/guide/quick-start` is called "Quick start", an index like its folder."""
    name = path.removesuffix("/index").rpartition("/")[2]
    words = _WORD_BREAKS.sub(" ", name).strip() or name
    return words[:1].upper() + words[1:]
