"""The search without a browser: queries a second in one process, over the sample site and a larger one.

    python -m tests.bench.queries [--pages 1000]

`TWINPRESS_CORPORA` names a folder beside which the corpus generator lies; without it, and with `--pages 0`,
the sample site alone is searched.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import tests
from builder.build import build
from builder.output import FolderOutput
from builder.search.query import SearchIndex
from tests.bench.builders import corpus
from tests.themes.conftest import SAMPLE_SITE

QUESTIONS = Path(tests.__file__).parent / "builder/search/query/questions.json"
TYPED = Path(tests.__file__).parent / "themes/search_first.json"
SECONDS = 5.0


def searching(folder: Path) -> SearchIndex:
    """The search of a built site in a folder."""

    def read(name: str) -> bytes | None:
        file = folder / name
        return file.read_bytes() if file.is_file() else None

    return SearchIndex(read)


def rate(index: SearchIndex, queries: Sequence[str]) -> str:
    """Ask all queries in turn for some seconds of CPU: those a second, and the slowest in ms."""
    for query in queries:
        index.search(query)
    times: list[float] = []
    began = time.process_time()
    while time.process_time() - began < SECONDS:
        start = time.process_time()
        index.search(queries[len(times) % len(queries)])
        times.append(time.process_time() - start)
    return f"{len(times) / sum(times):7.0f} a second, the slowest {1000 * max(times):5.1f} ms"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    count = parser.parse_args().pages if os.environ.get("TWINPRESS_CORPORA") else 0
    sets = {name: [*json.loads(file.read_text("utf-8"))] for name, file in SETS.items()}
    with tempfile.TemporaryDirectory() as folder:
        sites = {"sample site": SAMPLE_SITE}
        if count:
            corpus("twinpress", count, Path(folder) / "large")
            sites[f"{count} pages"] = Path(folder) / "large"
        for number, (name, site) in enumerate(sites.items()):
            out = Path(folder) / f"built-{number}"
            build(site, FolderOutput(out))
            for of, queries in sets.items():
                print(f"{name:<12} {of:<10} {rate(searching(out), queries)}")


SETS = {"questions": QUESTIONS, "typed": TYPED}

if __name__ == "__main__":
    main()
