"""Record what a page asks the site around it: the same answers and the same source make the same page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.digests import digest
from builder.links.resolved import Kind, Resolved
from builder.links.suggestions import Effort
from builder.markdown.context import Context, PageParts
from builder.store.part_files import PartFile

Question = tuple[str, str, Kind]
"""A link or the address of an image, the content path of the page that it stands on, and which it is."""


class Asked(Struct, frozen=True, gc=False):
    """All questions of one page. `hints` tells that it asked for what is near to a broken link, too.

    `parts` are the files that it includes, `variables` tells that it asked for variables from around it.
    `answers` is a digest of what it was told, `site` one of all that it could have been told then, but for
    parts.
    """

    links: tuple[Question, ...] = ()
    sizes: tuple[str, ...] = ()
    hints: bool = False
    answers: bytes = b""
    site: bytes = b""
    parts: tuple[str, ...] = ()
    variables: str = ""

    @property
    def is_alone(self) -> bool:
        """True if nothing that `site` does not tell has an answer for the page."""
        return not self.parts and not self.variables


def site_digest(context: Context) -> bytes:
    """A digest of all answers that there are."""
    return digest(context.links.digest, sorted(context.sizes.items()))


def are_same(asked: Asked, context: Context) -> bool:
    """Return whether a page that asked so would be told the same in this context."""
    told = [context.links.resolve(*question) for question in asked.links]
    sizes = [context.sizes.get(name) for name in asked.sizes]
    parts = [_part(context.parts.read(name)) for name in asked.parts]
    variables = [dict(context.parts.variables(asked.variables))] if asked.variables else []
    near = context.links.digest if asked.hints else b""
    return asked.answers == digest(told, sizes, near, *_more(parts, variables))


def _part(found: PartFile) -> bytes:
    try:
        return digest(found.text, found.problem, found.near, *found.found)
    except UnicodeEncodeError:  # half of a surrogate pair: never the same
        return b""


def _more(parts: Sequence[object], variables: Sequence[object]) -> list[object]:
    """The answers of pages that include something; others have the digests that they ever had."""
    return [parts, variables] if parts or variables else []


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
        self._parts = _Parts(context.parts)

    @property
    def context(self) -> Context:
        """The context that the page is rendered with."""
        return replace(
            self._context, links=self, sizes=_Sizes(self._context.sizes, self._sizes), parts=self._parts
        )

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
        parts = self._parts
        more = _more([*parts.read_files.values()], [*parts.asked.values()])
        answers = digest([*self._links.values()], [*self._sizes.values()], near, *more)
        return Asked(
            tuple(self._links),
            tuple(self._sizes),
            self._hints,
            answers,
            self._site,
            tuple(parts.read_files),
            next(iter(parts.asked), ""),
        )


class _Parts:
    """The parts of the site, noting those that are asked for."""

    def __init__(self, parts: PageParts) -> None:
        self._inner = parts
        self.read_files: dict[str, bytes] = {}
        self.asked: dict[str, dict[str, str]] = {}

    def read(self, file: str) -> PartFile:
        """Return a file, and take note of it."""
        found = self._inner.read(file)
        self.read_files[file] = _part(found)
        return found

    def variables(self, path: str) -> Mapping[str, str]:
        """Return variables, and take note of them."""
        found = self.asked[path] = dict(self._inner.variables(path))
        return found


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
