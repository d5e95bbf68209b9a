"""Content that means harm, in each field of a change: it is refused or kept as text, and harms nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.authoring.client import BASE, Client, authoring
from tests.sites import write_site

SITE = {"site.yml": "title: T\n", "docs/a.mdx": "Text.\n", "docs/g/b.md": "B\n"}
MEAN = [
    "../../etc/passwd",
    "/etc/passwd",
    "docs/../../x",
    "docs/a\0b",
    "docs/" + "x/" * 500 + "x",
    "docs/" + "x" * 5_000,
    "docs/\u202ea",
    "docs/a\\..\\b",
    ".twinpress/state/history",
    "docs/.hidden/x",
    "docs/_part",
    "_components/Own",
    "site.yml",
    "static/x.png",
    "",
    "\ud83d",
    "javascript:alert(1)",
    "<script>alert(1)</script>",
    "{{7*7}}${7*7}",
    "CON",
]
FIELDS: list[tuple[str, dict[str, Any], str]] = [
    ("changes", {"op": "write", "path": "docs/x", "body": "x"}, "path"),
    ("changes", {"op": "write", "path": "docs/x", "body": "x"}, "if_match"),
    ("changes", {"op": "delete", "path": "docs/a"}, "path"),
    ("changes", {"op": "edit", "path": "docs/a", "edits": [{"old": "Text", "new": "x"}]}, "path"),
    ("changes", {"op": "move", "from": "docs/a", "to": "docs/y"}, "from"),
    ("changes", {"op": "move", "from": "docs/a", "to": "docs/y"}, "to"),
    ("changes", {"op": "category", "path": "docs/g", "label": "G"}, "path"),
    ("changes", {"op": "category", "path": "docs/g", "label": "G"}, "label"),
    ("changes", {"op": "delete_category", "path": "docs/g"}, "path"),
    ("changes", {"op": "redirect", "from": "/old", "to": "/docs/a"}, "from"),
    ("changes", {"op": "redirect", "from": "/old", "to": "/docs/a"}, "to"),
    ("changes", {"op": "delete_redirect", "from": "/old"}, "from"),
    ("edit", {"path": "docs/a", "frontmatter": {"title": "x"}}, "path"),
    ("move", {"from": "docs/g", "to": "docs/h"}, "from"),
    ("move", {"from": "docs/g", "to": "docs/h"}, "to"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("hostile") / "site", SITE)


@pytest.fixture(scope="module")
def client(site: Path) -> Iterator[Client]:
    with authoring(site, "--requests", "0") as client:
        yield client


def outside(site: Path) -> set[str]:
    """The files that lie beside the site, and in it beside what its pages are."""
    inside = {path.relative_to(site).parts[0] for path in site.rglob("*")}
    return {path.name for path in site.parent.iterdir()} | inside


@pytest.mark.parametrize(("what", "body", "field"), FIELDS)
def test_no_field_leads_out_of_the_site_or_ends_anything(
    client: Client, site: Path, what: str, body: dict[str, Any], field: str
) -> None:
    for mean in MEAN:
        sent: dict[str, Any] = {**body, field: mean}
        raw = json.dumps({"changes": [sent], "message": mean} if what == "changes" else sent).encode()
        headers = {"content_type": "application/json"}
        reply = client.ask("POST", f"{BASE}/ai/{what}?dry_run=true", raw, **headers)
        assert reply.status in {200, 400, 403, 404, 409, 412}, (mean, reply.body)
        assert len(reply.body) < 20_000
    assert outside(site) <= {"site", "site.yml", "docs", ".twinpress"}
    assert client.page("docs/a").status == 200


HUGE: list[dict[str, Any]] = [
    {"op": "write", "path": "docs/x", "body": "[a](" * 100_000},
    {"op": "write", "path": "docs/x", "frontmatter": {"title": "x" * 70_000}},
    {
        "op": "write",
        "path": "docs/x",
        "frontmatter": {"x": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]},
    },
    {"op": "edit", "path": "docs/a", "edits": [{"old": "x" * 1_000_000, "new": ""}]},
    {"op": "edit", "path": "docs/a", "edits": [{"old": "e", "new": "x" * 2_000_000, "replace_all": True}]},
    {
        "op": "edit",
        "path": "docs/a",
        "if_match": "*",
        "edits": [{"from_line": 10**9, "to_line": 10**9, "text": ""}],
    },
    {
        "op": "edit",
        "path": "docs/a",
        "if_match": "*",
        "edits": [{"from_line": -1, "to_line": -5, "text": ""}],
    },
    {"op": "redirect", "from": "/" + "x/" * 50_000, "to": "/docs/a"},
]


@pytest.mark.parametrize("operation", HUGE, ids=range(len(HUGE)))
def test_what_is_huge_is_answered_soon(client: Client, operation: dict[str, Any]) -> None:
    reply = client.ask("POST", f"{BASE}/ai/changes?dry_run=true", {"changes": [operation]})
    assert reply.status in {200, 400, 409, 412, 413}, reply.body
    assert len(reply.body) < 200_000
    assert client.page("docs/a").status == 200


def test_two_hundred_operations_are_one_change(client: Client) -> None:
    writes = [{"op": "write", "path": f"docs/many/p{n}", "body": f"[n](./p{n - 1})\n"} for n in range(1, 100)]
    deletes = [{"op": "delete", "path": f"docs/many/p{n}"} for n in range(1, 100)]
    reply = client.ask("POST", f"{BASE}/ai/changes", {"changes": [*writes, *deletes]})
    assert (reply.status, reply.data["pages"]) == (200, [])
