"""The authors' pages of one build: those that are as an earlier build left them, and those that are rendered.

Four keys lead from a page to its files, each a digest of all that the next one depends on:

- the source key, of the page's files and of what every page is rendered with (`cache.keys.page_key`);
- the content key, of that and of the answers that the page got from the site: links, sizes of images;
- the shell key, of what stands around each page;
- the files key, of the last two and of the day on which the page was last changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from builder import paths
from builder.cache import Cache, keys
from builder.cache.entries import Facts, content_of
from builder.digests import digest
from builder.output import Output
from builder.plan.layout import Layout
from builder.render import PageContent, RenderedPage, Shared, are_same, site_digest
from builder.search import Part
from builder.site import SitePage
from builder.unicode import encoded
from builder.workers.page_job import Job
from builder.workers.processors import processes

if TYPE_CHECKING:
    from builder.workers.page_worker import Worker


class _Page(Struct):
    """A page, its source key (None when it has none), and what an earlier build has kept of it."""

    page: SitePage
    source_key: bytes | None
    facts: Facts | None
    is_there: bool = False


class Pages(Struct):
    """`home` is the page whose HTML is wanted for another place, too, when it is rendered."""

    shared: Shared
    cache: Cache
    output: Output
    home: SitePage | None = None
    _shell_key: bytes = b""
    _answers: dict[str, tuple[bytes | None, bytes]] = field(default_factory=dict)

    def rendered(self, pages: Sequence[SitePage], jobs: int | None) -> Iterator[tuple[RenderedPage, bytes]]:
        """Each page in order with its files key; without HTML when these are there already."""
        found = self._look_up(pages) if self.cache.is_open else [_Page(page, None, None) for page in pages]
        work = [self._job(each) for each in found if not each.is_there]
        results = self._render(work, jobs) if work else iter(())
        for each in found:
            page = _as_unchanged(each) if each.is_there else next(results)
            yield page, self._keep(each, page)

    def whole_key(self, layout: Layout) -> bytes:
        """The key of all that is made of the whole site; empty when there is none."""
        rows = [(path, *answers) for path, answers in self._answers.items()]
        if not self.cache.is_open or any(key is None for _, key, _ in rows):
            return b""
        # The home page has its date at `/`, too.
        return digest(self.around_key(layout), rows, self._day(layout.home))

    def around_key(self, layout: Layout) -> bytes:
        """The key of what is made of all pages but of no text of theirs; empty when there is none."""
        if not self.cache.is_open:
            return b""
        files = [file.output for file in layout.files]
        alone = [page.listing for page in layout.site.pages if not page.is_doc]
        return digest(self._shell_key, layout.site.config, self.shared.context.links.digest, files, alone)

    def html(self, page: SitePage) -> bytes:
        """The HTML of a page that was not rendered."""
        key, _ = self._answers[page.path]
        facts = self.cache.facts(page.path, key)
        content = self.cache.content(page.path, key, facts) if key and facts else None
        return self._worker().html(page, content or self._made_anew(page))

    def twins(self, pages: Sequence[SitePage]) -> Iterator[tuple[str, bytes]]:
        """Of pages that were not rendered the path and the twin."""
        kept = self.cache.twins(self._keys_of(pages))
        for page in pages:
            yield page.path, kept[page.path] if page.path in kept else encoded(self._made_anew(page).twin)

    def searches(self, pages: Sequence[SitePage]) -> Iterator[tuple[str, Part | None]]:
        """Of pages that were not rendered the path, and what they add to the search."""
        kept = self.cache.searches(self._keys_of(pages))
        for page in pages:
            yield page.path, kept[page.path] if page.path in kept else self._made_anew(page).search

    def content_key(self, path: str) -> bytes | None:
        """The content key of a page; empty when there is none.

        None for a page that no author wrote.
        """
        if path not in self._answers:
            return None
        key, answers = self._answers[path]
        return digest(key, answers) if key and answers else b""

    def _keys_of(self, pages: Iterable[SitePage]) -> dict[str, bytes]:
        keys = {page.path: self._answers[page.path][0] for page in pages}
        return {path: key for path, key in keys.items() if key}

    def _made_anew(self, page: SitePage) -> PageContent:
        """A page that is not kept any more: another build has put its own there, or it is damaged."""
        return self._worker().content(page)

    def _worker(self) -> Worker:
        # Loaded here: what renders is large, and a build with nothing to do is done before it would be there.
        from builder.workers.page_worker import Worker  # noqa: PLC0415

        return Worker(self.shared, self.output.writer)

    def _render(self, work: Sequence[Job], jobs: int | None) -> Iterator[RenderedPage]:
        worker = self._worker()
        number = min(len(work), processes(len(work), jobs))
        if number <= 1:
            return map(worker.do, work)
        from builder.workers.pool import render_all  # noqa: PLC0415

        return render_all(work, worker, number)

    def _look_up(self, pages: Sequence[SitePage]) -> list[_Page]:
        context = self.shared.context
        self.shared = replace(self.shared, context=replace(context, site_digest=site_digest(context)))
        context_key = keys.context_key(context)
        self._shell_key = keys.shell_key(self.shared, context_key)
        return [self._looked_up(page, keys.page_key(page, context_key)) for page in pages]

    def _looked_up(self, page: SitePage, source_key: bytes | None) -> _Page:
        facts = self.cache.facts(page.path, source_key)
        if facts is None or not self._are_right(facts):
            return _Page(page, source_key, None)
        files_key = self._files_key(page, source_key, facts.asked.answers)
        return _Page(page, source_key, facts, self._is_there(page, files_key))

    def _are_right(self, facts: Facts) -> bool:
        """Return whether the page would be told the same."""
        context = self.shared.context
        return facts.asked.site == context.site_digest or are_same(facts.asked, context)

    def _files_key(self, page: SitePage, source_key: bytes | None, answers: bytes) -> bytes:
        return digest(source_key, answers, self._shell_key, self._day(page))

    def _day(self, page: SitePage | None) -> str:
        """The day on which a page was last changed, where that is known."""
        return self.shared.updated.get(page.file, "") if page else ""

    def _is_there(self, page: SitePage, files_key: bytes) -> bool:
        return all(self.output.has(path, files_key) for path in paths.outputs(page.path))

    def _job(self, each: _Page) -> Job:
        """Return the job for a page: the frame alone, when the rest is kept."""
        page, key, facts = each.page, each.source_key, each.facts
        content = self.cache.content(page.path, key, facts) if facts and key else None
        whole = page is self.home
        if content is not None:
            return Job(page, content, whole)
        each.facts = None
        return Job(page, None, whole, self.cache.code(page.path))

    def _keep(self, each: _Page, page: RenderedPage) -> bytes:
        """Keep what was rendered; gives the page's files key."""
        asked = page.content.asked
        self._answers[each.page.path] = each.source_key if asked else None, asked.answers if asked else b""
        if each.source_key is None or asked is None:
            return b""
        if each.facts is None:
            self.cache.keep(page.path, each.source_key, page.content, page.packed)
        return self._files_key(each.page, each.source_key, asked.answers)


def _as_unchanged(each: _Page) -> RenderedPage:
    """A page whose files are there."""
    assert each.facts is not None  # noqa: S101 - that is how it was found out
    return RenderedPage(each.page.path, each.page.file, content_of(each.facts, None, "", None))
