"""`id` and `slug` are told where they would move the page elsewhere, and nowhere else."""

from __future__ import annotations

import pytest

from builder.frontmatter import split

CASES = [
    (
        "docs/api/Store.md",
        "id: store",
        "`id`: does not move the page to `store`",
        "rename the file to `store.md`",
    ),
    ("docs/api/store.md", "id: store", "", ""),
    ("docs/guide/index.mdx", "id: guide", "", ""),
    ("docs/guide/index.mdx", "id: index", "", ""),
    ("docs/guide/README.md", "id: start", "`id`: does not move the page to `start`", "`slug: start`"),
    ("docs/a.md", "slug: /a", "", ""),
    ("docs/g/a.md", "slug: /g/a", "", ""),
    ("docs/g/a.md", "slug: /docs/g/a/", "", ""),
    ("docs/g/index.md", "slug: /g", "", ""),
    ("docs/g/a.md", "slug: a", "", ""),
    ("docs/index.md", "slug: /", "", ""),
    ("docs/g/a.md", "slug: /", "`slug`: does not move the page to `/`", "move the file"),
    ("docs/g/a.md", "slug: ''", "", ""),
    ("docs/g/a.md", "slug: /a", "`slug`: does not move the page to `/a`", "add `slug` to `extras`"),
    ("docs/g/a.md", "slug: b\nid: c", "`slug`: does not move the page to `b`", "move the file"),
    ("docs/g/a.md", "id: [1]", "", ""),
    ("pages/about.md", "slug: /about", "", ""),
]


@pytest.mark.parametrize(("file", "fields", "message", "hint"), CASES)
def test_a_field_is_told_where_it_would_move_the_page(
    file: str, fields: str, message: str, hint: str
) -> None:
    text = f"---\n{fields}\n---\nText.\n"
    found = [(one.message, one.hint) for one in split(text, file).diagnostics]
    assert [each[0] for each in found] == ([message] if message else [])
    assert hint in (found[0][1] if found else "")
