"""Pages as bytes and back: only values come back, of the very types that went in."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from builder.cache.fingerprint import fingerprint
from builder.code.rendered_fence import Fence
from builder.diagnostics import Diagnostic
from builder.diagrams import Diagram
from builder.frontmatter import TextMark
from builder.markdown.commonmark.toc import TocEntry
from builder.markdown.page import Body, OutgoingLink, UpdateEntry
from builder.render import Asked, CachedPage, KnownPage, PageContent, TwinLinks, packed_anchors
from builder.search import Index, Part
from builder.site import Configured, Read
from builder.store import FileState, KnownCategory
from builder.unicode import bytes_of


class Facts(Struct, frozen=True, gc=False, omit_defaults=True):
    """The part of a page's record that every build reads, for every page."""

    asked: Asked
    ids: frozenset[str]
    links: tuple[OutgoingLink, ...]
    diagnostics: tuple[Diagnostic, ...]
    twin_links: TwinLinks | None
    files: tuple[str, ...] = ()
    """The output paths of what the page brings beside its own files."""
    twin_size: int = 0
    """Bytes of the twin without the white space around it."""


class CachedText(Struct, frozen=True):
    """The parts that a page's frame is put around; and its code, with the engine that made it, for edits."""

    html: str
    heading: str | None
    toc: tuple[TocEntry, ...]
    engine: bytes = b""
    code: Mapping[bytes, Fence] = {}
    diagrams: Mapping[bytes, Diagram] = {}
    updates: tuple[UpdateEntry, ...] = ()


class KeptSource(Struct, frozen=True, gc=False):
    """A page's source as the engine `engine` read it, when its files were in these states.

    `text` is the mark of its text, which is kept for itself.
    """

    engine: bytes
    states: tuple[FileState, ...]
    read: Read
    text: TextMark | None = None


class KeptConfig(Struct, frozen=True):
    """Settings as the engine `engine` read them in `site.yml` and in category files, by file name."""

    engine: bytes
    config: Configured | None
    categories: dict[str, KnownCategory]


class KeptBuild(Struct, frozen=True):
    """The end of a build by the engine `engine`: a digest of all `inputs`, and what it has told.

    Without `inputs` there are too many of them to look at all. `written` is a digest of the record of the
    output that was kept with it: it is of no use for another build's.
    """

    engine: bytes
    inputs: bytes
    diagnostics: tuple[Diagnostic, ...]
    pages: int
    files: int
    written: bytes = b""


SOURCE = msgspec.msgpack.Decoder(KeptSource)
CONFIG = msgspec.msgpack.Decoder(KeptConfig)
FACTS = msgspec.msgpack.Decoder(Facts)
TEXT = msgspec.msgpack.Decoder(CachedText)
BUILD = msgspec.msgpack.Decoder(KeptBuild)
FAULTS = msgspec.msgpack.Decoder(tuple[bytes, bytes, tuple[Diagnostic, ...]])
PART_KEYS = msgspec.msgpack.Decoder(dict[str, tuple[bytes, bytes]])
KEPT_INDEX = msgspec.msgpack.Decoder(tuple[bytes, Index])
SEARCH: msgspec.msgpack.Decoder[Part | None] = msgspec.msgpack.Decoder(Part | None)


def pack(content: PageContent) -> CachedPage | None:
    """A page to be kept; None for one that cannot be, such as one with half of a surrogate pair."""
    if content.asked is None:
        return None
    try:
        return CachedPage(
            msgspec.msgpack.encode(facts_of(content)),
            msgspec.msgpack.encode(text_of(content)),
            content.twin.encode(),
            msgspec.msgpack.encode(content.search),
        )
    except UnicodeEncodeError:
        return None


def unpack(page: CachedPage, *, text: bool) -> PageContent:
    """The page again; with the `text` of its body when that is needed. Raises msgspec.MsgspecError."""
    facts = FACTS.decode(page.facts)
    return content_of(
        facts, TEXT.decode(page.body) if text else None, page.twin.decode(), SEARCH.decode(page.search)
    )


def is_whole(page: CachedPage) -> bool:
    """Return whether all values of a page can be read, and it has the files that it brings."""
    try:
        content = unpack(page, text=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    # Loaded here, as a build of which nothing is told needs no table with texts for authors.
    from builder.diagnostic_codes import CODES  # noqa: PLC0415

    knows = all(one.code in CODES for one in content.diagnostics)
    return knows and tuple(content.body.files()) == content.body.brought


def are_same(page: CachedPage, other: CachedPage) -> bool:
    """Return whether pages are the same to the last character; sets have no order.

    The site that they could have asked about may be another one.
    """
    try:
        return _values(page) == _values(other)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False


def _values(page: CachedPage) -> tuple[Facts, CachedText, bytes, Part | None]:
    facts = FACTS.decode(page.facts)
    facts = replace(facts, asked=replace(facts.asked, site=b""))
    return facts, TEXT.decode(page.body), page.twin, SEARCH.decode(page.search)


def facts_of(content: PageContent) -> Facts:
    """Return the facts of a page."""
    body = content.body
    asked = content.asked or Asked()
    told = content.diagnostics, content.twin_links
    return Facts(asked, body.ids, body.links, *told, body.brought, bytes_of(content.twin.strip()))


def known_of(facts: Facts) -> KnownPage:
    """Return what every build needs of a page. Raises UnicodeEncodeError for half of a surrogate pair."""
    asked, twin = facts.asked, facts.twin_links
    return KnownPage(
        asked.site if asked.is_alone else b"",
        asked.answers,
        facts.twin_size,
        facts.files,
        facts.diagnostics,
        packed_anchors(facts.ids, facts.links),
        (twin.file, packed_anchors(twin.ids, twin.links)) if twin else None,
    )


def text_of(content: PageContent) -> CachedText:
    """Return the parts that a page's frame is put around, and the page's code."""
    body = content.body
    engine = fingerprint() if body.code or body.diagrams else b""
    return CachedText(body.html, body.heading, body.toc, engine, body.code, body.diagrams, body.updates)


def content_of(facts: Facts, text: CachedText | None, twin: str, part: Part | None) -> PageContent:
    """The page again, as far as it is needed."""
    return PageContent(body(facts, text), twin, facts.diagnostics, facts.twin_links, part, facts.asked)


def body(facts: Facts, text: CachedText | None) -> Body:
    """The body again; without `text`, what is known of it beside its text."""
    shown = text or CachedText("", None, ())
    return Body(
        shown.html,
        "",
        shown.heading,
        shown.toc,
        facts.ids,
        facts.links,
        diagrams=shown.diagrams,
        brought=facts.files,
        updates=shown.updates,
    )
