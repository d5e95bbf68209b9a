"""Pages that have another address since a commit: by their files, their slugs, or the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.static_targets.vanished_findings import moved_since
from tests.server.static_targets.git_remote import git
from tests.sites import write_site

PAGE = "---\ntitle: A\n---\n" + "A long text, by which git knows the page again.\n" * 5
BEFORE = {
    "site.yml": "title: T\n",
    "docs/a.mdx": PAGE,
    "docs/g/index.mdx": "# Guide\n",
    "pages/about.md": "# About\n",
}
SLUG = "extras: [slug]\n"
SLUGGED = PAGE.replace("title: A", "title: A\nslug: /x/y")

CASES = {
    "renamed": ({}, {"docs/a.mdx": None, "docs/b.mdx": PAGE}, {"/docs/a": "/docs/b"}),
    "an image": (
        {"docs/p.svg": PAGE},
        {"docs/p.svg": None, "docs/img/q.svg": PAGE},
        {"/docs/p.svg": "/docs/img/q.svg"},
    ),
    "a file of static": (
        {"static/p.txt": PAGE},
        {"static/p.txt": None, "docs/q.txt": PAGE, "docs_at.txt": "x"},
        {"/p.txt": "/docs/q.txt"},
    ),
    "docs_at": ({}, {"site.yml": "docs_at: /\n"}, {"/docs/a": "/a", "/docs/g/": "/g/"}),
    "docs_at and renamed": (
        {},
        {"site.yml": "docs_at: /h\n", "docs/a.mdx": None, "docs/b.mdx": PAGE},
        {"/docs/a": "/h/b", "/docs/g/": "/h/g/"},
    ),
    "a slug": ({}, {"site.yml": SLUG, "docs/a.mdx": SLUGGED}, {"/docs/a": "/x/y"}),
    "another slug": (
        {"site.yml": SLUG, "docs/a.mdx": SLUGGED},
        {"docs/a.mdx": SLUGGED.replace("/x/y", "z")},
        {"/x/y": "/docs/z"},
    ),
    "slugs that do not count any more": (
        {"site.yml": SLUG, "docs/a.mdx": SLUGGED},
        {"site.yml": "title: T\n"},
        {"/x/y": "/docs/a"},
    ),
    "slugs without the extra": ({}, {"docs/a.mdx": SLUGGED}, {}),
    "nothing": ({}, {"docs/a.mdx": f"{PAGE}More.\n"}, {}),
}


@pytest.mark.parametrize(("more", "changes", "moved"), CASES.values(), ids=list(CASES))
def test_former_addresses_lead_to_where_pages_are_now(
    tmp_path: Path, more: dict[str, str], changes: dict[str, str | None], moved: dict[str, str]
) -> None:
    write_site(tmp_path, {**BEFORE, **more})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Begin")
    first = git(tmp_path, "rev-parse", "HEAD").strip()
    for file, text in changes.items():
        if text is None:
            (tmp_path / file).unlink()
        else:
            write_site(tmp_path, {file: text})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Change")
    assert moved_since(tmp_path, first) == moved
