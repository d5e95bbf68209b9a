"""All that Twinpress makes of one page, and what it costs the processor."""

from __future__ import annotations

import gc
import time
from pathlib import Path

from builder.paths import Format
from builder.plan.options import Options
from builder.plan.prepare import prepare
from builder.render.render_page import render_page
from builder.review import Review
from builder.site import load, of_source
from builder.store import ContentStore, Source
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\n",
    "docs/a.md": "# A\n\n## Part\n\nWords\n",
    "docs/b.mdx": "# B\n\nWords\n",
}


class Product:
    """A small site, in which pages are rendered on the free plan and reviewed on the premium one."""

    def __init__(self, folder: Path) -> None:
        write_site(folder, SITE)
        self._store = ContentStore(folder)
        options = Options(trusted=False, plan="free")
        self._shared = prepare(folder, self._store, load(self._store, plan="free"), options).shared
        self._review = Review(folder, self._store, plan="premium")
        for form in ("md", "mdx"):
            self.seconds("a\n", form)

    def seconds(self, text: str, form: Format) -> float:
        """The time for frontmatter, HTML, twin, the search's part and diagnostics of a page that is `text`.

        Raises RuntimeError where the builder itself has failed.
        """
        source = Source("docs/c", form, text, None, "", f"docs/c.{form}")
        gc.collect()
        gc.freeze()  # what earlier pages have left is not looked through again
        start = time.process_time()
        page = of_source(source, "").page
        made = render_page(page, self._shared).content if page else None
        told = self._review.page(source, "")
        spent = time.process_time() - start
        faults = [one for one in (*(made.diagnostics if made else ()), *told) if one.code == "internal-error"]
        if made is None or faults:
            raise RuntimeError(f"{text[:80]!r}: {faults}")
        return spent

    def close(self) -> None:
        """Let the site go."""
        self._store.close()
