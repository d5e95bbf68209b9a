"""The site around a body, as far as rendering may know of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from builder.links.resolved import Links
from components.words import ENGLISH, Words


class Context(Struct, frozen=True):
    """The same for every page of a build, and picklable.

    `premium` tells whether the plan shows premium components, `embed_hosts` are the hosts that may be framed.
    `extras` are those of `site.yml`.
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
