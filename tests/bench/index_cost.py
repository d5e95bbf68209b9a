"""The cost of the index to a build: CPU time a page of making parts and of making files, and memory."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

from builder import search
from builder.build import build
from builder.markdown.page import Body
from builder.output import FolderOutput
from builder.search import Part, shards
from builder.search.terms import KNOWN
from builder.site import SitePage

RUNS = 5

Rendered = tuple[SitePage, Body, str]
"""A page, its body and its twin."""


def built(site: Path, out: Path) -> tuple[list[Part], list[Rendered]]:
    """Build a site; what its pages added to the index, and what that was made from."""
    parts: list[Part] = []
    pages: list[Rendered] = []

    def seen(
        found: Sequence[Part], begun: search.Begun, script: str = ""
    ) -> tuple[list[search.File], search.Arranged]:
        parts.extend(found)
        return before(found, begun, script)

    def page_part(page: SitePage, body: Body, twin: str = "") -> Part:
        pages.append((page, body, twin))
        return made(page, body, twin)

    made, before = search.page_part, search.finish
    search.page_part, search.finish = page_part, seen
    try:
        build(site, FolderOutput(out))
    finally:
        search.page_part, search.finish = made, before
    return parts, pages


def cost(parts: Sequence[Part], pages: Sequence[Rendered]) -> str:
    """A line of the report: medians, each run with no word known before."""
    made = _median(lambda: [search.page_part(*page) for page in pages])
    packed = _median(lambda: shards(parts))
    size = sum(len(body.html) for _, body, _ in pages) / len(pages) / 1000
    return (
        f"  index: parts {made / len(pages):.2f} ms of CPU a page, files {packed / len(pages):.2f} ms "
        f"(pages of {size:.1f} KB)"
    )


def memory(parts: Sequence[Part]) -> str:
    """A line of the report: the files of the index, and the most memory that making them takes."""
    tracemalloc.start()
    sizes = {name: len(data) for name, data in shards(parts)}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    of_terms = [size for name, size in sizes.items() if name.startswith("search/t")]
    return (
        f"  {len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB; {len(of_terms)} of terms, the largest "
        f"{max(of_terms) / 1000:.0f} KB; entry {sizes[search.ENTRY] / 1000:.0f} KB; peak {peak / 1e6:.0f} MB"
    )


def _median(step: Callable[[], object]) -> float:
    """Milliseconds of CPU."""
    times = []
    for _ in range(RUNS):
        KNOWN.clear()
        began = time.process_time()
        step()
        times.append(1000 * (time.process_time() - began))
    return statistics.median(times)
