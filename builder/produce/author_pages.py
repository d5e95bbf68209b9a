"""The authors' pages of one build: those that are as an earlier build left them, and those that are rendered.

A page's source and the answers that it got from the site make its key; with what stands around it, that of
the files that are written for it.
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
    """A page, the key of its source (None when it has none), and what an earlier build has kept of it."""

    page: SitePage
    key: bytes | None
    facts: Facts | None
    is_there: bool = False


class Pages(Struct):
    """`home` is the page whose HTML is wanted for another place, too, when it is rendered."""

    shared: Shared
    cache: Cache
    output: Output
    home: SitePage | None = None
    _shell: bytes = b""
    _answers: dict[str, tuple[bytes | None, bytes]] = field(default_factory=dict)

    def rendered(self, pages: Sequence[SitePage], jobs: int | None) -> Iterator[tuple[RenderedPage, bytes]]:
        """Each page in order with the key of its files; without HTML when these are there already."""
        found = (
            list(self._found(pages)) if self.cache.is_open else [_Page(page, None, None) for page in pages]
        )
        work = [self._job(each) for each in found if not each.is_there]
        results = self._render(work, jobs) if work else iter(())
        for each in found:
            page = _as_unchanged(each) if each.is_there else next(results)
            yield page, self._keep(each, page)

    def whole(self, layout: Layout) -> bytes:
        """The key of all that is made of the whole site; empty when there is none."""
        rows = [(path, *answers) for path, answers in self._answers.items()]
        if not self.cache.is_open or any(key is None for _, key, _ in rows):
            return b""
        # The home page has its date at `/`, too.
        return digest(self.around(layout), rows, self._day(layout.home))

    def around(self, layout: Layout) -> bytes:
        """The key of what is made of all pages but of no text of theirs; empty when there is none."""
        if not self.cache.is_open:
            return b""
        files = [file.output for file in layout.files]
        alone = [page.listing for page in layout.site.pages if not page.is_doc]
        return digest(self._shell, layout.site.config, self.shared.context.links.digest, files, alone)

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

    def key(self, path: str) -> bytes | None:
        """The key of what a page's source gives, whatever stands around it; empty when there is none.

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

    def _found(self, pages: Sequence[SitePage]) -> Iterator[_Page]:
        around = self.shared.context
        self.shared = replace(self.shared, context=replace(around, site=site_digest(around)))
        context = keys.context_key(around)
        self._shell = keys.shell_key(self.shared, context)
        for page in pages:
            key = keys.page_key(page, context)
            facts = self.cache.facts(page.path, key)
            if facts is None or not self._are_right(facts):
                yield _Page(page, key, None)
                continue
            yield _Page(page, key, facts, self._is_there(page, self._files(page, key, facts.asked.answers)))

    def _are_right(self, facts: Facts) -> bool:
        """Whether the page would be told the same."""
        context = self.shared.context
        return facts.asked.site == context.site or are_same(facts.asked, context)

    def _files(self, page: SitePage, key: bytes | None, answers: bytes) -> bytes:
        """The key of a page's files."""
        return digest(key, answers, self._shell, self._day(page))

    def _day(self, page: SitePage | None) -> str:
        """The day on which a page was last changed, where that is known."""
        return self.shared.updated.get(page.file, "") if page else ""

    def _is_there(self, page: SitePage, key: bytes) -> bool:
        return all(self.output.has(path, key) for path in paths.outputs(page.path))

    def _job(self, each: _Page) -> Job:
        """What is to be done: the frame alone, when the rest is kept."""
        page, key, facts = each.page, each.key, each.facts
        content = self.cache.content(page.path, key, facts) if facts and key else None
        whole = page is self.home
        if content is not None:
            return Job(page, content, whole)
        each.facts = None
        return Job(page, None, whole, self.cache.code(page.path))

    def _keep(self, each: _Page, page: RenderedPage) -> bytes:
        """Keep what was rendered; gives the key of the page's files."""
        asked = page.content.asked
        self._answers[each.page.path] = each.key if asked else None, asked.answers if asked else b""
        if each.key is None or asked is None:
            return b""
        if each.facts is None:
            self.cache.keep(page.path, each.key, page.content, page.packed)
        return self._files(each.page, each.key, asked.answers)


def _as_unchanged(each: _Page) -> RenderedPage:
    """A page whose files are there."""
    assert each.facts is not None  # noqa: S101 - that is how it was found out
    return RenderedPage(each.page.path, each.page.file, content_of(each.facts, None, "", None))
