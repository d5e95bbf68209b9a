"""Cold build of a generated corpus: wall and CPU time a page, pages a second, peak memory.

    python -m tests.bench.build [--pages 1000] [--runs 5]

The corpus generator is found beside the test corpora (`TWINPRESS_CORPORA`). Hugo is measured in turn with
Twinpress, so that both see the same machine, when `HUGO` names its binary or it is on the PATH.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """One finished build: seconds of wall and CPU time, peak memory in MiB of its largest process."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Builder:
    """A command that is run in the corpus of its flavour, and what it leaves behind."""

    name: str
    flavour: str
    command: tuple[str, ...]
    leaves: tuple[str, ...]


def builders() -> list[Builder]:
    """Twinpress, and Hugo in both of its usual forms when there is one."""
    ours = (str(Path(sys.executable).with_name("twinpress")), "build", ".", "-o", "dist")
    found = [Builder("twinpress", "twinpress", ours, ("dist", ".twinpress"))]
    hugo = os.environ.get("HUGO") or shutil.which("hugo")
    if hugo:
        leaves = ("public", "resources")
        found.append(Builder("hugo", "hugo", (hugo, "build"), leaves))
        found.append(Builder("hugo --gc --minify", "hugo", (hugo, "build", "--gc", "--minify"), leaves))
    return found


def run(builder: Builder, folder: Path) -> Run:
    """One cold build in `folder`; exits with the builder's own words when it fails."""
    for name in builder.leaves:
        shutil.rmtree(folder / name, ignore_errors=True)
    with tempfile.TemporaryFile() as log:
        started = time.perf_counter()
        process = subprocess.Popen(builder.command, cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in {0, 1}:
            log.seek(0)
            sys.exit(f"{builder.name} failed:\n{log.read().decode(errors='replace')}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def corpus(flavour: str, pages: int, folder: Path) -> None:
    """Write the corpus of this flavour."""
    corpora = os.environ.get("TWINPRESS_CORPORA") or sys.exit("set TWINPRESS_CORPORA to the test corpora")
    script = Path(corpora).resolve().parent / "bench" / "corpus.py"
    command = (sys.executable, str(script), "--pages", str(pages), "--out", str(folder), "--flavour", flavour)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def row(name: str, runs: list[Run], pages: int) -> str:
    """A line of the table: medians, and the range of the wall time."""
    wall, cpu = statistics.median(r.wall for r in runs), statistics.median(r.cpu for r in runs)
    low, high = min(r.wall for r in runs), max(r.wall for r in runs)
    memory = statistics.median(r.memory for r in runs)
    return (
        f"{name:20} {wall:8.2f} {low:7.2f}-{high:<7.2f} {cpu:8.2f} {1000 * cpu / pages:9.2f} "
        f"{pages / wall:8.0f} {memory:9.0f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folders = {each.flavour: Path(temporary) / each.flavour for each in builders()}
        for flavour, folder in folders.items():
            corpus(flavour, wanted.pages, folder)
        runs: dict[str, list[Run]] = {each.name: [] for each in builders()}
        for _ in range(wanted.runs):
            for each in builders():
                runs[each.name].append(run(each, folders[each.flavour]))
    print(f"cold build of {wanted.pages} pages, median of {wanted.runs} runs in turn")
    print(f"{'':20} {'wall s':>8} {'min-max':^15} {'cpu s':>8} {'ms/page':>9} {'pages/s':>8} {'MiB':>9}")
    for name, measured in runs.items():
        print(row(name, measured, wanted.pages))


if __name__ == "__main__":
    main()
