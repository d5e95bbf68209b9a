"""Files put back as they were: today's rules are obeyed, whatever they were like then."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.changes.put_back import OwnersNavigation
from builder.changes.steps import (
    DeleteStep,
    MoveStep,
    NavigationStep,
    PutBackStep,
    RedirectStep,
    Step,
    WriteStep,
)
from builder.moves.owners_redirects import OwnersRedirect
from builder.moves.redirect_plan import RefusedRedirect
from tests.builder.changes.changed_sites import changed, content, refused
from tests.sites import write_site

SITE = {
    "site.yml": """title: T  # kept
nav:
  - {label: A, href: /docs/a}
redirects:
  /docs/old/*: /docs/a
  /gone: /docs/a
  /.well-known/a: /docs/a
""",
    "docs/a.md": "# A\n",
    "docs/b.md": "# B\n\n[a](a.md)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a site."""
    return write_site(tmp_path / "site", SITE)


def put_back(root: Path, before: dict[str, bytes], *, navigation: bool = False) -> PutBackStep:
    """The step that has the files of `before` again."""
    now = content(root)
    names = {*before, *now}
    files = {name: before.get(name) for name in names if before.get(name) != now.get(name)}
    return PutBackStep(files, navigation)


@pytest.mark.parametrize(
    ("old", "page", "says"),
    [
        ("/docs/old/*", "docs/old/x", "it would hide what there is, `docs/old/"),
        ("/gone", "pages/gone", "there is a page or file at this address, `gone.html`"),
    ],
)
def test_no_redirect_comes_back_over_a_page(root: Path, old: str, page: str, says: str) -> None:
    settings = (root / "site.yml").read_bytes()
    changed(root, RedirectStep(old, None))
    changed(root, WriteStep(page, "md", {}, "New.\n"))
    error = refused(root, PutBackStep({"site.yml": settings}))
    assert isinstance(error.error, RefusedRedirect)
    assert f"{old}: {says}" in str(error)
    changed(root, PutBackStep({"site.yml": settings, f"{page}.md": None}))
    assert content(root) == {name: text.encode() for name, text in SITE.items()}


@pytest.mark.parametrize(
    "step",
    [
        MoveStep("docs/a", "docs/c/d"),
        MoveStep("docs/b", "docs/c/d"),
        RedirectStep("/docs/old/*", None),
        RedirectStep("/new", "/docs/b"),
        (MoveStep("docs/a", "docs/c"), MoveStep("docs/b", "docs/a"), MoveStep("docs/c", "docs/b")),
    ],
)
def test_what_a_key_may_do_goes_back_and_forth(root: Path, step: Step | tuple[Step, ...]) -> None:
    before = content(root)
    changed(root, *(step if isinstance(step, tuple) else (step,)))
    after = content(root)
    changed(root, put_back(root, before))
    assert content(root) == before
    changed(root, put_back(root, after))
    assert content(root) == after


def test_the_navigation_takes_the_attribute(root: Path) -> None:
    before = content(root)
    nav = [{"label": "B", "href": "/docs/b"}]
    changed(root, NavigationStep({"nav": nav}), WriteStep("docs/c", "md", {}, "C\n"))
    error = refused(root, put_back(root, before))
    assert isinstance(error.error, OwnersNavigation)
    changed(root, put_back(root, before, navigation=True))
    assert content(root) == before


FOLLOWED: dict[str, tuple[Step, ...]] = {
    "a new page is there now": (
        MoveStep("docs/a", "docs/c", redirect=False),
        WriteStep("docs/a", "md", {}, "N\n"),
    ),
    "a draft is there now": (MoveStep("docs/a", "docs/c"), WriteStep("docs/a", "md", {"draft": True}, "N\n")),
    "another page came there": (MoveStep("docs/a", "docs/c"), MoveStep("docs/b", "docs/a")),
    "by way of a name of the moment": (
        MoveStep("docs/a", "docs/tmp"),
        WriteStep("docs/a", "md", {}, "N\n"),
        DeleteStep("docs/tmp", redirect="/docs/a"),
    ),
}


@pytest.mark.parametrize("case", FOLLOWED)
def test_the_owners_redirect_goes_back_with_the_page_that_it_followed(root: Path, case: str) -> None:
    before = content(root)
    changed(root, *FOLLOWED[case])
    changed(root, put_back(root, before))
    assert content(root) == before


@pytest.mark.parametrize("rule", ["/rz/*", "/rz/a/", "/rz/a", "/r*"])
def test_no_redirect_comes_back_before_one_that_the_owner_has_added(root: Path, rule: str) -> None:
    changed(root, RedirectStep("/rz/a", "/docs/b"))
    before = content(root)
    changed(root, RedirectStep("/rz/a", None))
    write_site(root, {"static/_redirects": f"{rule} https://other.example/ 301\n"})
    error = refused(root, PutBackStep({"site.yml": before["site.yml"]}))
    assert isinstance(error.error, OwnersRedirect)
