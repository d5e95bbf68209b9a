"""Clusters that cannot be used, in words: not there, without workers, with another version, not installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from distributed import LocalCluster

import builder
from builder.version import VERSION
from server.dask_executor import executor as dask_executor
from server.dask_executor.chunk_task import ChunkOrder, engine, render
from server.dask_executor.executor import DaskExecutor
from server.dask_executor.failures import ClusterFailure, OtherEngine
from tests.ports import free_port
from tests.server.cli.sites import GOOD
from tests.server.commands import environment, twinpress
from tests.server.dask_executor.clusters import built, found
from tests.sites import write_site
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.costly
ROOT = Path(builder.__file__).parents[1]


@contextmanager
def other_worker(cluster: LocalCluster, folder: Path) -> Iterator[str]:
    """A worker with another version of Twinpress joins the cluster; gives its address."""
    for package in ("builder", "components", "server", "themes"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "builder/version.py").write_text('VERSION = "0.0.9"\n')
    known = set(cluster.scheduler.workers)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
    process = subprocess.Popen(
        [*command, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)],
        cwd=folder,
        env=environment(PYTHONPATH=str(folder)),
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: set(cluster.scheduler.workers) - known)
        (address,) = set(cluster.scheduler.workers) - known
        yield address
    finally:
        process.kill()
        process.wait()


def test_a_worker_with_another_version_is_refused_before_anything_is_sent(site: Path, tmp_path: Path) -> None:
    with found(tmp_path / "dask", workers=1) as cluster, other_worker(cluster, tmp_path / "other") as address:
        with pytest.raises(OtherEngine) as refused:
            built(site, tmp_path / "out", DaskExecutor(cluster.scheduler_address))
        assert not cluster.scheduler.tasks
    assert refused.value.path == address
    assert "this worker has Twinpress 0.0.9 (engine " in refused.value.message
    assert f"this machine has Twinpress {VERSION} (engine " in refused.value.message
    assert not list((tmp_path / "out").rglob("*.html"))


def test_a_worker_that_comes_later_with_another_version_is_refused_too() -> None:
    with pytest.raises(OtherEngine) as refused:
        render(ChunkOrder(b"", "Twinpress 0.0.9"), b"", "tcp://192.0.2.1:1")
    assert str(refused.value).startswith(
        f"tcp://192.0.2.1:1: this worker has {engine()}, and this machine has "
    )


def test_a_cluster_without_workers_is_given_up(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_executor, "NO_WORKER", 0.0)
    words = "the cluster has had no worker for 0 s"
    with found(tmp_path / "dask", workers=0) as cluster, pytest.raises(ClusterFailure, match=words):
        built(site, tmp_path / "out", DaskExecutor(cluster.scheduler_address))


@contextmanager
def nobody() -> Iterator[str]:
    """An address at which nothing listens."""
    yield f"tcp://127.0.0.1:{free_port()}"


@contextmanager
def silent() -> Iterator[str]:
    """An address at which something listens, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    ("place", "words"),
    [(nobody, "no Dask scheduler can be used there: Connection refused"), (silent, "answers within 10 s")],
)
def test_an_address_without_a_scheduler_is_told(tmp_path: Path, place, words: str) -> None:
    write_site(tmp_path, GOOD)
    with place() as address:
        done = twinpress("build", "--executor", f"dask={address}", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {address}: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 2


@pytest.mark.parametrize("named", ["dusk", "dask=", "dask=127.0.0.1:8786", "dask=http://a", "dask=tcp://a b"])
def test_what_is_no_executor_is_wrong_usage(tmp_path: Path, named: str) -> None:
    write_site(tmp_path, GOOD)
    done = twinpress("build", "--executor", named, cwd=tmp_path)
    assert done.returncode == 2
    assert "write local, dask, or dask=tcp://HOST:PORT" in done.stderr


def test_a_missing_extra_is_told(tmp_path: Path) -> None:
    """A Python that finds no package but those of an installation without the extra."""
    write_site(tmp_path, GOOD)
    packages = tmp_path / "packages"
    packages.mkdir()
    for place in map(Path, sys.path):
        for each in place.iterdir() if place.name == "site-packages" else ():
            if each.name.partition("-")[0] not in {"dask", "distributed"} and each.suffix != ".pth":
                (packages / each.name).symlink_to(each)
    (packages / "twinpress.pth").write_text(f"{ROOT}\n")
    script = f"import site; site.addsitedir({str(packages)!r}); from server.cli import run; run()"
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, "build", "--executor", "dask"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr == (
        "error: --executor dask needs packages that are not installed: dask and distributed\n"
        "  pip install 'twinpress[dask]'\n"
    )
    assert done.returncode == 2
