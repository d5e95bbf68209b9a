"""Clusters of Dask as an operator would run them, and a site of some 100 pages for them."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import dask
from distributed import LocalCluster

from builder.build import Result, build
from builder.output import FolderOutput
from builder.plan.options import Options
from builder.workers.executor import Executor
from server.dask_executor.executor import DaskExecutor
from tests.sites import write_site

PAGES = 100
SMALL = 10
"""Pages of a chunk, where a test wants many of them."""
SITE = {
    "site.yml": "title: Harbour\nurl: https://harbour.example\nextras: [includes, components, math]\n",
    "theme/templates/footer.html": "<footer>Our own footer of {{ site.title }}</footer>\n",
    "docs/_part.mdx": "What many pages **share**.\n",
    "docs/berths.py": "berths = 12\n",
    "docs/parts.mdx": "# Parts\n\n<Include src='_part.mdx' />\n\n```py file='berths.py'\n```\n",
    "docs/strange.md": b"# Strange\n\nHalf of a pair: &#xD800; \xed\xa0\x80\n",
    **{
        f"docs/{n % 7}/page-{n:03}.mdx": f"# Page {n}\n\n[next](page-{n + 7:03}.mdx), [no](wrong-{n}.mdx)"
        f"\n\n<Include src='../_part.mdx' />\n\n:::note\nNo {n}: $n^{{{n}}}$\n:::\n\n```py\nn = {n}\n```\n"
        for n in range(PAGES)
    },
}


def write(folder: Path) -> Path:
    """Write the site."""
    return write_site(folder, SITE)


def built(
    site: Path,
    out: Path,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> tuple[dict[str, bytes], Result]:
    """Build a site without a cache, and return its files by path, and the result."""
    result = build(site, FolderOutput(out), Options(jobs=1), progress, executor=executor)
    return {
        str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()
    }, result


def own(chunk: int = SMALL) -> DaskExecutor:
    """An executor of two workers of this machine."""
    return DaskExecutor(number=2, chunk=chunk)


@contextmanager
def found(folder: Path, workers: int = 2) -> Iterator[LocalCluster]:
    """A cluster that somebody else runs, with single-threaded workers, at a `tcp://` address."""
    settings = {"temporary-directory": str(folder), "distributed.worker.daemon": True}
    with dask.config.set(settings):
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
        try:
            yield cluster
        finally:
            cluster.close(timeout=30)


def worker_processes() -> list[BaseProcess]:
    """The processes of workers that this process has begun."""
    return [each for each in multiprocessing.active_children() if each.name.startswith("Dask Worker")]
