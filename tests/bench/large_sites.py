"""Large sites: a build from nothing, one with no change, and one after an edit; seconds, and memory.

    python -m tests.bench.large_sites [--sizes 10000 50000] [--edits 3]

Memory is the peak of the proportional set sizes of all processes, in MB. Hugo is measured beside, from
nothing, when `HUGO` names its binary or it is on the PATH. `page` is the CPU time of a page from nothing, for
the ratio of sizes. TMPDIR says where it builds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.builders import Run, corpus, hugo, run, twinpress

MEGABYTES = 1.048576
"""In a MiB."""
EDIT = "\nAn edit: customers attach idempotent webhooks {}.\n"


def size(pages: int, edits: int, root: Path) -> Iterator[str]:
    """Lines of the table for a site of so many pages."""
    for peer in hugo()[-1:]:
        yield _line(pages, peer.name, [run(peer, corpus(peer.flavour, pages, root / "hugo"), memory=True)])
    ours = twinpress()
    folder = corpus(ours.flavour, pages, root / "twinpress")
    yield _line(pages, "from nothing", [run(ours, folder, memory=True)])
    again = [run(ours, folder, cold=False, memory=True) for _ in range(edits)]
    yield _line(pages, "no change", again)
    page, done = sorted((folder / "docs").rglob("*.md"))[pages // 2], []
    for number in range(edits):
        with page.open("a") as file:
            file.write(EDIT.format(number))
        done.append(run(ours, folder, cold=False, memory=True))
    yield _line(pages, "an edit", done)


def _line(pages: int, what: str, runs: Sequence[Run]) -> str:
    wall = statistics.median(each.wall for each in runs)
    cpu = statistics.median(each.cpu for each in runs)
    memory = max(each.memory for each in runs) * MEGABYTES
    return f"  {pages:8,} {what:24} {wall:8.2f} s {memory:7.0f} MB {1000 * cpu / pages:7.2f} ms/page"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--edits", type=int, default=3)
    given = parser.parse_args()
    for pages in given.sizes:
        with tempfile.TemporaryDirectory(prefix="large-") as root:
            for line in size(pages, given.edits, Path(root)):
                print(line, flush=True)


if __name__ == "__main__":
    main()
