"""Pages of one kind each that is known to be slow in some parser, or likely to be in ours."""

from __future__ import annotations

import time
from pathlib import Path

from builder.paths import Format
from tests.builder.pathological.html import HTML
from tests.builder.pathological.makers import Kinds
from tests.builder.pathological.markdown import MARKDOWN
from tests.builder.pathological.mdx import MDX
from tests.sites import build_site

KINDS: Kinds = {**MARKDOWN, **HTML, **MDX}
FORMATS: tuple[Format, ...] = ("md", "mdx")


def seconds(folder: Path, name: str, form: Format, size: int) -> float:
    """CPU time of the build of a site that is one such page of `size` bytes; the page must be in it."""
    text = KINDS[name](size)
    assert size // 2 < len(text.encode()) <= size, name
    files = {"site.yml": "title: T\n", f"docs/a.{form}": text}
    start = time.process_time()
    built = build_site(folder, files)
    spent = time.process_time() - start
    assert "</article>" in built.text("docs/a.html")
    assert not {"internal-error", "page-too-large", "page-unreadable"} & set(built.codes)
    return spent
