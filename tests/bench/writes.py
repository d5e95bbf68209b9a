"""Writes a second: a raw loop of write, fsync, rename, fsync beside the store without and with a history.

    python -m tests.bench.writes [--seconds 3] [--rounds 3] [--size 4000] [FOLDER]

All three are measured in turn in the same folder, because disks differ and are busy with other things.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from builder.store import ChangeNote, ContentStore
from server.history import History

PAGES = 50
Write = Callable[[int], object]


@contextmanager
def raw(folder: Path, size: int) -> Iterator[Write]:
    """Measure the least that a durable write takes."""
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def write(n: int) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        file = os.open(".draft", flags, 0o666, dir_fd=directory)
        os.write(file, text(n, size).encode())
        os.fsync(file)
        os.close(file)
        os.rename(".draft", f"{n % PAGES}.md", src_dir_fd=directory, dst_dir_fd=directory)
        os.fsync(directory)

    try:
        yield write
    finally:
        os.close(directory)


@contextmanager
def store(folder: Path, size: int) -> Iterator[Write]:
    """The store by itself."""
    with ContentStore(folder) as site:
        yield lambda n: site.write(f"docs/guide/{n % PAGES}", "md", text(n, size))


@contextmanager
def kept(folder: Path, size: int) -> Iterator[Write]:
    """The store with a history, which folds in the background meanwhile."""
    note = ChangeNote("bench", "bench")
    with History(folder / ".twinpress/state") as history, ContentStore(folder, history) as site:
        history.catch_up()
        yield lambda n: site.write(f"docs/guide/{n % PAGES}", "md", text(n, size), note=note)


def text(n: int, size: int) -> str:
    """A page that differs from the one before it."""
    return f"# Page {n}\n\n" + (f"All that page {n} says. " * size)[:size]


def rate(write: Write, seconds: float, start: int) -> float:
    """Writes a second."""
    began = time.perf_counter()
    n = start
    while time.perf_counter() - began < seconds:
        write(n)
        n += 1
    return (n - start) / (time.perf_counter() - began)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=4000)
    options = parser.parse_args()
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as made, ExitStack() as stack:
        writers: dict[str, Write] = {}
        for make in (raw, store, kept):
            folder = Path(made) / make.__name__
            folder.mkdir()
            writers[make.__name__] = stack.enter_context(make(folder, options.size))
        for turn in range(options.rounds):
            for name, write in writers.items():
                rates.setdefault(name, []).append(rate(write, options.seconds, turn * 1_000_000))
    for name, found in rates.items():
        middle = statistics.median(found)
        of_raw = middle / statistics.median(rates["raw"])
        of_store = middle / statistics.median(rates["store"])
        print(f"{name:<6} {middle:8.0f} /s   {of_raw:5.2f} of raw   {of_store:5.2f} of the store")


if __name__ == "__main__":
    main()
