"""A page that is reviewed at a glance is told what a review with a look at all pages says of it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.diagnostics import Diagnostic
from builder.review import Review
from builder.store import ContentStore, Source
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\n",
    "docs/a.md": "# A\n\n## Part\n\n[b](b) [c](c#part)\n",
    "docs/b.md": "# B\n\n## Part\n\n[a](a#part) ![pic](pic.png)\n",
    "docs/c.md": "# C\n\n## Part\n\n[home](/#part)\n",
    "docs/pic.png": "x",
    "docs/sub/d.md": "[a](../a#part) [e](/e)\n",
    "pages/e.md": "# E\n",
    "pages/index.md": "# Home\n\n## Part\n\n[a](/docs/a#part) [self](/#part)\n",
}


def source(root: Path, path: str) -> Source:
    """A page as it is now."""
    with ContentStore(root) as store:
        return store.read(path)


def fresh(root: Path, page: Source) -> tuple[Diagnostic, ...]:
    """Return the findings of somebody who has never seen the site before."""
    with ContentStore(root) as store:
        return Review(root, store).page(page, "")


Change = Callable[[Path], object]
CHANGES: dict[str, tuple[str, Change]] = {
    "nothing": ("docs/a", Path.exists),
    "the linked page has lost its part": ("docs/a", lambda root: (root / "docs/c.md").write_text("# C\n")),
    "the linked page is a draft now": (
        "docs/b",
        lambda root: (root / "docs/a.md").write_text("---\ndraft: true\n---\n\n## Part\n"),
    ),
    "the linked page has gone": ("docs/a", lambda root: (root / "docs/b.md").unlink()),
    "the linked page is too large": ("docs/a", lambda root: os.truncate(root / "docs/b.md", 2_000_000)),
    "the image has gone": ("docs/b", lambda root: (root / "docs/pic.png").unlink()),
    "the image is a link": (
        "docs/b",
        lambda root: ((root / "docs/pic.png").unlink(), (root / "docs/pic.png").symlink_to("/etc/passwd")),
    ),
    "the home page has lost its part": ("docs/c", lambda root: (root / "pages/index.md").write_text("# H\n")),
    "the linked folder has gone": (
        "docs/a",
        lambda root: ((root / "docs/c.md").unlink(), (root / "docs/c").mkdir()),
    ),
    "a second file stands beside it": ("docs/a", lambda root: (root / "docs/a.mdx").write_text("# A\n")),
    "another page takes its address": (
        "docs/a",
        lambda root: ((root / "static/docs").mkdir(parents=True), (root / "static/docs/a.html").touch()),
    ),
    "the plan allows nothing": ("docs/a", lambda root: (root / "site.yml").write_text("base_path: /x\n")),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("pause", [0.0, 0.1], ids=["at once", "later"])
def test_a_glance_says_what_a_look_at_everything_says(tmp_path: Path, name: str, pause: float) -> None:
    root = write_site(tmp_path, SITE)
    path, change = CHANGES[name]
    page = source(root, path)
    with ContentStore(root) as store:
        review = Review(root, store)
        for _ in range(2):
            assert review.glance(page, "", review.outline()) == ()
            time.sleep(pause)
        change(root)
        told = review.glance(page, "", review.outline())
    assert told is None or told == fresh(root, page)


MENDED = {
    "the page is there": ("[x](x)", lambda root: (root / "docs/x.md").write_text("x")),
    "the page has the part": ("[a](a#no)", lambda root: (root / "docs/a.md").write_text("## No\n")),
    "the image is there": ("![x](x.png)", lambda root: (root / "docs/x.png").write_text("x")),
}


@pytest.mark.parametrize("name", MENDED)
def test_what_was_wrong_is_not_told_any_more_once_another_file_has_mended_it(
    tmp_path: Path, name: str
) -> None:
    root = write_site(tmp_path, SITE)
    text, change = MENDED[name]
    page = Source("docs/new", "md", text, None, "", "docs/new.md")
    with ContentStore(root) as store:
        review = Review(root, store)
        assert review.glance(page, "", review.outline()) is None
        assert len(review.page(page, "")) == 1
        change(root)
        told = review.glance(page, "", review.outline())
        assert not (review.page(page, "") if told is None else told)


def test_a_glance_reads_no_page_that_is_not_linked(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    page = source(root, "docs/sub/d")
    with ContentStore(root) as store:
        review = Review(root, store)
        review.outline()
        os.truncate(root / "docs/b.md", 0)
        os.truncate(root / "docs/c.md", 0)
        assert review.glance(page, "", review.outline()) == ()


def test_a_glance_is_right_in_a_long_session_of_random_edits(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    chance = random.Random(7)
    names = [
        "docs/a.md",
        "docs/b.md",
        "docs/c.md",
        "docs/sub/d.md",
        "docs/x.mdx",
        "docs/pic.png",
        "pages/e.md",
    ]
    texts = ["# T\n\n## Part\n", "---\ndraft: true\n---\n\n## Part\n", "[x](x) [a](/docs/a#part)\n", "# No\n"]
    glances = 0
    with ContentStore(root) as store:
        review = Review(root, store)
        for _ in range(150):
            file = root / chance.choice(names)
            if chance.random() < 0.2:
                file.unlink(missing_ok=True)
            else:
                file.write_text(chance.choice(texts))
            time.sleep(chance.choice([0.0, 0.0, 0.06]))
            text = chance.choice(
                ["[a](a#part) [c](c)", "[x](x)", "![p](pic.png) [d](sub/d)", "[e](/e) [b](b#part)"]
            )
            page = Source("docs/new", "md", text, None, "", "docs/new.md")
            told = review.glance(page, "", review.outline())
            glances += told is not None
            assert (review.page(page, "") if told is None else told) == fresh(root, page)
    assert glances > 20
