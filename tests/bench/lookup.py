"""Search and diagnostics of a site as it is now: the first and the next questions, and those after an edit.

    python -m tests.bench.lookup [--pages 1000]

`TWINPRESS_CORPORA` names a folder beside which the corpus generator lies.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from builder.review import Review
from builder.store import ContentStore
from server.authoring.lookup.site_findings import FindingsQuestion
from server.authoring.lookup.site_search import SearchQuestion
from tests.bench.builders import corpus


def timed(name: str, work: Callable[[], str]) -> None:
    """Print what work says, and how long it took."""
    start = time.perf_counter()
    said = work()
    print(f"{name:<28} {time.perf_counter() - start:6.2f} s  {said}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    count = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        corpus("twinpress", count, site)
        with ContentStore(site) as store:
            review = Review(site, store)

            def search() -> str:
                found = SearchQuestion("install the configuration", 10, 0).answer(review, review.site())
                return f"{found.indexed} of {found.pages} pages, {len(found.hits)} hits"

            def check() -> str:
                found = FindingsQuestion("", "", "", 100).answer(review, review.site())
                return f"{found.checked} of {found.pages} pages, {found.counts}"

            while True:
                timed("search", search)
                if " ".join(search().split()[:3]) == f"{count} of {count}":
                    break
            timed("search again", search)
            timed("diagnostics", check)
            timed("diagnostics again", check)
            page = next((site / "docs").rglob("*.md*"))
            page.write_text(f"{page.read_text('utf-8')}\nMore words.\n", "utf-8")
            timed("search after an edit", search)
            timed("diagnostics after an edit", check)


if __name__ == "__main__":
    main()
