"""Effects of a change elsewhere: addresses of deleted pages, categories by their index pages, twins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.changes.steps import DeleteStep, EditStep, MoveStep, Step, TextReplacement, WriteStep
from builder.diagnostics import Diagnostic
from builder.review import Review
from builder.review.surroundings import Surroundings
from builder.site import SitePage
from builder.store import CategoryRecord
from tests.builder.changes.changed_sites import changed, content, planned, refused
from tests.sites import write_site

SITE = {
    "site.yml": "title: T  # kept\n",
    "docs/a.md": "# A\n\n[b](b.md) and [b](/docs/b)\n",
    "docs/b.md": "# B\n",
    "docs/b.llms.md": "B for machines\n",
    "docs/guide/index.md": "---\ntitle: Guide\nsidebar_position: 2\n---\n\nText.\n",
    "docs/guide/c.md": "# C\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a site."""
    return write_site(tmp_path / "site", SITE)


def edit(path: str, old: str = "", new: str = "", **frontmatter: object) -> EditStep:
    return EditStep(path, (TextReplacement(old, new),) if old else (), frontmatter)


def test_the_address_of_a_deleted_page_leads_on(root: Path) -> None:
    plan = changed(
        root, DeleteStep("docs/b", redirect="/docs/new"), WriteStep("docs/new", "md", {}, "New.\n")
    )
    assert plan.redirects == {"/docs/b": "/docs/new"}
    assert b"  /docs/b: /docs/new\n" in (root / "site.yml").read_bytes()
    assert not (root / "docs/b.md").exists()


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("/docs/none", "/docs/b: there is no page or file `/docs/none`"),
        ("/docs/b", "circle"),
        ("https://other.example/", "the owner's alone"),
    ],
)
def test_a_deletion_leaves_no_address_that_leads_nowhere(root: Path, target: str, says: str) -> None:
    before = content(root)
    error = refused(root, WriteStep("docs/x", "md", {}, "X\n"), DeleteStep("docs/b", redirect=target))
    assert (error.index, error.field) == (1, "redirect")
    assert says in str(error)
    assert content(root) == before


def test_a_link_that_was_broken_before_is_none_that_a_move_breaks(root: Path) -> None:
    (root / "docs/a.md").write_text("# A\n\n[b](b.md#nope)\n\n[b](b.md) and [x](none.md)\n")
    assert planned(root, MoveStep("docs/b", "docs/bee")).broken == ()
    lost = planned(root, MoveStep("docs/b", "docs/bee"), DeleteStep("docs/bee")).broken
    assert [(one.path, one.line) for one in lost or () if one.path] == [("docs/a", 3), ("docs/a", 5)]


@pytest.mark.parametrize(
    "step",
    [
        MoveStep("docs/b", "docs/shop", redirect=False),
        MoveStep("docs/b", "docs/shop"),
        MoveStep("docs/b", "pages/outside"),
        MoveStep("docs/b", "docs/shop/index"),
        MoveStep("docs/b", "docs/filed"),
        WriteStep("docs/shop", "md", {}, "S\n"),
        WriteStep("docs/filed", "md", {}, "S\n"),
        WriteStep("docs/z", "md", {"slug": "/docs/shop"}, "S\n"),
    ],
)
def test_no_page_comes_to_where_the_owner_leads_elsewhere(root: Path, step: Step) -> None:
    write_site(root, {"static/_redirects": "/docs/filed https://shop.example/ 301\n"})
    (root / "site.yml").write_text(
        "title: T\nextras: [slug]\n"
        "redirects:\n  /docs/shop: https://shop.example/\n  /outside: https://shop.example/\n"
    )
    before = content(root)
    error = refused(root, WriteStep("docs/x", "md", {}, "X\n"), step)
    assert error.index == 1
    assert "the owner's alone" in str(error)
    assert content(root) == before


def test_who_edits_a_body_is_told_of_the_twin_that_stays(root: Path) -> None:
    plan = changed(root, edit("docs/b", "# B", "# Bee"))
    assert [(one.code, one.file) for one in plan.pages[0].sent.notes] == [
        ("twin-unchanged", "docs/b.llms.md")
    ]
    assert changed(root, edit("docs/b", title="B")).pages[0].sent.notes == ()
    both = EditStep(
        "docs/b", (TextReplacement("Bee", "B"), TextReplacement("machines", "agents", part="llmBody"))
    )
    assert changed(root, both).pages[0].sent.notes == ()
    assert changed(root, edit("docs/a", "# A", "# Aa")).pages[0].sent.notes == ()


def test_categories_are_told_that_are_placed_by_their_index_page(root: Path) -> None:
    assert changed(root, edit("docs/guide/index", "Text", "Words")).categories == ()
    plan = changed(root, edit("docs/guide/index", sidebar_position=1, sidebar_label="How to"))
    assert plan.categories == (CategoryRecord("docs/guide", label="How to", position=1),)
    moved = changed(root, MoveStep("docs/guide", "docs/ways"))
    assert moved.categories == (CategoryRecord("docs/ways", label="How to", position=1),)
    gone = changed(root, DeleteStep("docs/ways/index"))
    assert gone.categories == (CategoryRecord("docs/ways"),)


@pytest.mark.parametrize(
    ("settings", "looked_at"),
    [("", 1), ("variables: {who: us}\n", 2), ("extras: [includes]\n", 3)],
    ids=["plain", "variables", "includes"],
)
def test_pages_are_looked_at_that_may_show_more_than_they_say(
    root: Path, monkeypatch: pytest.MonkeyPatch, settings: str, looked_at: int
) -> None:
    (root / "site.yml").write_text(f"title: T\n{settings}")
    (root / "docs/said.mdx").write_text("# S\n\nBy %{who}.\n")
    (root / "docs/shown.mdx").write_text("# S\n\n<Steps>\n\n</Steps>\n")
    looked, told = set[str](), Review.told

    def counted(review: Review, page: SitePage, around: Surroundings) -> Iterator[Diagnostic]:
        looked.add(page.path)
        return told(review, page, around)

    monkeypatch.setattr(Review, "told", counted)
    planned(root, DeleteStep("docs/b"))
    assert len(looked) == looked_at, looked
