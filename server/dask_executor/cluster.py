"""Clusters of Dask: one of this machine's own, which ends with the build, and one that somebody has started.

Ctrl+C is for this process alone: Dask's threads begin with it blocked, and so do the processes that these
start. What Dask tells its operators is nothing that who builds a site could use: it is not shown.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dask
from distributed import Client, LocalCluster
from distributed.security import Security

from builder.workers.process import begin_tracker
from builder.workers.signals import interrupts_blocked
from server.dask_executor.chunk_task import engine
from server.dask_executor.failures import lost, other_engine, unreachable

PORT = 8786
"""Dask's own."""
CONNECT = 10.0
"""Seconds in which a scheduler answers."""
CLOSE = 10.0
"""Seconds in which what has been killed is gone."""
_WARNINGS = "PYTHONWARNINGS"
_LIBRARIES = ("dask", "distributed", "tornado", "bokeh")
_OWN: dict[str, Any] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "1 minute",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.tick.interval": "1 s",
    "distributed.worker.daemon": False,
    "distributed.deploy.lost-worker-timeout": "1 day",
    "distributed.scheduler.worker-ttl": None,
}
"""Settings of a cluster of our own: no pages about it, no profiles, and no counts; a worker that is lost is
started again, however long that takes, and is not taken for dead because it is busy."""


@contextmanager
def own_cluster(number: int, folder: Path) -> Iterator[Client]:
    """Give the client of a cluster with so many workers, of one thread each; they end with the block.

    All speak TLS with a key that nobody else has: who could talk to a scheduler could run anything here.
    Workers may come to the cluster only later. `folder` is for what they write.
    """
    _be_quiet()
    _begin_quiet_tracker()  # now, or it would let Ctrl+C through to the processes that begin after it
    others = multiprocessing.active_children()
    with dask.config.set({**_OWN, "temporary-directory": str(folder)}):
        with interrupts_blocked():
            cluster = _local_cluster()
        with _ended(cluster, others):
            with interrupts_blocked():
                client = _client(cluster)
            with _closed(client):
                cluster.scale(number)
                yield client


def _begin_quiet_tracker() -> None:
    """Begin what looks after shared memory: it is to tidy up after workers that are ended, without a word."""
    before = os.environ.get(_WARNINGS)
    os.environ[_WARNINGS] = "ignore"
    try:
        begin_tracker()
    finally:
        if before is None:
            del os.environ[_WARNINGS]
        else:
            os.environ[_WARNINGS] = before


def _local_cluster() -> LocalCluster:
    return LocalCluster(
        n_workers=0,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        security=Security.temporary(),
        dashboard_address=None,
        # Else it would be the port 8787 of all addresses, or a warning where that is taken.
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0", "dashboard": False},
        memory_limit=0,
        silence_logs=logging.CRITICAL,
    )


@contextmanager
def _ended(cluster: LocalCluster, others: list[Any]) -> Iterator[None]:
    """At the end of the block end all processes of a cluster at once: nobody waits for what they are at."""
    try:
        yield
    finally:
        for nanny in cluster.workers.values():
            nanny.close_gracefully()  # or it would start another process
        _kill(others)
        with suppress(Exception):
            cluster.close(timeout=CLOSE)
        _kill(others)


@contextmanager
def _closed(client: Client) -> Iterator[None]:
    """Close a client at the end of the block."""
    try:
        yield
    finally:
        with suppress(Exception):
            client.close(timeout=CLOSE)


def _kill(others: list[Any]) -> None:
    for process in multiprocessing.active_children():
        if process not in others:
            process.kill()
            process.join()


def look_for(address: str) -> None:
    """Look whether a scheduler is at an address: that leaves no threads behind. Raises ClusterFailure.

    It speaks first; Dask itself would wait for ever for one that does not. With TLS it does not wait so.
    """
    found = urlsplit(address)
    try:
        with socket.create_connection((found.hostname or "", found.port or PORT), CONNECT) as there:
            if found.scheme == "tcp" and not there.recv(1):
                raise ConnectionError("it closes the connection")
    except (OSError, ValueError) as error:
        raise unreachable(address, CONNECT, error) from error


@contextmanager
def found_cluster(address: str) -> Iterator[Client]:
    """Give the client of a cluster that is there, if all of its workers have the same engine as this machine.

    Raises ClusterFailure and OtherEngine.
    """
    _be_quiet()
    try:
        with interrupts_blocked():
            client = _client(address if urlsplit(address).port else f"{address}:{PORT}")
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        raise unreachable(address, CONNECT, error) from error
    with _closed(client):
        try:
            _check_scheduler(client, address)
            _check_engines(client)
        except OSError as error:
            raise lost(address, error) from error
        yield client


def _client(place: str | LocalCluster) -> Client:
    return Client(place, timeout=CONNECT, name="twinpress", set_as_default=False)


def _check_engines(client: Client) -> None:
    """Compare the engines of all workers with that of this machine, before anything else is sent to them."""
    found: dict[str, object] = client.run(engine, on_error="return")
    for address, theirs in sorted(found.items()):
        # One that has ended meanwhile has no answer either, and nothing is sent to it.
        if theirs != engine() and address in client.nthreads():
            raise other_engine(address, _said(theirs), engine())


def _check_scheduler(client: Client, address: str) -> None:
    """Compare the engine of the scheduler, which reads what is sent to workers, where it may be asked."""
    try:
        theirs: object = client.run_on_scheduler(engine)
    except ImportError as error:
        theirs = error
    except Exception:  # noqa: BLE001 - an operator may have forbidden the question
        return
    if theirs != engine():
        raise other_engine(address, _said(theirs), engine(), "scheduler")


def _said(theirs: object) -> str:
    return theirs if isinstance(theirs, str) else f"no Twinpress that can be asked ({theirs!r})"


def _be_quiet() -> None:
    """Have these libraries log nothing and warn of nothing."""
    names = (name for name in list(logging.root.manager.loggerDict) if name.split(".")[0] in _LIBRARIES)
    for name in {*_LIBRARIES, *names}:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = "." in name
        logger.setLevel(logging.CRITICAL + 1)
    for name in _LIBRARIES:
        warnings.filterwarnings("ignore", module=rf"{name}(\.|$)")
