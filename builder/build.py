"""The build, step by step: the door of this package, which knows no command."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from builder.cache import Cache
from builder.cache.verification import Verification
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.output import Output
from builder.plan.anchor_check import PageLinks, check_anchors
from builder.plan.copied_files import copy_files
from builder.plan.layout import reading_order
from builder.plan.options import Options
from builder.plan.prepare import Prepared, prepare
from builder.plan.site_files import excerpts_script, planned
from builder.produce.author_pages import AuthorPages, author_pages
from builder.produce.early_look import EarlyLook
from builder.produce.early_scan import EarlyScan
from builder.produce.last_build import LastBuild
from builder.produce.results import PageResults
from builder.produce.search_stream import SearchStream
from builder.produce.whole_site import write_whole_site
from builder.render import StandingPage
from builder.site import Site, listed_sources, site_of, with_pages
from builder.store import ContentStore
from builder.workers.executor import Executor, LocalExecutor
from builder.workers.parallel_reader import Reader
from builder.workers.processors import only_growing, processors

if TYPE_CHECKING:
    from builder.cache.shared_cache import SharedCache

Progress = Callable[[int, int], None]
"""Told the number of pages done and of all."""


class Result(Struct, frozen=True):
    """The outcome of a build: `diagnostics` sorted by place, numbers of pages and files, seconds.

    `verified` is the number of kept pages that were rendered anew and compared.
    """

    diagnostics: tuple[Diagnostic, ...]
    pages: int
    files: int
    seconds: float
    verified: int = 0


def _silent(done: int, total: int) -> None:
    """The progress of somebody who does not look."""


DEFAULTS = Options()


def build(
    root: Path,
    output: Output,
    options: Options = DEFAULTS,
    progress: Progress = _silent,
    shared_cache: SharedCache | None = None,
    *,
    executor: Executor | None = None,
) -> Result:
    """Build the site in the folder `root` into `output`; without an `executor` pages are rendered here.

    Content never stops a build: what is wrong with it is in the result's diagnostics. Raises ConfigError
    when the folder is no site, ThemeError when its own theme fails, OutputError when the output folder is
    unsafe, StorageError when the file system refuses.
    """
    started = time.perf_counter()
    with (
        ContentStore(root) as store,
        closing(Cache(root, options.cache, shared_cache)) as cache,
        closing(output),
        ExitStack() as begun,
    ):
        is_plain = shared_cache is None and not options.verify_cache
        last = begun.enter_context(closing(LastBuild(root, output, options, cache))) if is_plain else None
        kept = last.result() if last else None
        if kept is not None:
            return Result(kept.diagnostics, kept.pages, kept.files, time.perf_counter() - started)
        is_large = last is not None and last.is_large
        scan = begun.enter_context(closing(EarlyScan(store, is_large=is_large)))
        look = begun.enter_context(closing(EarlyLook(root, output, cache)))
        building = _Building(root, store, cache, output, options, shared_cache, scan, look, last)
        found = building.run(executor or LocalExecutor(options.jobs), progress)
        if last:
            last.keep(found.diagnostics, found.pages, found.files)
    return replace(found, seconds=time.perf_counter() - started)


class _Building(Struct, frozen=True):
    """A build that reads the site: something has changed, or nobody knows."""

    root: Path
    store: ContentStore
    cache: Cache
    output: Output
    options: Options
    shared_cache: SharedCache | None
    scan: EarlyScan
    look: EarlyLook
    last: LastBuild | None

    def run(self, executor: Executor, progress: Progress) -> Result:
        """Render and write what has to be, and tell all; without the seconds that it took."""
        site = self._load()
        with only_growing():
            prepared = prepare(self.root, self.store, site, self.options)
        self._begin(prepared)
        results = self._results(prepared)
        verification = Verification(self.options.verify_cache)
        layout = prepared.layout
        pages = author_pages(prepared.shared, self.cache, self.output, layout.home, verification)
        order = reading_order(layout)
        with closing(pages.rendered(order, executor)) as rendered:
            for number, (page, key) in enumerate(rendered, 1):
                if isinstance(page, StandingPage):
                    results.standing(page)
                else:
                    results.page(page, key, is_kept=page.path not in pages.unkept)
                progress(number, len(site.pages))
        found = [*site.diagnostics, *prepared.diagnostics, *self._finish(prepared, pages, results)]
        pages.send(order)
        found += [*self.cache.diagnostics, *verification.wrong, *results.diagnostics]
        found += self.shared_cache.diagnostics if self.shared_cache else ()
        files = results.files + len(layout.files)
        return Result(tuple(sorted(set(found))), len(site.pages), files, 0.0, len(verification.checked))

    def _load(self) -> Site:
        """Read the site."""
        options, shared_cache = self.options, self.shared_cache
        others_have_pages = shared_cache is not None and shared_cache.reads
        with only_growing():
            memory = self.cache.memory
        prefetch = Reader(options.jobs or processors(), loads=not others_have_pages)
        listed = listed_sources(self.store, plan=options.plan, url=options.url, memory=memory, scan=self.scan)
        self.look.begin()
        return site_of(with_pages(self.store, listed, memory, prefetch), drafts=options.drafts)

    def _begin(self, prepared: Prepared) -> None:
        """Have the output take files, and tell it what an earlier build has left there."""
        output = self.output
        output.begin(self.root, prepared.layout.outputs.union(planned(prepared.layout, prepared.shared)))
        self.look.finish()

    def _results(self, prepared: Prepared) -> PageResults:
        """Return what takes the pages."""
        layout, output, cache = prepared.layout, self.output, self.cache
        is_large = cache.keeps and output.folder is not None and cache.memory.packs
        script = excerpts_script(layout, prepared.shared.theme_folders)
        stream = SearchStream(output, layout, script, is_large=is_large)
        return PageResults(output, stream, layout.home, is_large=is_large)

    def _finish(self, prepared: Prepared, pages: AuthorPages, results: PageResults) -> list[Diagnostic]:
        """Write what is made of the whole site, copy files, and keep what the next build may take."""
        layout, cache, output = prepared.layout, self.cache, self.output
        site = layout.site
        packing = write_whole_site(layout, pages, results, self.options.jobs)
        with closing(packing) if packing else nullcontext():
            found = list(copy_files(self.store, layout.files, output, self.options))
            if self.last:
                self.last.look_again()
            found += self._anchor_faults(prepared.links, results)
            cache.keep_sources(page.path for page in (*site.pages, *site.drafts))
            if packing:
                packing.finish()
        output.finish()
        cache.keep_output(output.folder, output.ledger)
        return found

    def _anchor_faults(self, of_settings: PageLinks, results: PageResults) -> tuple[Diagnostic, ...]:
        """Check all links to places on pages, unless an earlier build has checked the same."""
        results.links.append(of_settings)
        links, twin_links = results.links, results.twin_links
        marks = links.digest, twin_links.digest
        key = digest(marks) if all(marks) else b""
        found = self.cache.anchor_faults(key)
        if found is None:
            found = tuple(check_anchors(links, twin_links))
            self.cache.keep_anchor_faults(key, found)
        return found
