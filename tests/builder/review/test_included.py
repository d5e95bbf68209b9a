"""A review of a page sees what the page includes as it is now, and nothing that it may not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.errors import InvalidPath
from builder.review import Review
from builder.store import ContentStore, Source
from tests.builder.trees import make

SITE = {
    "site/site.yml": "title: T\nextras: [includes, components]\n",
    "site/docs/a.mdx": "# A\n",
    "site/docs/b.mdx": "<Include src='_part.mdx' />\n",
    "site/docs/_part.mdx": "## Here\n\n[a](./a)\n",
    "site/.git/config": "SECRET",
    "site/.env": "SECRET",
    "site/.twinpress/state/_keys.mdx": "SECRET",
    "other/docs/_part.mdx": "SECRET",
}
ATTACKS = [
    "../.git/config",
    "/.git/config",
    "../.env",
    "../.twinpress/state/_keys.mdx",
    "../../other/docs/_part.mdx",
    "/etc/passwd",
    "../../../../../../etc/passwd",
    "_part.mdx/../../.env",
    "./.././.env",
    "%2e%2e/.env",
    "..%2f.env",
    "_link.mdx",
]


def _codes(review: Review, text: str) -> list[str]:
    source = Source("docs/x", "mdx", text, None, "", "docs/x.mdx")
    return [one.code for one in review.page(source, "")]


def test_a_review_sees_parts_as_they_are_now(tmp_path: Path) -> None:
    root = make(tmp_path, SITE) / "site"
    with ContentStore(root) as store:
        review = Review(root, store)
        assert _codes(review, "<Include src='_part.mdx' /> [b](./b#here)") == []
        (root / "docs/_part.mdx").write_text("[none](./none)\n")
        assert sorted(_codes(review, "<Include src='_part.mdx' /> [b](./b#here)")) == [
            "broken-anchor",
            "broken-link",
        ]
        assert [one.file for one in review.inbound("docs/a")] == []


def test_a_link_of_a_part_is_a_link_of_the_page(tmp_path: Path) -> None:
    root = make(tmp_path, SITE) / "site"
    with ContentStore(root) as store:
        assert [one.file for one in Review(root, store).inbound("docs/a")] == ["docs/b.mdx"]


@pytest.mark.parametrize("src", ATTACKS)
@pytest.mark.parametrize(
    "form", ["<Include src='{}' />", "```txt file='{}'\n```", "```txt file='{}' region='x'\n```"]
)
def test_nothing_comes_out_of_what_a_page_may_not_see(tmp_path: Path, form: str, src: str) -> None:
    root = make(tmp_path, SITE) / "site"
    (root / "docs/_link.mdx").symlink_to("../.env")
    with ContentStore(root) as store:
        source = Source("docs/x", "mdx", form.format(src), None, "", "docs/x.mdx")
        found = Review(root, store).page(source, "")
    assert {one.code for one in found} <= {"include-refused", "include-missing"}
    assert found
    assert "SECRET" not in repr(found)


def test_a_part_is_no_page_that_can_be_written(tmp_path: Path) -> None:
    root = make(tmp_path, SITE) / "site"
    with ContentStore(root) as store:
        for path in ("docs/_part", "docs/_parts/x", "_components/Card", "_components/x"):
            with pytest.raises(InvalidPath):
                store.write(path, "mdx", "x")


def test_a_review_includes_from_folders_that_were_named(tmp_path: Path) -> None:
    root = make(tmp_path, SITE) / "site"
    text = "```py file='../../other/app.py'\n```\n"
    (tmp_path / "other/app.py").write_text("print(1)\n")
    with ContentStore(root) as store:
        (found,) = Review(root, store).page(Source("docs/x", "mdx", text, None, "", "docs/x.mdx"), "")
        assert (found.code, "`--include-root`" in found.hint) == ("include-refused", True)
        assert _codes(Review(root, store, include_roots=(str(tmp_path / "other"),)), text) == []
