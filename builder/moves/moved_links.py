"""Links to pages and files that move: where each is to lead, and how it is written in the form that it has.

What is relative stays relative, a page that is named by its file, its content path or its address is named
so again, and query and fragment stay as they are.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, unquote

from msgspec import Struct, field

from builder.links import urls
from builder.links.resolved import Kind, Resolved
from builder.links.table import LinkTable
from builder.paths import PAGE_SUFFIXES, is_within
from builder.unicode import normal

_TAIL = re.compile(r"\?|(?<!&)#|&#0*35;")
_SUFFIXES = (*PAGE_SUFFIXES, ".html")
_INDEX = "/index"
_ODD = re.compile(r"[^\w./~-]")
"""What is written percent-encoded, so that it means nothing to any form of text."""

Place = tuple[str, str]
"""A page by its content path, or a file by its output path."""


class MovedPlace(Struct, frozen=True):
    """A page, or a file without a content path, by all that a link may call it: from the site's root."""

    path: str
    file: str
    url: str


class Moves(Struct, frozen=True):
    """Both tables of links, and what is elsewhere now: pages by content path, files by output path.

    `files` are names on disk, `folders` those of categories, and `arrived` has all by where it is now.
    """

    before: LinkTable
    now: LinkTable
    pages: Mapping[str, tuple[MovedPlace, MovedPlace]]
    outputs: Mapping[str, tuple[MovedPlace, MovedPlace]]
    files: Mapping[str, str]
    folders: Mapping[str, str] = {}
    arrived: dict[Place, tuple[MovedPlace, MovedPlace]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Know what has moved by where it is now."""
        self.arrived.update({("page", pair[1].path): pair for pair in self.pages.values()})
        self.arrived.update({("file", pair[1].url.strip("/")): pair for pair in self.outputs.values()})

    def wanted(self, address: str, base: str, kind: Kind) -> Place | None:
        """Return where a link is to lead, None where it has led nowhere in the site."""
        place = _place(self.before, self.before.resolve(address, base, kind))
        if place is None:
            return None
        sort, name = place
        moved = (self.pages if sort == "page" else self.outputs).get(name)
        if moved is None:
            return place
        return sort, moved[1].path if sort == "page" else moved[1].url.strip("/")

    def leads(self, address: str, base: str, kind: Kind) -> Place | None:
        """Return where a link leads now."""
        return _place(self.now, self.now.resolve(address, base, kind))

    def written(
        self, written: str, address: str, bases: tuple[str, str], kind: Kind, want: Place
    ) -> str | None:
        """Return a link anew that was seen from the first base and is from the second; None for none."""
        own, tail = _divided(written)
        head, asked = self._asked(_divided(address)[0], bases[0])
        if not own:
            return None
        is_relative = not head and not own.startswith("/")
        for place in self._names(asked, want, is_relative=is_relative):
            text = _relative(place, bases[1], own) if is_relative else f"{head}/{place}"
            text = _encoded(text, own, len(head))
            found = text + tail
            if self.leads(text, bases[1], kind) == want:
                return found
        return None

    def _asked(self, address: str, base: str) -> tuple[str, str]:
        """The part before the path (host, base path), and the decoded path from the site's root."""
        site = self.before.origin + self.before.base
        if urls.external(address):
            rest = urls.below(address, site) if self.before.origin else None
            return (site, _joined(rest, "")) if rest is not None else ("", "")
        place = _joined(address, base)
        root = self.before.base
        if root and address.startswith("/") and is_within(f"/{place}", root):
            return root, place[len(root) :].lstrip("/")
        return "", place

    def _names(self, asked: str, want: Place, *, is_relative: bool) -> Iterator[str]:
        """Yield the names that the target may be called by, the form of the old one first."""
        both = self.arrived.get(want)
        if both is None:  # the link moves, and not what it leads to
            yield asked
            return
        old, new = both
        yield from _page_names(asked, old, new) if want[0] == "page" else _file_names(asked, old, new)
        yield from (new.path, new.url[1:]) if is_relative else (new.url[1:], new.path)
        yield new.file


def _page_names(asked: str, old: MovedPlace, new: MovedPlace) -> Iterator[str]:
    slash = "/" if asked.endswith("/") else ""
    bare = asked.rstrip("/")
    suffix = next((each for each in _SUFFIXES if bare.endswith(each)), "")
    stem = bare.removesuffix(suffix)
    if suffix and stem == old.path:
        yield new.path + suffix
    if suffix and stem == old.url.strip("/"):
        yield new.url.strip("/") + suffix
    if old.url.endswith("/") and new.url.endswith("/") and not slash and not stem.endswith(_INDEX):
        yield new.url.strip("/")
    if stem == old.url.strip("/") and not suffix:
        yield new.url[1:]
    if stem == old.path and not suffix:
        yield new.path


def _file_names(asked: str, old: MovedPlace, new: MovedPlace) -> Iterator[str]:
    if asked == old.file:
        yield new.file
    if asked == old.url.strip("/"):
        yield new.url[1:]


def _place(table: LinkTable, resolved: Resolved) -> Place | None:
    if resolved.problem is not None:
        return None
    if resolved.path is not None:
        return "page", resolved.path
    href = urls.below(resolved.href, table.origin) if table.origin else None
    path = _divided(href or resolved.href)[0]
    if not path.startswith("/"):
        return None
    place = normal("NFC", unquote(path[len(table.base) :] if is_within(path, table.base) else path))
    return "file", place.strip("/")


def _divided(address: str) -> tuple[str, str]:
    """The path of an address, and its query and fragment as they are written."""
    found = _TAIL.search(address)
    at = found.start() if found else len(address)
    return address[:at], address[at:]


def _joined(address: str, base: str) -> str:
    """The decoded path from the site's root that an address names, seen from a content path."""
    whole = normal("NFC", unquote(address))
    folder = base.rpartition("/")[0]
    if not whole.startswith("/"):
        whole = f"/{'' if folder == 'pages' else folder}/{whole}"
    clean = posixpath.normpath(whole).lstrip("/")
    return f"{clean}/" if clean and whole.endswith("/") else clean


def _relative(place: str, base: str, own: str) -> str:
    folder = base.rpartition("/")[0]
    start = "" if folder == "pages" else folder
    text = posixpath.relpath(f"/{place}", f"/{start}")
    if text == ".":
        return "./"
    if own.startswith(".") and not text.startswith("."):
        text = f"./{text}"
    return f"{text}/" if place.endswith("/") else text


def _encoded(text: str, own: str, head: int) -> str:
    """The address as it may stand in a text; one that was encoded is so again."""
    begin, rest = text[:head], text[head:]
    if "%" in own:
        return begin + quote(rest, safe="/~")
    return begin + _ODD.sub(lambda found: quote(found[0], safe=""), rest)
