"""Texts of the pages' sources, made when they are first needed and kept for as long as they are right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from builder.cache import Cache, Use, keys
from builder.cache.entries import content_of
from builder.diagnostics import Diagnostic
from builder.markdown.context import Context
from builder.plan.anchor_check import PageLinks, links_of
from builder.preview.packed_content import PackedContent, compressed_row, spooled
from builder.preview.page_maker import Lost, Maker, TooLong
from builder.preview.page_spool import Spool
from builder.render import Asked, CachedPage, PageContent, are_same
from builder.render.render_page import given_up
from builder.search import Part
from builder.site import Memory, SitePage
from builder.store import ContentStore

FILES = 2_000
"""Files that pages bring, of those that are kept."""


class Around(Struct, frozen=True):
    """The surroundings of pages; `key` tells them from others, but for the answers that a page asks for."""

    context: Context
    key: bytes


_Linked = tuple[PageLinks, PageLinks | None]
_LINKED = msgspec.msgpack.Decoder(_Linked)


class PageText(Struct, frozen=True, gc=False):
    """The content of one page, and the surroundings that it was made with.

    `linked` are the links of the page and of its twin. On a large site they are bytes, the content is
    `packed` and on disk, `content` is None, and `asked` lacks the single links and images.
    """

    page: SitePage
    key: bytes
    asked: Asked | None
    diagnostics: tuple[Diagnostic, ...]
    linked: _Linked | bytes
    content: PageContent | None
    packed: PackedContent | None = None

    @property
    def made(self) -> PageContent:
        """The content."""
        found = self.packed.content() if self.packed else self.content
        assert found is not None  # noqa: S101 - there is one of the two
        return replace(found, asked=self.whole_asked) if self.asked else found

    @property
    def whole_asked(self) -> Asked | None:
        """All that the page has asked."""
        if self.packed is None or self.asked is None:
            return self.asked
        return replace(self.packed.facts().asked, site=self.asked.site)

    @property
    def links(self) -> PageLinks:
        """The links to be checked, and the page's own anchors."""
        return self._links[0]

    @property
    def twin_links(self) -> PageLinks | None:
        """The same of a twin that was written by hand."""
        return self._links[1]

    @property
    def _links(self) -> _Linked:
        return _LINKED.decode(self.linked) if isinstance(self.linked, bytes) else self.linked

    @property
    def twin(self) -> str:
        """The page's twin."""
        return self.packed.twin() if self.packed else self.made.twin

    @property
    def search(self) -> Part | None:
        """The part of the page in the search, if it has one."""
        return self.packed.search() if self.packed else self.made.search

    def confirmed(self, page: SitePage, around: Around) -> PageText:
        """The same, right for the site as it is now."""
        asked = self.asked and replace(self.asked, site=around.context.site_digest)
        return replace(self, page=page, key=around.key, asked=asked)


class Texts:
    """The pages of the site in `root`, made by `maker`, or taken from the cache where a build has kept them.

    A page that the maker gives up stays so until its source is another, or is saved again. `version` changes
    whenever a page's text does. `files` are those that pages bring, by output path, `included` those that any
    page has included. For one thread.
    """

    def __init__(self, root: Path, maker: Maker, use: Use) -> None:
        self.version = 0
        self._maker = maker
        self._cache = Cache(root, use)
        self._memory: Memory | None = None
        self.spool = Spool(root)
        self.files: dict[str, bytes] = {}
        self._known: dict[str, PageText] = {}
        self._given_up: set[str] = set()
        self.included: frozenset[str] = frozenset()

    @property
    def memory(self) -> Memory:
        """The sources as they were read."""
        return self._memory or self._cache.memory

    def go_on(self, memory: Memory, store: ContentStore) -> None:
        """Go on with what somebody else has read of the site in `store`, as if it had been read here."""
        memory.shelf, memory.store = self._cache, store
        self._memory = memory

    def known(self, path: str) -> PageText:
        """The page at a content path, as it was made last."""
        return self._known[path]

    def right(self, page: SitePage, around: Around) -> PageText | None:
        """Return the page's text, if it would be made the same again."""
        known = self._known.get(page.path)
        if known is None or known.key != around.key or (known.page is not page and known.page != page):
            return None
        asked = known.asked
        if asked is None:
            return None
        if asked.site == around.context.site_digest and asked.is_alone:
            return known
        whole = known.whole_asked
        if whole is None or not are_same(whole, around.context):
            return None
        if asked.site == around.context.site_digest:
            return known
        text = self._known[page.path] = known.confirmed(page, around)
        return text

    def made(self, page: SitePage, around: Around, *, is_new: bool = False) -> PageText:
        """The page, made anew when it is not known or not right any more. Raises Unfinished.

        For one that `is_new` it is not looked up what a build has kept.
        """
        known = self.right(page, around)
        if known is not None:
            return known
        made = (None if is_new else self._in_file(page, around)) or self._made(page, around)
        return self._keep(page, around, made)

    def at_hand(self, page: SitePage, around: Around) -> PageText | None:
        """The page, if it is known and right, or a build has kept it."""
        known = self.right(page, around)
        if known is not None:
            return known
        kept = self._in_file(page, around)
        return self._keep(page, around, kept) if kept else None

    def take(self, page: SitePage, around: Around, row: CachedPage) -> PageText | None:
        """Keep a page that was made elsewhere in these surroundings; None when it is not right any more."""
        packed = spooled(row, self.spool)
        facts = packed.facts()
        if not _is_right(facts.asked, around.context):
            return None
        content = packed.content() if facts.files else content_of(facts, None, "", None)
        return self._keep_as(page, around, content, packed)

    def try_again(self, paths: Iterable[str]) -> None:
        """Forget that these pages were given up: somebody has saved them, though it may be as they were."""
        for path in self._given_up.intersection(paths):
            self._given_up.remove(path)
            self._known.pop(path, None)

    def keep_only(self, paths: Collection[str]) -> None:
        """Forget all pages but those at `paths`."""
        for path in self._known.keys() - paths:
            del self._known[path]
        self._given_up.intersection_update(paths)

    def close(self) -> None:
        """Let the file of the cache go: what was of use in it has been taken."""
        self._cache.close()

    def keep_files(self, files: Mapping[str, bytes]) -> None:
        """Keep the last files that pages bring, by output path: a browser may yet ask for them."""
        self.files.update(files)
        for path in list(self.files)[: max(0, len(self.files) - FILES)]:
            del self.files[path]

    def _keep(self, page: SitePage, around: Around, made: PageContent) -> PageText:
        row = compressed_row(made) if self.memory.packs else None
        return self._keep_as(page, around, made, spooled(row, self.spool) if row else None)

    def _keep_as(
        self, page: SitePage, around: Around, made: PageContent, packed: PackedContent | None
    ) -> PageText:
        self.version += 1
        if made.body.brought:
            self.keep_files(made.body.files())
        if made.asked and made.asked.parts:
            self.included |= frozenset(made.asked.parts)
        linked: _Linked | bytes = links_of(page.file, page.path, made.body, made.twin_links)
        asked, content = made.asked, None if packed else made
        if packed:
            linked = msgspec.msgpack.encode(linked)
            asked = asked and replace(asked, links=(), sizes=())
        text = PageText(page, around.key, asked, made.diagnostics, linked, content, packed)
        self._known[page.path] = text
        return text

    def _made(self, page: SitePage, around: Around) -> PageContent:
        self._given_up.discard(page.path)
        try:
            made = self._maker.make(page, around.context, around.key)
            while made.asked and not _is_right(made.asked, around.context):
                # It was made aside, and what it had asked for is another by now.
                made = self._maker.make(page, around.context, around.key)
        except TooLong as error:
            message = f"rendering the page took longer than {error.seconds:g} s and was given up"
            found = Diagnostic(page.file, 0, 0, "budget-exceeded", message, "simplify it and save it")
        except Lost as error:
            hint = "see what ended it, and save the page again"
            found = Diagnostic(page.file, 0, 0, "internal-error", str(error), hint)
        else:
            return _confirmed(made, around)
        self._given_up.add(page.path)
        return given_up(page, around.context, found)

    def _in_file(self, page: SitePage, around: Around) -> PageContent | None:
        if not self._cache.is_open:
            return None
        key = keys.page_key(page, around.key)
        facts = self._cache.facts(page.path, key)
        if key is None or facts is None or not are_same(facts.asked, around.context):
            return None
        made = self._cache.content(page.path, key, facts)
        return made and _confirmed(made, around)


def _is_right(asked: Asked, context: Context) -> bool:
    """Return whether the page would be told the same in this context."""
    return (asked.site == context.site_digest and asked.is_alone) or are_same(asked, context)


def _confirmed(made: PageContent, around: Around) -> PageContent:
    """The page, right for the site as it is now."""
    asked = made.asked and replace(made.asked, site=around.context.site_digest)
    return replace(made, asked=asked)
