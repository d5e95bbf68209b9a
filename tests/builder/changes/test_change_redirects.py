"""Redirects of a whole change: addresses that readers knew lead to where pages are now, and no others do."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.changes.steps import DeleteStep, EditStep, MoveStep, RedirectStep, Step, WriteStep
from builder.config.settings_text import redirects_in
from builder.errors import PathConflict
from builder.moves.owners_redirects import OwnersRedirect
from builder.moves.redirect_plan import RefusedRedirect
from tests.builder.changes.changed_sites import changed, content, redirects, refused
from tests.sites import write_site

SETTINGS = """title: T
redirects:
  /ext: https://other.example/x
  /docs/ext-page: https://other.example/y
  /legacy: /docs/guide/one
  /docs/oldtmp: /docs/guide/two
  /v1/*: /docs/guide/one
  /.well-known/change-password: /docs/guide/one
"""
OWN = redirects_in(SETTINGS)
SITE = {
    "site.yml": SETTINGS,
    "static/_redirects": "/rules-old /docs/guide/two\n/docs/rules-page /docs/guide/two\n",
    "docs/index.md": "# Start\n",
    "docs/guide/one.md": "# One\n",
    "docs/guide/two.md": "# Two\n\n[one](one.md)\n",
    "docs/guide/three.md": "# Three\n",
    "docs/guide/hidden.md": "---\ndraft: true\n---\n# Hidden\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a site."""
    return write_site(tmp_path / "site", SITE)


def move(old: str, new: str, *, redirect: bool = True) -> MoveStep:
    """A move, of pages in the guide unless a folder is named."""
    full = [name if "/" in name else f"docs/guide/{name}" for name in (old, new)]
    return MoveStep(full[0], full[1], redirect=redirect)


def write(path: str, text: str = "Text.\n") -> WriteStep:
    return WriteStep(path, "md", {}, text)


ONE_AT_C = {
    "/legacy": "/docs/guide/c",
    "/v1/*": "/docs/guide/c",
    "/.well-known/change-password": "/docs/guide/c",
}
ONE_TO_C = {"/docs/guide/one": "/docs/guide/c", **ONE_AT_C}
LED: dict[str, tuple[tuple[Step, ...], dict[str, str]]] = {
    "through an address of the owner's": (
        (move("one", "docs/ext-page"), move("docs/ext-page", "c")),
        ONE_TO_C,
    ),
    "through the owner's at the root": ((move("one", "pages/ext"), move("pages/ext", "c")), ONE_TO_C),
    "through an address with a redirect": ((move("one", "docs/oldtmp"), move("docs/oldtmp", "c")), ONE_TO_C),
    "through one, and silent then": (
        (move("one", "docs/oldtmp"), move("docs/oldtmp", "c", redirect=False)),
        ONE_TO_C,
    ),
    "silent at first": ((move("one", "tmp", redirect=False), move("tmp", "c")), ONE_AT_C),
    "a draft, through one": ((move("hidden", "docs/oldtmp"), move("docs/oldtmp", "hid2")), {}),
    "there and back": ((move("one", "tmp"), move("tmp", "one")), {}),
    "two change places": (
        (move("one", "tmp"), move("two", "one"), move("tmp", "two")),
        {
            "/legacy": "/docs/guide/two",
            "/v1/*": "/docs/guide/two",
            "/.well-known/change-password": "/docs/guide/two",
            "/docs/oldtmp": "/docs/guide/one",
        },
    ),
    "and another page comes": ((move("one", "c"), write("docs/guide/one")), ONE_AT_C),
    "it is deleted then": (
        (move("three", "tmp"), DeleteStep("docs/guide/tmp", redirect="/docs/guide/two")),
        {"/docs/guide/three": "/docs/guide/two"},
    ),
    "deleted without a word": ((move("three", "tmp"), DeleteStep("docs/guide/tmp")), {}),
    "new and deleted": ((write("docs/guide/c"), DeleteStep("docs/guide/c", redirect="/docs/guide/two")), {}),
    "under a draft": (
        (write("docs/new"), move("three", "c")),
        {"/docs/guide/three": "/docs/guide/c"},
    ),
}


@pytest.mark.parametrize("case", LED)
def test_readers_are_led_to_where_a_page_is_after_all_moves(root: Path, case: str) -> None:
    steps, others = LED[case]
    changed(root, *steps)
    assert redirects(root) == {**OWN, **others}


MANY = {f"docs/big/p{number}.md": f"# P {number}\n" for number in range(205)}
BIG: dict[str, tuple[tuple[Step, ...], dict[str, str]]] = {
    "twice": ((move("docs/big", "docs/t1"), move("docs/t1", "docs/big2")), {"/docs/big/*": "/docs/big2/*"}),
    "there and back": ((move("docs/big", "docs/t1"), move("docs/t1", "docs/big")), {}),
    "one page leaves it": (
        (move("docs/big", "docs/big2"), move("docs/big2/p7", "docs/guide/p7")),
        {"/docs/big/*": "/docs/big2/*", "/docs/big/p7": "/docs/guide/p7"},
    ),
}


@pytest.mark.parametrize("case", BIG)
def test_a_large_folder_is_followed_by_a_pattern(root: Path, case: str) -> None:
    write_site(root, MANY)
    steps, others = BIG[case]
    changed(root, *steps)
    assert redirects(root) == {**OWN, **others}


def test_no_pattern_lies_over_pages(root: Path) -> None:
    write_site(root, MANY)
    changed(root, move("docs/big", "docs/big2"), move("docs/big2/p7", "docs/big/p7"))
    found = redirects(root)
    assert "/docs/big/*" not in found
    assert (found["/docs/big/p8"], "/docs/big/p7" in found) == ("/docs/big2/p8", False)


def test_a_page_that_a_pattern_leads_away_from_is_led_to(root: Path) -> None:
    changed(root, RedirectStep("/docs/other/*", "/docs/guide/two"))
    changed(root, write("docs/other/x"))
    changed(root, MoveStep("docs/other/x", "docs/guide/x"))
    assert redirects(root)["/docs/other/x"] == "/docs/guide/x"


REFUSED: dict[str, tuple[tuple[Step, ...], int, type[Exception]]] = {
    "a page stays at the owner's address": (
        (write("docs/new"), move("one", "docs/ext-page")),
        1,
        OwnersRedirect,
    ),
    "deleted there": (
        (
            move("one", "docs/ext-page"),
            move("docs/ext-page", "c", redirect=False),
            RedirectStep("/docs/ext-page", "/docs/guide/three"),
        ),
        2,
        OwnersRedirect,
    ),
    "in the place of a rule": ((write("docs/rules-page"),), 0, OwnersRedirect),
    "another form of a rule": ((RedirectStep("/rules-old/", "/docs/guide/two"),), 0, OwnersRedirect),
    "a name that begins as the owner's": ((RedirectStep("/.well*", "/docs/guide/two"),), 0, OwnersRedirect),
    "in other letters": ((RedirectStep("/.WELL-known/a", "/docs/guide/two"),), 0, OwnersRedirect),
    "a page in the place of a redirect": ((write("docs/new"), write("docs/oldtmp")), 1, PathConflict),
    "a draft in its place": (
        (WriteStep("docs/oldtmp", "md", {"draft": True}, "Text.\n"),),
        0,
        PathConflict,
    ),
    "beside a move": ((move("three", "c"), write("docs/new"), write("docs/oldtmp")), 2, PathConflict),
    "a draft beside a move": (
        (move("three", "c"), WriteStep("docs/oldtmp", "md", {"draft": True}, "Text.\n")),
        1,
        PathConflict,
    ),
    "a slug beside a silent move": (
        (move("three", "c", redirect=False), EditStep("docs/guide/two", (), {"slug": "/legacy"})),
        1,
        PathConflict,
    ),
    "the owner's beside a move": (
        (move("three", "c"), write("docs/new"), write("docs/ext-page")),
        2,
        OwnersRedirect,
    ),
    "at another form of its address": ((write("docs/oldtmp/index"),), 0, PathConflict),
    "a redirect with a long name": (
        (move("three", "c"), RedirectStep(f"/{'a' * 251}", "/docs/guide/two")),
        1,
        RefusedRedirect,
    ),
    "one of many leads nowhere": (
        (
            *(RedirectStep(f"/old{number}", "/docs/guide/two") for number in range(9)),
            DeleteStep("docs/guide/three", redirect="/docs/guide/nothing"),
            RedirectStep("/old10", "/docs/guide/two"),
        ),
        9,
        RefusedRedirect,
    ),
    "it moves there": (
        (write("docs/new"), EditStep("docs/guide/three", (), {"slug": "/ext"})),
        1,
        OwnersRedirect,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_no_redirect_is_hidden_or_taken_over(root: Path, case: str) -> None:
    write_site(root, {"site.yml": f"extras: [slug]\n{SETTINGS}"})
    steps, index, kind = REFUSED[case]
    error = refused(root, *steps)
    assert (error.index, type(error.error)) == (index, kind), str(error)


def test_a_redirect_that_a_move_has_ended_may_be_deleted_too(root: Path) -> None:
    changed(root, RedirectStep("/docs/oldtmp", None), move("three", "docs/oldtmp"))
    led = {"/docs/guide/three": "/docs/oldtmp"}
    assert redirects(root) == {old: new for old, new in OWN.items() if old != "/docs/oldtmp"} | led


def test_a_folder_that_moves_ends_the_redirect_from_its_address(root: Path) -> None:
    write_site(root, {"docs/other/x.md": "# X\n"})
    changed(root, move("docs/other", "docs/oldtmp"))
    found = redirects(root)
    assert ("/docs/oldtmp" in found, found["/docs/other/x"]) == (False, "/docs/oldtmp/x")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_deletions_leave_redirects_whatever_their_order(root: Path, order: tuple[int, int]) -> None:
    steps = (
        DeleteStep("docs/guide/one", redirect="/docs/guide/two"),
        DeleteStep("docs/guide/two", redirect="/docs/guide/three"),
    )
    changed(root, *(steps[at] for at in order))
    found = redirects(root)
    assert {found["/docs/guide/one"], found["/docs/guide/two"], found["/legacy"]} == {"/docs/guide/three"}


def test_links_that_followed_a_page_to_where_it_was_deleted_are_told(root: Path) -> None:
    steps = (
        move("one", "tmp"),
        DeleteStep("docs/guide/tmp", redirect="/docs/guide/three"),
        write("docs/guide/one"),
    )
    plan = changed(root, *steps)
    assert [(one.file, one.line) for one in plan.broken or ()] == [("docs/guide/two.md", 3)]
    assert "no redirect from `/docs/guide/one`: there is another page now" in plan.said


def test_a_page_that_a_pattern_matches_is_told(root: Path) -> None:
    changed(root, RedirectStep("/docs/other/*", "/docs/guide/two"))
    assert changed(root, write("docs/other/x")).said == (
        "`/docs/other/*` matches `/docs/other/x`: hosts that follow redirects first hide the page",
    )


def test_settings_with_a_byte_order_mark_keep_every_line(root: Path) -> None:
    (root / "site.yml").write_text(f"\ufeff{SETTINGS}")
    changed(root, RedirectStep("/new", "/docs/guide/one"), RedirectStep("/docs/oldtmp", None))
    kept = SETTINGS.replace("  /docs/oldtmp: /docs/guide/two\n", "")
    assert (root / "site.yml").read_text() == f"\ufeff{kept}  /new: /docs/guide/one\n"


def test_a_redirect_of_before_stays_under_a_draft(root: Path) -> None:
    write_site(
        root,
        {"docs/oldtmp.md": "---\ndraft: true\n---\n# Old\n", "docs/ext-page.md": "---\ndraft: true\n---\n"},
    )
    before = content(root)
    changed(root, move("three", "c"))
    assert redirects(root) == {**OWN, "/docs/guide/three": "/docs/guide/c"}
    assert before.keys() - content(root).keys() == {"docs/guide/three.md"}
