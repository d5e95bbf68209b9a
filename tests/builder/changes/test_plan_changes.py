"""Changes of many files at once: planned on a working copy, with what they do elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from builder.changes.steps import (
    CategoryStep,
    DeleteCategoryStep,
    DeleteStep,
    EditStep,
    LineReplacement,
    MoveStep,
    RedirectStep,
    Step,
    TextReplacement,
    WriteStep,
)
from builder.errors import PageLimitReached, PageNotFound, PathConflict, RevisionMismatch
from builder.store import ContentStore
from tests.builder.changes.changed_sites import changed, content, planned, redirects, refused, told
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\nnav:\n  - label: A\n    href: /docs/a\n",
    "docs/a.mdx": "---\ntitle: A  # kept\ntags: [x]\n---\n\nText of A.\n\n## Part\n\nMore.\n",
    "docs/b.md": "# B\r\n\r\n[a](a.mdx#part) and [c](/docs/guide/c)\r\n",
    "docs/b.llms.md": "B for machines\n",
    "docs/guide/_category_.yml": "label: Guide\n",
    "docs/guide/c.md": "C, see [b](../b.md)\n",
    "docs/guide/d.md": "D, see [c](./c)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a site."""
    return write_site(tmp_path / "site", SITE)


def write(path: str, body: str, **more: Any) -> WriteStep:
    return WriteStep(path, more.pop("format", "mdx"), more.pop("frontmatter", {}), body, **more)


def text(path: str, old: str, new: str) -> EditStep:
    return EditStep(path, (TextReplacement(old, new),))


def test_links_among_new_pages_are_right_whatever_their_order(root: Path) -> None:
    pages = [write(f"docs/new/{n}", f"[next](./{(n + 1) % 6})\n") for n in range(6)]
    plan = changed(root, *pages)
    assert told(plan) == {f"docs/new/{n}": [] for n in range(6)}
    assert all(page.created for page in plan.pages)
    assert plan.broken == ()


def test_each_operation_sees_what_those_before_did(root: Path) -> None:
    plan = changed(
        root,
        write("docs/new", "One.\n"),
        text("docs/new", "One", "Two"),
        MoveStep("docs/new", "docs/guide/new", redirect=False),
        text("docs/guide/new", "Two", "Three"),
        DeleteStep("docs/guide/c"),
        write("docs/guide/c", "C again.\n", format="md"),
    )
    assert (root / "docs/guide/new.mdx").read_text() == "Three.\n"
    assert not (root / "docs/new.mdx").exists()
    assert [(page.path, page.created, page.moved_from) for page in plan.pages] == [
        ("docs/guide/c", False, ""),
        ("docs/guide/new", True, ""),
    ]


def test_addresses_that_came_and_went_within_a_change_lead_nowhere(root: Path) -> None:
    changed(
        root,
        MoveStep("docs/guide/c", "docs/guide/passing"),
        MoveStep("docs/guide/d", "docs/guide/c"),
        MoveStep("docs/guide/passing", "docs/guide/d"),
        MoveStep("docs/a", "docs/guide/a"),
        write("docs/new", "New.\n"),
        MoveStep("docs/new", "docs/newer"),
    )
    assert redirects(root) == {"/docs/a": "/docs/guide/a"}


def test_a_folder_that_came_and_went_within_a_change_leads_nowhere(root: Path) -> None:
    many = (write(f"docs/many/page-{number}", "Text.\n") for number in range(210))
    changed(root, *many, MoveStep("docs/many", "docs/more"), MoveStep("docs/guide", "docs/more/guide"))
    assert redirects(root) == {
        "/docs/guide/": "/docs/more/guide/",
        "/docs/guide/c": "/docs/more/guide/c",
        "/docs/guide/d": "/docs/more/guide/d",
    }


def test_what_comes_and_goes_within_a_change_changes_nothing(root: Path) -> None:
    plan = changed(root, write("docs/new", "One.\n"), DeleteStep("docs/new"))
    assert (plan.pages, dict(plan.replacement.wanted)) == ((), {})
    assert content(root) == {name: data.encode() for name, data in SITE.items()}


def test_a_deletion_tells_of_the_links_that_break_and_of_navigation(root: Path) -> None:
    plan = changed(root, DeleteStep("docs/a"))
    assert [(one.path, one.file, one.line) for one in plan.broken or ()] == [
        ("", "site.yml", 4),
        ("docs/b", "docs/b.md", 3),
    ]
    assert [(page.path, page.deleted) for page in plan.pages] == [("docs/a", True)]


def test_a_heading_that_goes_breaks_the_links_to_it(root: Path) -> None:
    plan = planned(root, text("docs/a", "## Part", "## Other"))
    assert [(one.file, one.line) for one in plan.broken or ()] == [("docs/b.md", 3)]
    assert planned(root, text("docs/a", "More.", "Much more.")).broken == ()


def test_a_move_takes_links_navigation_and_addresses_along(root: Path) -> None:
    plan = changed(root, MoveStep("docs/a", "docs/guide/start"))
    site = (root / "site.yml").read_text()
    assert "href: /docs/guide/start" in site
    assert "/docs/a: /docs/guide/start" in site
    assert "[a](guide/start.mdx#part)" in (root / "docs/b.md").read_text()
    assert (root / "docs/guide/start.mdx").read_text() == SITE["docs/a.mdx"]
    assert dict(plan.redirects) == {"/docs/a": "/docs/guide/start"}
    assert dict(plan.links) == {"docs/b.md": 1, "site.yml": 1}
    assert [(page.path, page.moved_from) for page in plan.pages] == [("docs/guide/start", "docs/a")]
    assert plan.broken == ()


def test_a_folder_moves_as_a_whole(root: Path) -> None:
    plan = changed(root, MoveStep("docs/guide", "docs/manual"))
    assert not (root / "docs/guide").exists()
    assert (root / "docs/manual/_category_.yml").read_text() == "label: Guide\n"
    assert [(page.path, page.moved_from) for page in plan.pages] == [
        ("docs/manual/c", "docs/guide/c"),
        ("docs/manual/d", "docs/guide/d"),
    ]
    assert dict(plan.redirects) == {
        "/docs/guide/c": "/docs/manual/c",
        "/docs/guide/d": "/docs/manual/d",
        "/docs/guide/": "/docs/manual/",
    }


def test_moves_in_a_row_are_one_move(root: Path) -> None:
    plan = changed(root, MoveStep("docs/a", "docs/x"), MoveStep("docs/x", "docs/y"))
    assert [(page.path, page.moved_from) for page in plan.pages] == [("docs/y", "docs/a")]
    assert "[a](y.mdx#part)" in (root / "docs/b.md").read_text()


def test_a_new_page_takes_the_place_of_one_that_moved(root: Path) -> None:
    plan = changed(root, MoveStep("docs/a", "docs/old", redirect=False), write("docs/a", "New.\n"))
    found = {page.path: (page.created, page.moved_from) for page in plan.pages}
    assert found == {"docs/a": (True, ""), "docs/old": (False, "docs/a")}


def test_a_page_that_moved_and_was_deleted_is_told_at_its_old_path(root: Path) -> None:
    plan = changed(root, MoveStep("docs/guide/d", "docs/e", redirect=False), DeleteStep("docs/e"))
    assert [(page.path, page.deleted) for page in plan.pages] == [("docs/guide/d", True)]


def test_an_edit_keeps_every_other_byte(root: Path) -> None:
    changed(root, text("docs/b", "# B\n", "# Bee\n"))
    assert (root / "docs/b.md").read_bytes() == SITE["docs/b.md"].replace("# B", "# Bee").encode()
    changed(root, EditStep("docs/a", frontmatter={"title": "Ay", "tags": None}))
    assert (root / "docs/a.mdx").read_text() == SITE["docs/a.mdx"].replace(
        "title: A  # kept\ntags: [x]\n", "title: Ay  # kept\n"
    )


def test_an_edit_of_the_twin_leaves_the_page(root: Path) -> None:
    step = EditStep("docs/b", (TextReplacement("machines", "agents", part="llmBody"),))
    plan = changed(root, step)
    assert (root / "docs/b.llms.md").read_text() == "B for agents\n"
    assert (root / "docs/b.md").read_bytes() == SITE["docs/b.md"].encode()
    assert plan.replaced == 1


def test_a_category_is_set_cleared_and_removed(root: Path) -> None:
    plan = changed(root, CategoryStep("docs/guide", {"position": 2}))
    assert (root / "docs/guide/_category_.yml").read_text() == "label: Guide\nposition: 2\n"
    assert [(one.path, one.label, one.position) for one in plan.categories] == [("docs/guide", "Guide", 2)]
    changed(root, CategoryStep("docs/guide", {"position": None, "label": None}))
    assert not (root / "docs/guide/_category_.yml").exists()
    changed(root, CategoryStep("docs/guide", {"label": "G"}))
    changed(root, DeleteCategoryStep("docs/guide"))
    assert not (root / "docs/guide/_category_.yml").exists()


def test_redirects_come_last(root: Path) -> None:
    plan = changed(
        root,
        RedirectStep("/docs/guide/d", "/docs/new"),
        DeleteStep("docs/guide/d"),
        write("docs/new", "New.\n"),
    )
    assert dict(plan.redirects) == {"/docs/guide/d": "/docs/new"}
    plan = changed(root, RedirectStep("/docs/guide/d", None))
    assert dict(plan.redirects) == {"/docs/guide/d": None}


REFUSED: list[tuple[str, tuple[Step, ...], int, type[Exception], str]] = [
    ("no page", (text("docs/none", "a", "b"),), 0, PageNotFound, "docs/none: there is no such page"),
    ("no page to delete", (write("docs/n", ""), DeleteStep("docs/none")), 1, PageNotFound, "no such page"),
    (
        "another revision",
        (write("docs/a", "", if_match="0" * 32),),
        0,
        RevisionMismatch,
        "docs/a: the page is not as it was read",
    ),
    ("there already", (write("docs/a", "", create_only=True),), 0, RevisionMismatch, "exists already"),
    (
        "there already before the change",
        (DeleteStep("docs/a"), write("docs/a", "", create_only=True)),
        1,
        RevisionMismatch,
        "exists already",
    ),
    ("other case", (write("docs/A", "A\n"),), 0, PathConflict, "`docs/a.mdx` is in its way"),
    ("folder in other case", (write("docs/Guide/x", "A\n"),), 0, PathConflict, "is in its way"),
    ("taken", (MoveStep("docs/a", "docs/b"),), 0, Exception, "is there already"),
    ("nothing to move", (MoveStep("docs/none", "docs/b2"),), 0, Exception, "there is no such page"),
    (
        "hides a page",
        (RedirectStep("/docs/a", "/docs/b"),),
        0,
        Exception,
        "there is a page or file at this address",
    ),
    ("leads nowhere", (RedirectStep("/docs/x", "/docs/y"),), 0, Exception, "there is no page or file"),
    ("a field", (write("docs/a", "", frontmatter={"title": 3}),), 0, Exception, "frontmatter.title: "),
    ("a surrogate", (write("docs/a", "\ud800"),), 0, Exception, "half of a surrogate pair"),
    ("out of the site", (write("docs/../a", ""),), 0, Exception, "docs/../a"),
    ("a twin that is not", (EditStep("docs/a", (TextReplacement("a", "b", part="llmBody"),)),), 0, Exception,
     "edits[0].part: the page has no `llmBody`"),
    ("lines without a condition", (EditStep("docs/a", (LineReplacement(1, 1, "x"),)),), 0, Exception,
     "if_match: edits of lines need a condition"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "steps", "index", "kind", "said"), REFUSED, ids=[one[0] for one in REFUSED])
def test_what_cannot_be_done_refuses_the_whole(
    root: Path, name: str, steps: tuple[Step, ...], index: int, kind: type[Exception], said: str
) -> None:
    error = refused(root, write("docs/before", "First.\n"), *steps)
    assert error.index == index + 1
    assert isinstance(error.error, kind)
    assert said in str(error), name


def test_a_site_takes_no_more_pages_than_it_may_have(root: Path) -> None:
    new = write("docs/new", "New.\n")
    assert isinstance(refused(root, new, most=4).error, PageLimitReached)
    changed(root, new, DeleteStep("docs/a"), most=4)


def test_two_pages_at_one_address_are_refused(root: Path) -> None:
    (root / "site.yml").write_text("extras: [slug]\n")
    error = refused(root, write("docs/n", "N\n"), write("docs/m", "M\n", frontmatter={"slug": "/docs/b"}))
    assert isinstance(error.error, PathConflict)
    assert error.index == 1


def test_the_condition_of_a_page_that_moved_is_on_what_it_was(root: Path) -> None:
    revision = planned(root, text("docs/a", "Text", "Text")).pages[0].revision
    changed(
        root, MoveStep("docs/a", "docs/z"), EditStep("docs/z", (LineReplacement(1, 1, "New."),), {}, revision)
    )
    assert "New.\n\n## Part" in (root / "docs/z.mdx").read_text()


def test_a_file_that_is_saved_meanwhile_is_not_lost(root: Path) -> None:
    plan = planned(root, write("docs/new", "New.\n"), text("docs/a", "Text", "Words"))
    (root / "docs/a.mdx").write_text("Saved.\n")
    with ContentStore(root) as store, pytest.raises(RevisionMismatch):
        store.put_back(plan.replacement)
    assert (root / "docs/a.mdx").read_text() == "Saved.\n"
    assert not (root / "docs/new.mdx").exists()


TOGETHER = {
    "pages": (MoveStep("docs/a", "docs/x/one"), MoveStep("docs/b", "docs/x/two")),
    "a folder and a page in it": (MoveStep("docs/guide/c", "docs/c"), MoveStep("docs/guide", "docs/manual")),
    "a page to where another was": (MoveStep("docs/a", "docs/old"), MoveStep("docs/b", "docs/a")),
    "a folder beside a page": (MoveStep("docs/guide", "docs/manual"), MoveStep("docs/b", "docs/x/")),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_moves_of_one_change_come_to_the_same_as_one_by_one(name: str, tmp_path: Path) -> None:
    steps = TOGETHER[name]
    at_once, by_turns = (write_site(tmp_path / each, SITE) for each in ("at-once", "by-turns"))
    plan = changed(at_once, *steps)
    for step in steps:
        changed(by_turns, step)
    assert _in_any_order(content(at_once)) == _in_any_order(content(by_turns))
    assert plan.broken == ()


def _in_any_order(files: dict[str, bytes]) -> dict[str, object]:
    """The files of a site, whose redirects may stand in any order."""
    return {**files, "site.yml": sorted(files["site.yml"].splitlines())}


def test_links_between_pages_that_move_together_stay_as_they_are(root: Path) -> None:
    plan = changed(root, MoveStep("docs/guide/c", "docs/x/c"), MoveStep("docs/guide/d", "docs/x/d"))
    assert content(root)["docs/x/d.md"] == SITE["docs/guide/d.md"].encode()
    assert b"[c](/docs/x/c)" in content(root)["docs/b.md"]
    assert plan.redirects.keys() >= {"/docs/guide/c", "/docs/guide/d"}
    assert plan.broken == ()


def test_a_move_that_is_refused_among_others_is_named(root: Path) -> None:
    moves = MoveStep("docs/a", "docs/x/a"), MoveStep("docs/none", "docs/x/n"), MoveStep("docs/b", "docs/x/b")
    assert refused(root, *moves).index == 1
