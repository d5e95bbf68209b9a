"""From a save to new bytes: how long a writer waits for the preview, and what that costs.

    python -m tests.bench.preview [--pages 1000 10000] [--saves 40]

The corpus generator is found beside the test corpora (`TWINPRESS_CORPORA`). A save is measured as a browser
sees it: the page is open, its event stream tells that it has changed, and it is asked for again; the time is
that from before the write to the last of the new bytes. Every second save is made as editors make them: into
another file, which then takes the page's name.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.builders import corpus
from tests.server import commands
from tests.server.commands import COMMAND, Preview, running

IDLE = 2.0
"""Seconds for which the preview is left alone, to see what doing nothing costs."""
SWITCHED = 500
"""Files that a switch of branches changes."""
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Run:
    """The measurements of one corpus: seconds of wall time, and of CPU where that is said."""

    pages: int
    first: float = 0.0
    complete: float = 0.0
    complete_cpu: float = 0.0
    waits: list[float] = field(default_factory=list)
    cpu: float = 0.0
    idle: float = 0.0
    switch: float = 0.0
    rebuilds: int = 0
    memory: float = 0.0

    def lines(self) -> Iterator[str]:
        """The report."""
        waits = sorted(1000 * wait for wait in self.waits)
        yield f"{self.pages} pages: the first is served {self.first:.2f} s after the start"
        yield f"  all are checked after {self.complete:.1f} s ({self.complete_cpu:.1f} s of CPU)"
        p95 = waits[int(0.95 * (len(waits) - 1))]
        yield (
            f"  save to served, {len(waits)} saves: p50 {statistics.median(waits):.0f} ms, p95 {p95:.0f} ms, "
            f"at most {waits[-1]:.0f} ms; {1000 * self.cpu / len(waits):.0f} ms of CPU each"
        )
        yield f"  {SWITCHED} files at once: {self.rebuilds} rebuild(s), served after {self.switch:.2f} s"
        yield f"  doing nothing: {1000 * self.idle / IDLE:.0f} ms of CPU a second; {self.memory:.0f} MiB"


def measure(folder: Path, pages: int, saves: int) -> Run:
    """Serve the corpus in `folder`, and save pages of it."""
    run, started = Run(pages), time.perf_counter()
    files = sorted(path for path in (folder / "docs").rglob("*.md*") if path.stem != "index")
    chance = random.Random(pages)
    with running([COMMAND, "serve", folder, "--port", "0", "--no-key"], forked=False) as preview:
        preview.get(_url(folder, files[0]))
        run.first = time.perf_counter() - started
        _checked(preview)
        run.complete, run.complete_cpu = time.perf_counter() - started, _cpu(preview.process.pid)
        _quiet(preview.process.pid)
        run.idle = _idle(preview.process.pid)
        began = _cpu(preview.process.pid)
        for number in range(saves):
            run.waits.append(_saved(preview, folder, chance.choice(files), number, f"Saved {number}."))
        run.cpu = _cpu(preview.process.pid) - began
        run.memory = _memory(preview.process.pid)
        _switch(preview, folder, files, run)
    return run


def _saved(preview: Preview, folder: Path, file: Path, number: int, mark: str) -> float:
    """Save a page with `mark` at its end; seconds until it is served so."""
    url = _url(folder, file)
    with preview.states(url) as states:
        before = next(states)["page"]
        text = f"{file.read_text()}\n\n{mark}\n"
        time.sleep(0.1)
        began = time.perf_counter()
        _write(file, text, renamed=number % 2 == 1)
        while next(states)["page"] == before:
            pass
        while mark.encode() not in preview.get(url).body:
            pass
        return time.perf_counter() - began


def _switch(preview: Preview, folder: Path, files: list[Path], run: Run) -> None:
    """Change many files at once while one of them is looked at."""
    preview.says("Ctrl+C stops")
    time.sleep(0.5)
    last, before = files[:SWITCHED][-1], len(_rebuilds(preview))
    texts = {file: f"{file.read_text()}\n\nSwitched.\n" for file in files[:SWITCHED]}
    began = time.perf_counter()
    for file, text in texts.items():
        _write(file, text, renamed=False)
    while b"Switched." not in preview.get(_url(folder, last)).body:
        time.sleep(0.01)
    run.switch = time.perf_counter() - began
    _quiet(preview.process.pid)
    run.rebuilds = len(_rebuilds(preview)) - before


def _rebuilds(preview: Preview) -> list[str]:
    return [line for line in preview.lines if "rebuilt" in line]


def _url(folder: Path, file: Path) -> str:
    return f"/{file.relative_to(folder).with_suffix('')}"


def _write(file: Path, text: str, *, renamed: bool) -> None:
    target = file.with_name(f".{file.name}.tmp") if renamed else file
    target.write_text(text)
    target.replace(file)


def _checked(preview: Preview) -> None:
    """Wait until all pages have been made; a small site's are when it is first shown."""
    if not any("built in" in line for line in preview.lines):
        preview.says("All pages are checked")


def _quiet(process: int) -> None:
    """Wait until the process does nothing any more."""
    while True:
        before = _cpu(process)
        time.sleep(1.0)
        if _cpu(process) - before < 0.08:
            return


def _idle(process: int) -> float:
    before = _cpu(process)
    time.sleep(IDLE)
    return _cpu(process) - before


def _cpu(process: int) -> float:
    """Seconds of CPU that a process has used, with its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _memory(process: int) -> float:
    """The most MiB that a process has had."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--saves", type=int, default=40)
    wanted = parser.parse_args()
    commands.PATIENCE = 600.0
    for pages in wanted.pages:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "site"
            corpus("twinpress", pages, folder)
            for line in measure(folder, pages, wanted.saves).lines():
                print(line, flush=True)


if __name__ == "__main__":
    main()
