"""Workers that are killed while a site is built: their chunks are done again, and the site is the same."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import dask
import pytest

from builder.build import Result, build
from builder.plan.options import Options
from server.dask_executor.executor import DaskExecutor
from server.static_targets.static_output import StaticOutput
from tests.server.dask_executor.clusters import PAGES, built, found, own, worker_processes
from tests.waiting import until

pytestmark = pytest.mark.costly


def killer(
    rounds: int, victims: Callable[[random.Random], list[int]], seed: int
) -> Callable[[int, int], None]:
    """A progress that kills workers at some random pages."""
    chance = random.Random(seed)
    pages = set(chance.sample(range(10, PAGES), rounds))

    def progress(done: int, _total: int) -> None:
        if done in pages:
            for number in victims(chance):
                os.kill(number, signal.SIGKILL)

    return progress


def one(chance: random.Random) -> list[int]:
    """A worker of this machine, as soon as there is one."""
    return [chance.choice(until(living))]


def every(_: random.Random) -> list[int]:
    """All workers of this machine."""
    return until(living)


def living() -> list[int]:
    return [each.pid for each in worker_processes() if each.pid and each.is_alive()]


@pytest.mark.parametrize(
    ("rounds", "victims", "seed"),
    [
        (2, one, 1),
        (1, every, 2),
        *(pytest.param(6, one, seed, marks=pytest.mark.slow) for seed in (3, 4)),
        pytest.param(3, every, 5, marks=pytest.mark.slow),
    ],
)
def test_workers_killed_at_random_change_no_byte(
    site: Path,
    alone: tuple[dict[str, bytes], Result],
    tmp_path: Path,
    rounds: int,
    victims: Callable[[random.Random], list[int]],
    seed: int,
) -> None:
    files, result = built(site, tmp_path, own(), killer(rounds, victims, seed))
    assert files == alone[0]
    assert result.diagnostics == alone[1].diagnostics
    assert worker_processes() == []


def test_a_chunk_over_which_workers_have_died_is_rendered_here(
    site: Path, alone: tuple[dict[str, bytes], Result], tmp_path: Path
) -> None:
    executor = own()
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        files, _ = built(site, tmp_path, executor, killer(1, every, 1))
    assert files == alone[0]
    assert executor.notes == [
        "several workers have ended over the same pages: these were rendered by this machine"
    ]


def test_a_worker_of_a_cluster_that_is_there_is_killed_and_another_does_its_chunk(
    site: Path, alone: tuple[dict[str, bytes], Result], tmp_path: Path
) -> None:
    with found(tmp_path / "dask") as cluster:
        executor = DaskExecutor(cluster.scheduler_address, chunk=10)
        files, _ = built(site, tmp_path / "out", executor, killer(1, one, 7))
    assert files == alone[0]


def test_a_release_is_written_whole_although_workers_are_killed(
    site: Path, alone: tuple[dict[str, bytes], Result], tmp_path: Path
) -> None:
    """Its writer begins each file: what the killed ones have written is there already."""
    output = StaticOutput(tmp_path / "release")
    build(site, output, Options(), killer(2, every, 4), executor=own())
    found = {str(path.relative_to(output.made)): path.read_bytes() for path in output.made.rglob("*.html")}
    assert found == {path: data for path, data in alone[0].items() if path.endswith(".html")}
