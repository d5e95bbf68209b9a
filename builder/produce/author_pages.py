"""The authors' pages of one build: those that are as an earlier build left them, and those that are rendered.

Four keys lead from a page to its files, each a digest of all that the next one depends on:

- the source key, of the page's files and of what every page is rendered with (`cache.keys.page_key`);
- the content key, of that and of the answers that the page got from the site: links, sizes of images;
- the shell key, of what stands around each page;
- the files key, of the last two and of the day on which the page was last changed.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from builder.cache import Cache, EarlierPage, keys, pack
from builder.cache.entries import Facts
from builder.cache.verification import NOTHING, Verification
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.markdown.page import UpdateEntry
from builder.output import Output
from builder.plan.layout import Layout
from builder.produce.results import brought_key
from builder.produce.shared_pages import HtmlFile, PlacedPages, send_pages
from builder.render import (
    KnownPage,
    PageContent,
    RenderedPage,
    Shared,
    StandingPage,
    are_same,
    site_digest,
)
from builder.search import MOST_CHANGED, Part
from builder.site import SitePage
from builder.unicode import bytes_of, encoded
from builder.workers.executor import Executor
from builder.workers.page_job import Job, Jobs

if TYPE_CHECKING:
    from builder.workers.page_worker import Worker


_OF_MACHINES = {"internal-error", "budget-exceeded"}
"""Codes of faults for which a machine may be the reason that is slow, or has no memory left."""


class PageKeys(NamedTuple):
    """The source key of a page, None when it has none, and the digest of the answers that it got."""

    source: bytes | None
    answers: bytes

    @property
    def content(self) -> bytes:
        """The content key; empty when there is none."""
        return digest(self.source, self.answers) if self.source and self.answers else b""


class _Lookup(Struct, frozen=True):
    """A page and its source key, and what is `known` of it when that still holds.

    `is_there` says that the page's files are as they would be written now.
    """

    page: SitePage
    source_key: bytes | None = None
    known: KnownPage | None = None
    is_there: bool = False


def author_pages(
    shared: Shared,
    cache: Cache,
    output: Output,
    home: SitePage | None = None,
    verification: Verification = NOTHING,
) -> AuthorPages:
    """Return the authors' pages, as they are rendered with `shared` and looked for in the cache."""
    placed = PlacedPages(output, shared.pointer, is_verifying=verification.share > 0)
    if not cache.is_open:
        return AuthorPages(shared, cache, output, placed, home)
    context = replace(shared.context, site_digest=site_digest(shared.context))
    shared, context_key = replace(shared, context=context), keys.context_key(context)
    shell_key = keys.shell_key(shared, context_key)
    return AuthorPages(shared, cache, output, placed, home, context_key, shell_key, verification)


class AuthorPages(Struct, frozen=True):
    """`home` is the page whose HTML is wanted for another place, too, when it is rendered.

    `placed` are the pages that another machine has made, to the last byte. `verification` is told of kept
    pages that are rendered anew. `page_keys` are those of the pages that `rendered` has given, by content
    path, `content_keys` those of them that were asked for, `twin_sizes` the bytes of their twins without the
    white space around them. `unkept` are pages that the cache cannot have, `of_this_machine` those that
    another machine could have made otherwise. `anew` are pages whose content is being rendered, `earlier`
    what some of them were before. `fresh_updates` are the entries of those that have a feed and were not
    there.
    """

    shared: Shared
    cache: Cache
    output: Output
    placed: PlacedPages
    home: SitePage | None = None
    context_key: bytes = b""
    shell_key: bytes = b""
    verification: Verification = NOTHING
    page_keys: dict[str, PageKeys] = field(default_factory=dict)
    content_keys: dict[str, bytes] = field(default_factory=dict)
    twin_sizes: dict[str, int] = field(default_factory=dict)
    unkept: set[str] = field(default_factory=set)
    anew: set[str] = field(default_factory=set)
    earlier: dict[str, EarlierPage] = field(default_factory=dict)
    of_this_machine: set[str] = field(default_factory=set)
    fresh_updates: dict[str, Sequence[UpdateEntry]] = field(default_factory=dict)

    def rendered(
        self, pages: Sequence[SitePage], executor: Executor
    ) -> Generator[tuple[RenderedPage | StandingPage, bytes], None, None]:
        """Each page in order with its files key; without HTML when these are there already."""
        found = self._looked_up(pages)
        verified = self.verification.choose(each.page.path for each in found if each.known)
        todo = [each for each in found if not each.is_there or each.page.path in verified]
        results = self._render(todo, verified, executor)
        for each in found:
            if each.known and each.is_there and each.page.path not in verified:
                yield self._standing(each, each.known)
            else:
                page = next(results)
                yield page, self._taken(each, page, is_verified=page.path in verified)

    def _standing(self, each: _Lookup, known: KnownPage) -> tuple[RenderedPage | StandingPage, bytes]:
        """A page whose files are there: an earlier build has left them, or another machine has made them."""
        page, page_keys = each.page, PageKeys(each.source_key, known.answers)
        self._note(page, page_keys, known.diagnostics, known.twin_size)
        if page.path not in self.placed.found:
            return StandingPage(page.path, page.file, known), b""
        return self._placed(each), self._files_key(page, page_keys)

    def _placed(self, each: _Lookup) -> RenderedPage:
        """A page whose files another machine has made."""
        page, facts = each.page, self.cache.facts(each.page.path, each.source_key)
        content = self.cache.told(page.path, each.source_key or b"", facts) if facts else None
        return self.placed.rendered(page, content or self._content_anew(page))

    def _taken(self, each: _Lookup, page: RenderedPage, *, is_verified: bool) -> bytes:
        """Take note of a page that was rendered, and keep it; gives its files key."""
        asked, content = page.content.asked, page.content
        page_keys = PageKeys(each.source_key if asked else None, asked.answers if asked else b"")
        if page.path in self.shared.feeds:
            self.fresh_updates[page.path] = content.body.updates
        self._note(each.page, page_keys, content.diagnostics, bytes_of(content.twin.strip()))
        if page_keys.source and is_verified:
            self._verify(each, page)
        if page.path in self.anew:
            self.anew.remove(page.path)
            self._keep(page, page_keys.source)
        return self._files_key(each.page, page_keys)

    def send(self, pages: Sequence[SitePage]) -> None:
        """Send to the cache that machines share what it lacks of all pages, which were rendered."""
        if self.cache.shared is not None and self.output.keeps:
            source_keys = self._source_keys(self.page_keys.keys() - self.of_this_machine)
            html = {page.path: self._html_file(page) for page in pages}
            send_pages(self.cache, self.output, source_keys, html)

    def _html_file(self, page: SitePage) -> HtmlFile:
        return HtmlFile(page.outputs[0], self._files_key(page, self.page_keys[page.path]))

    def _keep(self, page: RenderedPage, source_key: bytes | None) -> None:
        if not self.cache.keep(page.path, source_key, page.content, page.packed):
            self.unkept.add(page.path)

    def whole_key(self, layout: Layout) -> bytes:
        """The key of all that is made of the whole site; empty when there is none."""
        if not self.cache.is_open or any(each.source is None for each in self.page_keys.values()):
            return b""
        rows = [(path, *each) for path, each in self.page_keys.items()]
        # The home page has its date at `/`, too.
        return digest(self.around_key(layout), rows, self._day(layout.home))

    def around_key(self, layout: Layout) -> bytes:
        """The key of what is made of all pages but of no text of theirs; empty when there is none."""
        if not self.cache.is_open:
            return b""
        files = [file.output for file in layout.files]
        alone = [page.listing for page in layout.site.pages if not page.is_doc]
        known = (self.shell_key, layout.site.config, self.shared.context.links.digest, files, alone)
        if not layout.site.config.sidebar:
            return digest(*known)
        return digest(*known, keys.folders_key(category for category, _ in layout.generated))

    def html(self, page: SitePage) -> bytes:
        """The HTML of a page that was not rendered."""
        return self._worker().html(page, self._content(page))

    def updates(self, page: SitePage) -> Sequence[UpdateEntry]:
        """The entries of the changelog of a page with a feed."""
        fresh = self.fresh_updates.get(page.path)
        return self._content(page).body.updates if fresh is None else fresh

    def twins(self, pages: Sequence[SitePage]) -> Iterator[tuple[str, bytes]]:
        """Of pages that were not rendered the path and the twin."""
        kept = self.cache.twins(self._source_keys(page.path for page in pages))
        for page in pages:
            yield page.path, kept[page.path] if page.path in kept else encoded(self._content_anew(page).twin)

    def searches(self, pages: Sequence[SitePage]) -> Iterator[tuple[str, Part | None]]:
        """Of pages that were not rendered the path, and what they add to the search."""
        kept = self.cache.searches(self._source_keys(page.path for page in pages))
        for page in pages:
            yield page.path, kept[page.path] if page.path in kept else self._content_anew(page).search

    def twin(self, page: SitePage) -> bytes:
        """The twin of a page, when it is not worth having those of all pages here."""
        key = self.page_keys[page.path].source
        kept = self.cache.twin(page.path, key) if key else None
        return encoded(self._content_anew(page).twin) if kept is None else kept

    def search(self, page: SitePage) -> Part | None:
        """The part of a page in the search, likewise; None when it has none."""
        key = self.page_keys[page.path].source
        kept = self.cache.search(page.path, key) if key else None
        return self._content_anew(page).search if kept is None else kept[0]

    def content_key(self, path: str) -> bytes | None:
        """The content key of a page; empty when there is none.

        None for a page that no author wrote.
        """
        known = self.content_keys.get(path)
        if known is None and path in self.page_keys:
            known = self.content_keys[path] = self.page_keys[path].content
        return known

    def _source_keys(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The source key of each of those pages that has one."""
        found = {path: self.page_keys[path].source for path in paths}
        return {path: key for path, key in found.items() if key}

    def _content(self, page: SitePage) -> PageContent:
        """The content of a page that was not rendered."""
        key = self.page_keys[page.path].source
        facts = self.cache.facts(page.path, key)
        content = self.cache.content(page.path, key, facts) if key and facts else None
        return content or self._content_anew(page)

    def _content_anew(self, page: SitePage) -> PageContent:
        """Render a page that is not kept any more: another build has put its own there, or it is damaged."""
        return self._worker().content(page)

    def _worker(self) -> Worker:
        # Loaded here: what renders is large, and a build with nothing to do is done before it would be there.
        from builder.workers.page_worker import Worker  # noqa: PLC0415

        return Worker(self.shared, self.output.writer)

    def _render(
        self, todo: Sequence[_Lookup], verified: Container[str], executor: Executor
    ) -> Iterator[RenderedPage]:
        def job(number: int) -> Job:
            each = todo[number]
            return self._job(each, is_verified=each.page.path in verified)

        return executor.render(Jobs(len(todo), job), self._worker()) if todo else iter(())

    def _looked_up(self, pages: Sequence[SitePage]) -> Sequence[_Lookup]:
        """Each page with what is known of it, here or in the cache that machines share."""
        known = pages if self.cache.is_open else ()
        source_keys = {page.path: keys.page_key(page, self.context_key) for page in known}
        if self.cache.shared is not None:
            self._fetch({page.path: page for page in pages}, source_keys)
        if not self.cache.is_open:
            return [_Lookup(page) for page in pages]
        found = [self._look_up(page, source_keys[page.path]) for page in pages]
        if self.cache.shared is not None:
            self.cache.shared.note_used(each.page.path for each in found if each.known)
        return found

    def _fetch(self, pages: Mapping[str, SitePage], source_keys: Mapping[str, bytes | None]) -> None:
        """Take pages from the cache that machines share, and write those that are right to the last byte."""
        for path, shared, facts in self.cache.fetch(source_keys):
            page = pages[path]
            if shared.html and self._are_right(facts):
                files_key = self._files_key(page, PageKeys(shared.key, facts.asked.answers))
                if files_key == shared.files_key:
                    self.placed.place(page, facts, shared, whole=page is self.home)

    def _look_up(self, page: SitePage, source_key: bytes | None) -> _Lookup:
        known = self.cache.known(page.path, source_key)
        is_same = known is not None and known.site == self.shared.context.site_digest
        if known is None or not (is_same or self._right_facts(page, source_key)):
            return _Lookup(page, source_key)
        if page.path in self.placed.found:
            return _Lookup(page, source_key, known, is_there=True)
        files_key = self._files_key(page, PageKeys(source_key, known.answers))
        return _Lookup(page, source_key, known, self._is_there(page, files_key, known.brought))

    def _right_facts(self, page: SitePage, source_key: bytes | None) -> Facts | None:
        """Return what is kept of a page, unless the page would be told something else by now."""
        facts = self.cache.facts(page.path, source_key)
        return facts if facts and self._are_right(facts) else None

    def _are_right(self, facts: Facts) -> bool:
        """Return whether the page would be told the same."""
        context = self.shared.context
        asked = facts.asked
        return (asked.site == context.site_digest and asked.is_alone) or are_same(asked, context)

    def _files_key(self, page: SitePage, page_keys: PageKeys) -> bytes:
        """The files key; empty for a page without a source key."""
        return digest(*page_keys, self.shell_key, self._day(page)) if page_keys.source else b""

    def _day(self, page: SitePage | None) -> str:
        """The day on which a page was last changed, where that is known."""
        return self.shared.updated.get(page.file, "") if page else ""

    def _is_there(self, page: SitePage, files_key: bytes, brought: Iterable[str]) -> bool:
        own = self.output.has_all(page.outputs, files_key)
        return own and all(self.output.has_all((path,), brought_key(path)) for path in brought)

    def _job(self, each: _Lookup, *, is_verified: bool) -> Job:
        """Return the job for a page: the frame alone, when its content is kept.

        One that is verified is rendered whatever is kept of it; its HTML is compared, too.
        """
        page, whole, content = each.page, each.page is self.home, None
        if each.known and each.source_key and not is_verified:
            facts = self.cache.facts(page.path, each.source_key)
            content = self.cache.content(page.path, each.source_key, facts) if facts else None
        if content is not None:
            framed = replace(page, document=page.document.without_text())
            return Job(framed, content, whole)
        self.anew.add(page.path)
        self._note_earlier(page.path)
        code = () if is_verified else self.cache.code(page.path)
        return Job(page, None, whole or is_verified, *code)

    def _note_earlier(self, path: str) -> None:
        """Hold what an edited page was before, unless there are many of them."""
        kept = self.cache.earlier(path) if len(self.earlier) < MOST_CHANGED else None
        if kept:
            self.earlier[path] = kept

    def _verify(self, each: _Lookup, page: RenderedPage) -> None:
        """Hold a page that was rendered anew against what is kept of it."""
        kept = self.cache.row(page.path, each.source_key) if each.source_key else None
        fresh = page.packed or pack(page.content)
        is_right = self.verification.check(
            page.file, kept, fresh, has_html=self.placed.has_html(page.path, page)
        )
        if not is_right and self.cache.shared is not None:
            self.cache.shared.distrust([page.path])

    def _note(
        self, page: SitePage, page_keys: PageKeys, diagnostics: Sequence[Diagnostic], twin_size: int
    ) -> None:
        """Take note of a page's keys, and of what machines may have to do with it."""
        self.page_keys[page.path] = page_keys
        if diagnostics and any(one.code in _OF_MACHINES for one in diagnostics):
            self.of_this_machine.add(page.path)
        self.twin_sizes[page.path] = twin_size
