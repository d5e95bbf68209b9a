"""Pages rendered by a Dask cluster: the same files and diagnostics as on one machine, and nothing is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster, Scheduler

from builder.build import Result
from builder.frontmatter.split import split
from builder.site import SitePage
from builder.workers.page_job import Job
from server.dask_executor.cluster import own_cluster
from server.dask_executor.executor import CHUNK, MOST_TEXT, DaskExecutor, _chunks
from tests.server.dask_executor.clusters import SMALL, built, found, own, worker_processes
from tests.server.http_client import request
from tests.server.shared_caches.test_places import WRITE, http_server
from tests.waiting import until

pytestmark = pytest.mark.costly


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with found(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster


def test_two_workers_of_this_machine_write_the_same_files(
    site: Path, alone: tuple[dict[str, bytes], Result], tmp_path: Path
) -> None:
    done: list[tuple[int, int]] = []
    executor = own()
    files, result = built(site, tmp_path, executor, lambda *now: done.append(now))
    assert files == alone[0]
    assert result.diagnostics == alone[1].diagnostics
    assert done == [(number, result.pages) for number in range(1, result.pages + 1)]
    assert executor.notes == []
    assert worker_processes() == []


def test_a_cluster_of_this_machine_speaks_tls_alone_and_serves_no_pages(tmp_path: Path) -> None:
    with own_cluster(0, tmp_path) as client:
        assert client.scheduler.address.startswith("tls://127.0.0.1:")
        port = client.run_on_scheduler(_port_of_pages)
        for path in ("/", "/health", "/metrics", "/info/main/workers.html", "/json/counts.json"):
            assert request(port, "GET", path)[0] == 404


def _port_of_pages(dask_scheduler: Scheduler) -> int:
    return dask_scheduler.http_server.port


def test_a_cluster_that_is_there_gives_the_pages_back(
    site: Path, alone: tuple[dict[str, bytes], Result], cluster: LocalCluster, tmp_path: Path
) -> None:
    executor = DaskExecutor(cluster.scheduler_address, chunk=SMALL)
    executor.look()
    files, result = built(site, tmp_path, executor)
    assert files == alone[0]
    assert result.diagnostics == alone[1].diagnostics
    assert executor.notes == []
    until(lambda: not cluster.scheduler.tasks)


def test_with_a_shared_cache_the_pages_go_through_that(
    site: Path, alone: tuple[dict[str, bytes], Result], cluster: LocalCluster, tmp_path: Path
) -> None:
    store = tmp_path / "cache"
    executor = DaskExecutor(cluster.scheduler_address, target=str(store), chunk=SMALL)
    files, _ = built(site, tmp_path / "out", executor)
    assert files == alone[0]
    assert executor.notes == []
    assert store.is_dir()
    assert not list(store.rglob("chunks-*"))  # each was removed when it had been read


def test_where_workers_may_not_write_pages_come_back_by_dask(
    site: Path, alone: tuple[dict[str, bytes], Result], cluster: LocalCluster, tmp_path: Path
) -> None:
    with http_server() as (address, server):
        executor = DaskExecutor(cluster.scheduler_address, target=address, chunk=SMALL)
        files, _ = built(site, tmp_path, executor)
        assert server.packs == {}
    assert files == alone[0]
    assert len(executor.notes) == 1
    assert "put a token" not in executor.notes[0]
    assert "status 403" in executor.notes[0]


@pytest.mark.slow  # the build before has the same way back
def test_what_this_machine_may_not_read_comes_back_by_dask(
    site: Path, alone: tuple[dict[str, bytes], Result], cluster: LocalCluster, tmp_path: Path
) -> None:
    """The workers have a token, as on machines of their own, and this one has none."""
    with http_server() as (address, _):
        executor = DaskExecutor(cluster.scheduler_address, target=address, chunk=SMALL)
        set_on_workers(cluster, {"TWINPRESS_CACHE_WRITE_TOKEN": WRITE})
        try:
            files, _ = built(site, tmp_path, executor)
        finally:
            set_on_workers(cluster, {"TWINPRESS_CACHE_WRITE_TOKEN": ""})
    assert files == alone[0]
    assert any("came back by Dask" in note for note in executor.notes)


def set_on_workers(cluster: LocalCluster, variables: dict[str, str]) -> None:
    """Set variables of the environment of all workers."""
    client = cluster.get_client()
    client.run(_set, variables)
    client.close()


def _set(variables: dict[str, str]) -> None:
    os.environ.update(variables)


@pytest.mark.parametrize("pages", [1, 49, 50, 64, 127, 1000])
def test_chunks_have_all_pages_in_order_and_enough_of_them(pages: int) -> None:
    jobs = jobs_of([100] * pages)
    chunks = list(_chunks(jobs, CHUNK))
    assert [job for chunk in chunks for job in chunk] == jobs
    assert min(map(len, chunks)) >= min(pages, 50)
    assert max(map(len, chunks)) - min(map(len, chunks)) <= 1


def test_very_long_pages_are_in_chunks_that_can_travel() -> None:
    jobs = jobs_of([100] * 100 + [MOST_TEXT // 3] * 20 + [2 * MOST_TEXT])
    chunks = list(_chunks(jobs, CHUNK))
    assert [job for chunk in chunks for job in chunk] == jobs
    assert [len(chunk) for chunk in chunks if sum(map(length, chunk)) > MOST_TEXT] == [1]


def jobs_of(lengths: list[int]) -> list[Job]:
    """Jobs for pages with texts of these lengths."""
    texts = {f"docs/{number}.md": "a" * length for number, length in enumerate(lengths)}
    pages = [
        SitePage(file.removesuffix(".md"), file, "md", split(text, file), None, "A", "A")
        for file, text in texts.items()
    ]
    return [Job(page) for page in pages]


def length(job: Job) -> int:
    return len(job.page.document.body)
