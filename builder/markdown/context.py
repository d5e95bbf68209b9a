"""The site around a body, as far as rendering may know of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct, field

from builder.lazy_regex import lazy
from builder.links.resolved import Links
from builder.schema.kinds import NAME
from builder.store.part_files import PartFile, PartFiles
from components.words import ENGLISH, Words

INCLUDING = frozenset({"includes", "components"})
"""Extras with which pages include files."""
DEEPEST_PART = 8
"""Parts and components within each other."""
VARIABLE = lazy(rf"%\{{({NAME})\}}")


class PageParts(Protocol):
    """The files that pages include, and the variables of the site."""

    def read(self, file: str) -> PartFile:
        """Return a file by its way from the site's folder."""

    def variables(self, path: str) -> Mapping[str, str]:
        """The variables that the page at a content path has from the site and from its folders."""


class SiteParts(Struct, frozen=True):
    """The parts of a site: its `files`, and the variables of `site.yml` ("") and of folders, by path."""

    files: PartFiles | None = None
    scopes: Mapping[str, Mapping[str, str]] = {}

    def read(self, file: str) -> PartFile:
        """Return a file by its way from the site's folder."""
        return self.files.read(file) if self.files else PartFile("", "nothing can be included here")

    def variables(self, path: str) -> Mapping[str, str]:
        """The variables of the site and of each folder of the page; the nearest counts."""
        if not self.scopes:
            return {}
        names = path.split("/")
        folders = ("", *("/".join(names[:end]) for end in range(1, len(names))))
        return {name: value for folder in folders for name, value in self.scopes.get(folder, {}).items()}


class Context(Struct, frozen=True):
    """The same for every page of a build, and picklable.

    `premium` tells whether the plan shows premium components, `embed_hosts` are the hosts that may be framed.
    `extras` are those of `site.yml`, `parts` are what pages may include.
    `words` are those of the site's language.
    `site_digest` tells all that `links` and `sizes` may answer from other answers, where that is known.
    `sizes` gives width and height of the site's own images, by output path; they change nothing but the HTML.
    `base` is the base path ("" or "/repo"), `origin` the site's scheme and host, or "" when it is not known.
    """

    premium: bool
    embed_hosts: tuple[str, ...]
    links: Links
    base: str = ""
    origin: str = ""
    words: Words = ENGLISH
    site_digest: bytes = b""
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    extras: frozenset[str] = frozenset()
    parts: PageParts = SiteParts()
