"""Record what a page asks the site around it: the same answers and the same source make the same page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder.digests import digest
from builder.links.resolved import Kind, Resolved
from builder.links.suggestions import Effort
from builder.markdown.context import Context

Question = tuple[str, str, Kind]
"""A link or the address of an image, the content path of the page that it stands on, and which it is."""


class Asked(Struct, frozen=True, gc=False):
    """All questions of one page. `hints` tells that it asked for what is near to a broken link, too.

    `answers` is a digest of what it was told, `site` one of all that it could have been told then.
    """

    links: tuple[Question, ...] = ()
    sizes: tuple[str, ...] = ()
    hints: bool = False
    answers: bytes = b""
    site: bytes = b""


def site_digest(context: Context) -> bytes:
    """A digest of all answers that there are."""
    return digest(context.links.digest, sorted(context.sizes.items()))


def are_same(asked: Asked, context: Context) -> bool:
    """Return whether a page that asked so would be told the same in this context."""
    told = [context.links.resolve(*question) for question in asked.links]
    sizes = [context.sizes.get(name) for name in asked.sizes]
    return asked.answers == digest(told, sizes, context.links.digest if asked.hints else b"")


class Listener:
    """Answers one page for the context that it is asked beside, and remembers what it was asked for.

    It has nothing but what it remembers, so that no page can come to know anything else of the site.
    """

    def __init__(self, context: Context, site: bytes = b"") -> None:
        self._context = context
        self._site = site
        self._links: dict[Question, Resolved] = {}
        self._sizes: dict[str, tuple[int, int] | None] = {}
        self._hints = False

    @property
    def context(self) -> Context:
        """The context that the page is rendered with."""
        return replace(self._context, links=self, sizes=_Sizes(self._context.sizes, self._sizes))

    @property
    def digest(self) -> bytes:
        """The digest of all links."""
        self._hints = True
        return self._context.links.digest

    def resolve(self, href: str, from_path: str, kind: Kind = "link") -> Resolved:
        """Resolve a link, and take note of the answer."""
        found = self._links[href, from_path, kind] = self._context.links.resolve(href, from_path, kind)
        return found

    def hint(self, resolved: Resolved, effort: Effort) -> str:
        """The hint to a problem."""
        self._hints = self._hints or bool(resolved.missing)
        return self._context.links.hint(resolved, effort)

    def asked(self) -> Asked:
        """Return the questions asked until now."""
        near = self._context.links.digest if self._hints else b""
        answers = digest([*self._links.values()], [*self._sizes.values()], near)
        return Asked(tuple(self._links), tuple(self._sizes), self._hints, answers, self._site)


class _Sizes(Mapping[str, tuple[int, int]]):
    """The sizes of images, noting those that are asked for."""

    def __init__(
        self, sizes: Mapping[str, tuple[int, int]], asked: dict[str, tuple[int, int] | None]
    ) -> None:
        self._sizes = sizes
        self._asked = asked

    def __getitem__(self, name: str) -> tuple[int, int]:
        found = self._asked[name] = self._sizes.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        raise TypeError("a page asks for the sizes of its own images only")

    def __len__(self) -> int:
        return 1
