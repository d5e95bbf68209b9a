"""Commands that build a corpus, and what one run of them costs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LOOK = 0.05
"""Seconds between two looks at the memory of processes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One finished build: seconds of wall and CPU time; the peak of all its processes in MiB, if looked at.

    Memory that several of them share counts once.
    """

    wall: float
    cpu: float
    memory: float = 0.0


@dataclass(frozen=True, slots=True)
class Builder:
    """A command that is run in the corpus of its flavour, and what it leaves behind."""

    name: str
    flavour: str
    command: tuple[str, ...]
    leaves: tuple[str, ...]


def twinpress(*options: str) -> Builder:
    """This very Twinpress, as its users run it."""
    command = (str(Path(sys.executable).with_name("twinpress")), "build", ".", "-o", "dist", *options)
    return Builder(" ".join(("twinpress", *options)), "twinpress", command, ("dist", ".twinpress"))


def hugo() -> list[Builder]:
    """Hugo in both of its usual forms, when `HUGO` names its binary or it is on the PATH."""
    program = os.environ.get("HUGO") or shutil.which("hugo")
    forms = ((), ("--gc", "--minify")) if program else ()
    leaves = ("public", "resources")
    return [
        Builder(" ".join(("hugo", *form)), "hugo", (program or "", "build", *form), leaves) for form in forms
    ]


def run(
    builder: Builder, folder: Path, *, cold: bool = True, memory: bool = False, away: Path | None = None
) -> Run:
    """One build in `folder`, from nothing when `cold`; exits with the builder's own words when it fails.

    What was built before is deleted, or moved to `away`: some file systems are slow to make new files for a
    while after many were deleted.
    """
    for name in builder.leaves if cold else ():
        if away is None:
            shutil.rmtree(folder / name, ignore_errors=True)
        elif (folder / name).exists():
            (folder / name).rename(away / f"{folder.name}-{name}-{time.monotonic_ns()}")
    with tempfile.TemporaryFile() as log:
        started = time.perf_counter()
        process = subprocess.Popen(builder.command, cwd=folder, stdout=log, stderr=log)
        peak = _peak(process.pid) if memory else 0.0
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in {0, 1}:
            log.seek(0)
            sys.exit(f"{builder.name} failed:\n{log.read().decode(errors='replace')}")
    return Run(wall, usage.ru_utime + usage.ru_stime, peak)


def new_files(builder: Builder, folder: Path) -> int:
    """Count the files that a build has left: those that share one inode are one."""
    found = (each for name in builder.leaves for each in (folder / name).rglob("*"))
    return len({each.lstat().st_ino for each in found if not each.is_dir()})


def corpus(flavour: str, pages: int, folder: Path, seed: int = 1) -> Path:
    """Write the corpus of this flavour into a folder."""
    corpora = os.environ.get("TWINPRESS_CORPORA") or sys.exit("set TWINPRESS_CORPORA to the test corpora")
    script = Path(corpora).resolve().parent / "bench" / "corpus.py"
    options = ("--pages", str(pages), "--out", str(folder), "--flavour", flavour, "--seed", str(seed))
    subprocess.run((sys.executable, str(script), *options), check=True, stdout=subprocess.DEVNULL)
    return folder


def _peak(parent: int) -> float:
    """MiB that a process and its children have at most, looking until the parent has ended."""
    peak = 0.0
    while os.waitid(os.P_PID, parent, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        peak = max(peak, sum(_memory(each) for each in (parent, *_children(parent))))
        time.sleep(LOOK)
    return peak


def _children(parent: int) -> Iterator[int]:
    try:
        found = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    except OSError:
        return
    for child in map(int, found.split()):
        yield child
        yield from _children(child)


def _memory(process: int) -> float:
    """A process's part of the memory in MiB, where each page is divided by those who share it."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
