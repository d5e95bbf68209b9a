"""The build, step by step: the door of this package, which knows no command."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from builder.cache import Cache
from builder.cache.verification import Verification
from builder.diagnostics import Diagnostic
from builder.output import Output
from builder.plan.anchor_check import check_anchors
from builder.plan.copied_files import copy_files
from builder.plan.layout import reading_order
from builder.plan.options import Options
from builder.plan.prepare import Prepared, prepare
from builder.plan.site_files import excerpts_script, planned
from builder.produce.author_pages import author_pages
from builder.produce.results import PageResults
from builder.produce.search_stream import SearchStream
from builder.produce.whole_site import write_whole_site
from builder.site import load
from builder.store import ContentStore
from builder.workers.executor import Executor, LocalExecutor
from builder.workers.parallel_reader import Reader
from builder.workers.processors import processors

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
    ):
        prefetch = Reader(options.jobs or processors(), loads=not (shared_cache and shared_cache.reads))
        site = load(
            store,
            plan=options.plan,
            url=options.url,
            drafts=options.drafts,
            memory=cache.memory,
            prefetch=prefetch,
        )
        prepared = prepare(root, store, site, options)
        layout, shared = prepared.layout, prepared.shared
        found = [*site.diagnostics, *prepared.diagnostics]
        _begin(output, root, prepared, cache)
        is_large = cache.keeps and output.folder is not None and cache.memory.packs
        script = excerpts_script(layout, shared.theme_folders)
        stream = SearchStream(output, layout, script, is_large=is_large)
        results = PageResults(output, stream, layout.home, is_large=is_large)
        verification = Verification(options.verify_cache)
        pages = author_pages(shared, cache, output, layout.home, verification)
        order = reading_order(layout)
        rendered = pages.rendered(order, executor or LocalExecutor(options.jobs))
        with closing(rendered):
            for number, (page, key) in enumerate(rendered, 1):
                results.page(page, key, is_kept=page.path not in pages.unkept)
                progress(number, len(site.pages))
        packing = write_whole_site(layout, pages, results, options.jobs)
        with closing(packing) if packing else nullcontext():
            found += copy_files(store, layout.files, output, options)
            cache.keep_sources(page.path for page in (*site.pages, *site.drafts))
            if packing:
                packing.finish()
        output.finish()
        cache.keep_output(output.folder, output.ledger)
        pages.send(order)
    found += [*cache.diagnostics, *verification.wrong, *results.diagnostics]
    found += shared_cache.diagnostics if shared_cache else ()
    results.links.append(prepared.links)
    found += check_anchors(results.links, results.twin_links)
    files = results.files + len(layout.files)
    seconds = time.perf_counter() - started
    return Result(tuple(sorted(set(found))), len(site.pages), files, seconds, len(verification.checked))


def _begin(output: Output, root: Path, prepared: Prepared, cache: Cache) -> None:
    """Have the output take files, and tell it what an earlier build has left there."""
    output.begin(root, prepared.layout.outputs.union(planned(prepared.layout, prepared.shared)))
    if output.folder:  # read only now: a build that this one has waited for may have written it
        output.ledger = cache.ledger(output.folder)
