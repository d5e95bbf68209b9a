"""The search in Chromium: known items and held-out queries over real trees, beside Pagefind and MiniSearch.

It prints the bytes and the time, too, and what the index costs a build.

    python -m tests.bench.search [--pages 1000]

`TWINPRESS_CORPORA` names the folder with the trees of redux and jest; the corpus generator lies beside it.
Pagefind is measured when its wheel is installed (`pip install 'pagefind[extended]'`), MiniSearch when
`MINISEARCH` names its script (`dist/umd/index.js` of its package).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from builder.search import Part
from tests.bench import held_out
from tests.bench.builders import corpus
from tests.bench.cold import cold
from tests.bench.engines import engines, prepare
from tests.bench.index_cost import Rendered, built, cost, memory
from tests.bench.known_items import Item, items
from tests.chromium import chromium
from tests.themes.conftest import FLAGS, SAMPLE_SITE
from tests.themes.site import served

TIMED = "async (query) => { const t = performance.now(); await ask(query); return performance.now() - t; }"


def tree(corpora: Path, name: str, folder: Path) -> Path:
    """One of the foreign trees as a site."""
    shutil.copytree(corpora / name / "docs", folder / name / "docs", copy_function=shutil.copyfile)
    (folder / name / "site.yml").write_text(f"title: {name}\n")
    return folder / name


def success(places: Sequence[int | None]) -> str:
    """Tell how often the item came first, and among the first five."""
    first = sum(place == 0 for place in places) / len(places)
    five = sum(place is not None and place < 5 for place in places) / len(places)
    return f"first {first:6.1%}  within five {five:6.1%}"


def place(found: Sequence[str], item: Item) -> int | None:
    """Find the item's place among the results, from 0: its section, or its page among the pages."""
    exact = "#" in item.url
    places = list(dict.fromkeys(url.rstrip("#") if exact else url.partition("#")[0] for url in found))
    return places.index(item.url) if item.url in places else None


def measure(browser: Browser, folder: Path, parts: Sequence[Part], pages: Sequence[Rendered]) -> None:
    """Print the success of every search there is, set by set."""
    sets = {**items(parts), **held_out.items(pages)}
    with served(folder) as address:
        for name, (script, given) in engines(folder, parts).items():
            context = browser.new_context(bypass_csp=True)
            page = context.new_page()
            page.goto(address)
            prepare(page, name, script, given)
            for known, queries in sets.items():
                answers = [page.evaluate("(query) => ask(query)", item.query) for item in queries]
                places = [place(found, item) for found, item in zip(answers, queries, strict=True)]
                warm = statistics.median(page.evaluate(TIMED, item.query) for item in queries[:50])
                print(f"  {name:<11} {known:<6} n={len(queries):<4} {success(places)}  warm {warm:5.1f} ms")
            context.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    count = parser.parse_args().pages
    corpora = Path(os.environ.get("TWINPRESS_CORPORA") or sys.exit("set TWINPRESS_CORPORA"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        sites = {name: tree(corpora, name, Path(folder)) for name in ("redux", "jest")}
        for name, site in {**sites, "sample site": SAMPLE_SITE}.items():
            out = Path(folder) / f"{name}-built"
            parts, pages = built(site, out)
            print(f"{name}: {len(parts)} pages, {sum(len(part.sections) for part in parts)} sections")
            print(cost(parts, pages))
            measure(browser, out, parts, pages)
        if count:
            large = Path(folder) / "large"
            corpus("twinpress", count, large)
            parts, pages = built(large, Path(folder) / "large-built")
            print(f"{count} pages", cost(parts, pages), memory(parts), sep="\n")
            print(*cold(browser, Path(folder) / "large-built", parts), sep="\n")
        browser.close()


if __name__ == "__main__":
    main()
