"""The time that builds take, from nothing and after an edit, beside Hugo in the same run.

    python -m tests.bench.build [--sizes 1000 5000] [--large 10000] [--runs 5] [--seed 1]

The corpus generator is found beside the test corpora (`TWINPRESS_CORPORA`). Hugo is measured in turn with
Twinpress, so that both see the same machine, when `HUGO` names its binary or it is on the PATH. Before one
from nothing the last output is moved away, then, in a second round, deleted: ext4 without a journal is
slow to make files for some minutes after as many were deleted. Numbers are medians; the machine must have
nothing else to do. `tests/bench/README.md` says what came out.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.builders import Builder, Run, corpus, hugo, new_files, run, twinpress


@dataclass(slots=True)
class Measured:
    """Runs of one kind."""

    name: str
    runs: list[Run] = field(default_factory=list)

    @property
    def wall(self) -> float:
        """Median seconds."""
        return statistics.median(each.wall for each in self.runs)

    @property
    def cpu(self) -> float:
        """Median seconds of all processors."""
        return statistics.median(each.cpu for each in self.runs)

    def line(self, pages: int, base: float | None = None) -> str:
        """A line of the table; `base` are the seconds of the fastest peer."""
        walls = [each.wall for each in self.runs]
        ratio = f"{self.wall / base:6.2f}" if base else ""
        spread = f"{min(walls):.2f}-{max(walls):.2f}"
        times = f"{self.wall:7.2f} {spread:>14} {self.cpu:7.2f} {1000 * self.cpu / pages:8.2f} {ratio}"
        return f"  {self.name:32} {times}"


HEAD = f"  {'':32} {'wall s':>7} {'min-max':>14} {'cpu s':>7} {'ms/page':>8} of the fastest peer's cold build"


def size(pages: int, runs: int, seed: int, root: Path) -> Iterator[str]:
    """Cold builds in turn, then builds with no change and with one, in turn."""
    ours, peers = twinpress(), hugo()
    folders = {each.flavour: root / f"{each.flavour}-{pages}" for each in (ours, *peers)}
    for flavour, folder in folders.items():
        corpus(flavour, pages, folder, seed)
    yield f"{pages:,} pages, median of {runs} in turn, seed {seed}"
    yield HEAD
    for word, away in (("moved", _folder(root, "away")), ("deleted", None)):
        cold = [Measured(f"{each.name}, cold, {word}") for each in (ours, *peers)]
        for number in range(runs + 1):
            for each, measured in zip((ours, *peers), cold, strict=True):
                found = run(each, folders[each.flavour], away=away)
                measured.runs += [found] if number else []  # the first only warms the file system
        base = min((each.wall for each in cold[1:]), default=None)
        yield from (each.line(pages, base) for each in cold)
    for each in (ours, *peers):
        run(each, folders[each.flavour])
        yield f"  {each.name}: {new_files(each, folders[each.flavour]) / pages:.2f} new files a page"
    yield from (each.line(pages, base) for each in again(ours, folders[ours.flavour], runs))


def _folder(root: Path, name: str) -> Path:
    (root / name).mkdir(exist_ok=True)
    return root / name


def again(ours: Builder, folder: Path, runs: int) -> tuple[Measured, Measured]:
    """Builds over a finished one, with no change and with a line more in one page."""
    same, edited = Measured("no change"), Measured("one page edited")
    run(ours, folder)
    page = sorted(folder.glob("docs/*/*.md"))[7]
    text = page.read_text()
    for number in range(runs):
        same.runs.append(run(ours, folder, cold=False))
        page.write_text(f"{text}\nEdited for the {number}th time.\n")
        edited.runs.append(run(ours, folder, cold=False))
        built = folder / "dist" / page.relative_to(folder).with_suffix(".html")
        assert f"{number}th time" in built.read_text(), "the edit is not in the output"
    return same, edited


def processors(pages: int, runs: int, seed: int, root: Path) -> Iterator[str]:
    """One process against as many as there are processors."""
    one, all_ = twinpress("-j", "1"), twinpress()
    folder = corpus(one.flavour, pages, root / f"jobs-{pages}", seed)
    found = {each.name: Measured(each.name) for each in (one, all_)}
    for _ in range(runs):
        for each in (one, all_):
            found[each.name].runs.append(run(each, folder, away=_folder(root, "away")))
    first, second = found.values()
    number = len(os.sched_getaffinity(0))
    yield f"{pages:,} pages, {number} processors against one: {first.wall / second.wall:.2f} times as fast"


def large(pages: int, small: int, runs: int, seed: int, root: Path) -> Iterator[str]:
    """Compare the cost of a page on a large site and a small one, and measure the memory of all processes."""
    ours = twinpress()
    cost = {}
    for count in (small, pages):
        folder = corpus(ours.flavour, count, root / f"large-{count}", seed)
        measured = Measured("", [run(ours, folder, memory=count == pages) for _ in range(runs)])
        cost[count] = 1000 * measured.cpu / count
        yield f"{count:,} pages: {measured.wall:.2f} s, {cost[count]:.2f} ms of CPU a page"
    yield f"CPU a page at {pages:,} against {small:,}: {cost[pages] / cost[small]:.2f}"
    peak = max(each.memory for each in measured.runs)
    yield f"peak memory of all processes at {pages:,} pages: {peak:.0f} MiB"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 5000])
    parser.add_argument("--large", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    fewer = max(1, wanted.runs - 2)
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for pages in wanted.sizes:
            show(size(pages, wanted.runs if pages <= 1000 else fewer, wanted.seed, root))
        if wanted.sizes:
            show(processors(max(wanted.sizes), fewer, wanted.seed, root))
        if wanted.large:
            show(large(wanted.large, 1000, fewer, wanted.seed, root))


def show(lines: Iterator[str]) -> None:
    """Print each line when it is there: some take minutes."""
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
