"""Builds by a Dask cluster of two single-threaded workers, beside one of a single worker.

    python -m tests.bench.dask_build [--pages 5000] [--rounds 3]

Whole commands, from nothing and in turn: "there" is a cluster whose workers run already, as on machines that
are kept for it, "own" is one that the command starts and ends. "local" are one and two processes without
Dask. What counts is the ratio of medians of the wall clock; "wrong" counts files that are not as "local"
writes them. The CPU seconds of the command ("here") and of the workers that are there say on a busy machine
how the work is shared out: with W for the workers and H here, two workers are at most W / max(H, W / 2) times
as quick as one on a machine with processors enough.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bench.builders import Builder, corpus, run, twinpress
from tests.bench.shared_cache import content
from tests.ports import free_port
from tests.waiting import until

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
DASK = (sys.executable, "-m")


class Costs(NamedTuple):
    """The seconds of one build, those of CPU here and of workers that are there, and its wrong files."""

    wall: float
    here: float
    workers: float
    wrong: int


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[int]]]:
    """The address of a cluster with so many workers of one thread, all of them there, and their processes."""
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = (*DASK, "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard")
    worker = (
        *DASK,
        "distributed.cli.dask_worker",
        address,
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
    )
    worker = (*worker, "--memory-limit", "0", "--local-directory", str(folder))
    processes = [
        subprocess.Popen(command, cwd=folder, **QUIET) for command in (scheduler, *[worker] * workers)
    ]
    try:
        until(lambda: _workers(address) == workers, patience=900)
        yield address, [process.pid for process in processes[1:]]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _workers(address: str) -> int:
    """The number of workers that a cluster has."""
    script = f"from distributed import Client; print(len(Client({address!r}, timeout=60).nthreads()))"
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=False)
    return int(done.stdout or 0)


def _spent(processes: list[int]) -> float:
    """The seconds of a processor that processes have had."""
    fields = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in processes]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def once(site: Path, builder: Builder, right: dict[str, bytes], workers: list[int]) -> Costs:
    """A build from nothing."""
    before = _spent(workers)
    done, files = run(builder, site), content(site)
    wrong = sum(files.get(name) != data for name, data in right.items()) + len(files.keys() - right.keys())
    return Costs(done.wall, done.cpu, _spent(workers) - before, wrong)


def local(site: Path, number: int, right: dict[str, bytes]) -> Costs:
    """A build by so many processes without Dask."""
    return once(site, twinpress("-j", str(number)), right, [])


def own(site: Path, number: int, right: dict[str, bytes]) -> Costs:
    """A build by a cluster of its own."""
    return once(site, twinpress("-j", str(number), "--executor", "dask"), right, [])


def there(site: Path, number: int, right: dict[str, bytes]) -> Costs:
    """A build by a cluster that is there."""
    folder = site.with_name("dask")
    folder.mkdir(exist_ok=True)
    with cluster(folder, number) as (address, workers):
        return once(site, twinpress("--executor", f"dask={address}"), right, workers)


def measure(site: Path, rounds: int, kinds: Sequence[str]) -> None:
    """Print a line for each kind of cluster."""
    run(twinpress(), site)
    right = content(site)
    known = {"local": local, "there": there, "own": own}
    for kind in kinds:
        build = known[kind]
        _say(kind, [(build(site, 1, right), build(site, 2, right)) for _ in range(rounds)])


def _say(kind: str, found: list[tuple[Costs, Costs]]) -> None:
    one, two = (statistics.median(each.wall for each in kind) for kind in zip(*found, strict=True))
    each = ", ".join(f"{a.wall / b.wall:.2f}" for a, b in found)
    cpu = "; ".join(f"{cost.here:.1f} here, {cost.workers:.1f} in workers" for cost in found[-1])
    wrong = sum(a.wrong + b.wrong for a, b in found)
    print(f"  {kind:6} one {one:7.2f} s, two {two:7.2f} s: {one / two:.2f} times ({each}); wrong: {wrong}")
    print(f"         CPU seconds of the last round: {cpu}", flush=True)


def main() -> None:
    """Measure a corpus of so many pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", default="local,there,own", help="which of them, in this order")
    chosen = parser.parse_args()
    work = Path(tempfile.mkdtemp())
    try:
        site = corpus("twinpress", chosen.pages, work / "site")
        measure(site, chosen.rounds, chosen.kinds.split(","))
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
