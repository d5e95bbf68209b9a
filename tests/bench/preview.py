"""From a save to new bytes: how long a writer waits for the preview, and what that costs.

    python -m tests.bench.preview [--pages 1000 10000 50000] [--saves 40] [--corpus FOLDER]

The corpus generator is found beside the test corpora (`TWINPRESS_CORPORA`). A save is measured as a browser
sees it: the page is open, its event stream tells that it has changed, and it is asked for again; the time is
that from before the write to the last of the new bytes. Every second save is made as editors make them: into
another file, which then takes the page's name. Saves are measured while pages are still being checked, and
when all of them are. Memory is the proportional set size of all processes of the preview together.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.builders import corpus
from tests.server.commands import COMMAND, Preview, running

IDLE = 2.0
"""Seconds for which the preview is left alone, to see what doing nothing costs."""
SWITCHED = 500
"""Files that a switch of branches changes."""
SETTLING, A_PAGE = 300.0, 0.02
"""Seconds that are waited for all pages to be checked: for any site, and more for each page."""
SEARCH = "/_tp/search.json"
EARLY = 1.5
"""Seconds between saves while pages are being checked, which takes long."""
QUIET = 3
"""Seconds in which nothing is done, one after the other, when all is done: the history waits for one."""
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Run:
    """The measurements of one corpus: seconds of wall time, and of CPU where that is said; MiB of memory."""

    pages: int
    first: float = 0.0
    complete: float = 0.0
    complete_cpu: float = 0.0
    early: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    cpu: float = 0.0
    idle: float = 0.0
    switch: float = 0.0
    rebuilds: int = 0
    memory: float = 0.0
    search: float = 0.0
    search_again: float = 0.0
    searched: float = 0.0

    def lines(self) -> Iterator[str]:
        """The report."""
        yield f"{self.pages} pages: the first is served {self.first:.2f} s after the start"
        yield f"  all are checked after {self.complete:.1f} s ({self.complete_cpu:.1f} s of CPU)"
        if self.early:
            yield f"  save to served while they are being checked, {_spread(self.early)}"
        cpu = 1000 * self.cpu / len(self.waits)
        yield f"  save to served, {_spread(self.waits)}; {cpu:.0f} ms of CPU each"
        yield f"  the first search takes {self.search:.1f} s, one after a save {self.search_again:.2f} s"
        yield f"  memory: {self.memory:.0f} MiB when all are checked, {self.searched:.0f} MiB after searches"
        yield f"  {SWITCHED} files at once: {self.rebuilds} rebuild(s), served after {self.switch:.2f} s"
        yield f"  doing nothing: {1000 * self.idle / IDLE:.0f} ms of CPU a second"


def _spread(seconds: list[float]) -> str:
    """The median, the 95th percentile and the longest of these times."""
    waits = sorted(1000 * wait for wait in seconds)
    p95 = waits[int(0.95 * (len(waits) - 1))]
    p50 = statistics.median(waits)
    return f"{len(waits)} saves: p50 {p50:.0f} ms, p95 {p95:.0f} ms, at most {waits[-1]:.0f} ms"


def measure(folder: Path, pages: int, saves: int) -> Run:
    """Serve the corpus in `folder`, and save pages of it."""
    run, started = Run(pages), time.perf_counter()
    files = sorted(path for path in (folder / "docs").rglob("*.md*") if path.stem != "index")
    chance = random.Random(pages)
    with running([COMMAND, "serve", folder, "--port", "0", "--no-key"], forked=False) as preview:
        process = preview.process.pid
        preview.get(_url(folder, files[0]))
        run.first = time.perf_counter() - started
        while len(run.early) < saves and not _is_checked(preview):
            file = chance.choice(files)
            run.early.append(_saved(preview, folder, file, len(run.early), f"Early {len(run.early)}."))
            time.sleep(EARLY)
        _checked(preview, SETTLING + A_PAGE * pages)
        run.complete, run.complete_cpu = time.perf_counter() - started, _cpu(process)
        _quiet(process)
        run.idle = _idle(process)
        run.memory = _memory(process)
        began = _cpu(process)
        for number in range(saves):
            run.waits.append(_saved(preview, folder, chance.choice(files), number, f"Saved {number}."))
        run.cpu = _cpu(process) - began
        run.search = _searched(preview)
        _saved(preview, folder, chance.choice(files), 0, "Searched.")
        run.search_again = _searched(preview)
        run.searched = _memory(process)
        _switch(preview, folder, files, run)
    return run


def _searched(preview: Preview) -> float:
    """Ask for the index of the search; seconds until it is served."""
    began = time.perf_counter()
    assert preview.get(SEARCH).status == 200
    return time.perf_counter() - began


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


def _is_checked(preview: Preview) -> bool:
    """Return whether all pages have been made; a small site's are when it is first shown."""
    return any(", built in" in line or "All pages are checked" in line for line in preview.lines)


def _checked(preview: Preview, patience: float) -> None:
    """Wait until all pages have been made."""
    if not _is_checked(preview):
        preview.says("All pages are checked", patience)


def _quiet(process: int) -> None:
    """Wait until the processes do nothing any more."""
    quiet = 0
    while quiet < QUIET:
        before = _cpu(process)
        time.sleep(1.0)
        quiet = quiet + 1 if _cpu(process) - before < 0.08 else 0


def _idle(process: int) -> float:
    before = _cpu(process)
    time.sleep(IDLE)
    return _cpu(process) - before


def _tree(process: int) -> Iterator[int]:
    """A process, and all that it has begun."""
    yield process
    for each in Path(f"/proc/{process}/task").glob("*/children"):
        for child in each.read_text().split():
            yield from _tree(int(child))


def _cpu(process: int) -> float:
    """Seconds of CPU that a process and those that it has begun have used, with their threads."""
    return sum(map(_own_cpu, _tree(process)))


def _own_cpu(process: int) -> float:
    """The same of the process alone, and of those of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / TICK


def _memory(process: int) -> float:
    """MiB of all processes now, each page of memory counted once (`Pss`)."""
    found = (Path(f"/proc/{each}/smaps_rollup").read_text() for each in _tree(process))
    return sum(int(text.partition("\nPss:")[2].split()[0]) for text in found) / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--saves", type=int, default=40)
    parser.add_argument("--corpus", type=Path, help="a folder whose folders are corpora, by pages")
    wanted = parser.parse_args()
    for pages in wanted.pages:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "site"
            if wanted.corpus:
                kept = shutil.ignore_patterns(".twinpress")
                shutil.copytree(wanted.corpus / str(pages), folder, ignore=kept)
            else:
                corpus("twinpress", pages, folder)
            for line in measure(folder, pages, wanted.saves).lines():
                print(line, flush=True)


if __name__ == "__main__":
    main()
