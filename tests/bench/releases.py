"""The disk that releases of one site take: of one, and of ten with a page edited before each.

    python -m tests.bench.releases [--pages 1000] [--releases 10] [--folder DIR]

The pages are those of the benchmark of publishing, each of some 5 KB. Told are the bytes of all that readers'
releases are made of (objects, lists, records, the pointer), and those files that later releases have anew.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

from builder.store import ContentStore
from server.publishing.make_release import ReleaseMaker, ReleaseNews, ReleaseOrder
from server.publishing.parts import PublishedFolders
from server.publishing.run_build import Stop
from server.releases.release_store import ReleaseStore
from tests.bench.publish import fill, page

QUIET = ReleaseNews(*[lambda _: None] * 4)
SITE = "1"


class Stored(dict[Path, int]):
    """The files of a folder, and their bytes on the disk."""

    def __init__(self, folder: Path) -> None:
        super().__init__({each: each.stat().st_blocks * 512 for each in folder.rglob("*") if each.is_file()})

    @property
    def megabytes(self) -> float:
        """The bytes of all."""
        return sum(self.values()) / 1e6


def measure(data: Path, pages: int, releases: int) -> float:
    """Publish so many releases; return how many times as much they take as one."""
    root = data / "sites" / SITE
    root.mkdir(parents=True)
    fill(root, pages)
    folders, chance = PublishedFolders(data), pages // releases
    store, folder = folders.releases(SITE), data / "releases" / SITE
    with ContentStore(root) as sources:
        maker = ReleaseMaker(sources, folders.work(SITE), store, time.time)
        found = list[Stored]()
        for number in range(releases):
            edited = number * chance
            (root / f"docs/f{edited % 20}/p{edited}.md").write_text(page(edited, f"Change {number}."))
            began = time.perf_counter()
            maker.make(ReleaseOrder("free", "http://quay.localhost", "bench"), QUIET, Stop())
            took = time.perf_counter() - began
            found.append(Stored(folder))
            print(f"release {number + 1}: {found[-1].megabytes:.1f} MB, made in {took:.1f} s", flush=True)
    _tell_growth(store, found)
    return found[-1].megabytes / found[0].megabytes


def _tell_growth(store: ReleaseStore, found: list[Stored]) -> None:
    """Print which files of releases have taken most of what came after the first."""
    sizes, names = Counter[str](), dict[str, str]()
    for number in store.numbers():
        for files in (store.files(number), store.sources(number)):
            names |= {file.digest.hex(): path for path, file in files.items()}
    for place in found[-1].keys() - found[0].keys():
        sizes[names.get(place.name, place.name)] += found[-1][place]
    for name, size in sizes.most_common(8):
        print(f"  {size / 1e6:6.2f} MB  {name}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--releases", type=int, default=10)
    parser.add_argument("--folder", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=wanted.folder) as folder:
        ratio = measure(Path(folder), wanted.pages, wanted.releases)
    print(f"{wanted.releases} releases of {wanted.pages:,} pages take {ratio:.2f} times what one takes")


if __name__ == "__main__":
    main()
