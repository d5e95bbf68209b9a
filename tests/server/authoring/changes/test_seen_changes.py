"""Answers about changes show the pages as readers see them: outlines, and places in the navigation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from builder.changes import plan_changes
from builder.changes.steps import DeleteStep
from server.authoring.calls import Caller
from server.authoring.changes.change_operations import result_of
from server.control.keys.key_record import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.sites import local_site
from server.control.sqlite.local_database import local_database
from tests.builder.changes.changed_sites import planned
from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring, exchange
from tests.sites import write_site

FOLDERS = {
    "site.yml": "title: T\nnav:\n  - {label: A, href: /docs/guide}\nfooter:\n  columns:\n"
    "    - label: More\n      items: [{label: About, href: /about}]\n",
    "docs/guide/_category_.yml": "label: The guide\n",
    "docs/guide/index.md": "# Guide\n",
    "docs/guide/a.md": "---\ntitle: A\nsidebar_position: 1\n---\n\n## Part\n",
    "docs/guide/more/b.md": "# B\n",
    "pages/about.md": "# About\n",
}
CHOSEN = {
    "site.yml": "title: T\nsidebar: sidebar.yml\nnav:\n  - {label: A, href: /docs/a}\n",
    "sidebar.yml": "- label: Part\n  items: [docs/a, docs/b]\n",
    "docs/a.md": "# A\n",
    "docs/b.md": "# B\n",
}


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Client]:
    """A site whose sidebar follows its folders."""
    with authoring(write_site(tmp_path, FOLDERS), "--requests", "0") as client:
        yield client


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[Client]:
    """A site with a sidebar of its own."""
    with authoring(write_site(tmp_path, CHOSEN), "--requests", "0") as client:
        yield client


def write(path: str, body: str = "Text.\n", **fields: object) -> dict[str, Any]:
    return {"op": "write", "path": path, "body": body, "frontmatter": fields}


def changes(client: Client, *steps: dict[str, Any], query: str = "", **more: Any) -> Reply:
    return client.ask("POST", f"{BASE}/ai/changes{query}", {"changes": [*steps], **more})


def places(reply: Reply) -> dict[str, tuple[Any, ...]]:
    """The place of each page, without its note."""
    found = {page["path"]: page["navigation"] for page in reply.data["pages"]}
    return {
        path: (one["sidebar"], one["position"], one["siblings"], one["linked_in"]) if one else None
        for path, one in found.items()
    }


@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_one_call_writes_and_shows(folders: Client, query: str) -> None:
    steps = (
        write("docs/new", "## New part\n\n<Card title='x'>y</Card>\n", title="New"),
        {
            "op": "edit",
            "path": "docs/guide/a",
            "edits": [{"old": "## Part", "new": "## Section"}],
        },
    )
    reply = changes(folders, *steps, {"op": "delete", "path": "docs/guide/more/b"}, outline=True, query=query)
    a, b, new = reply.data["pages"]
    assert [one["text"] for one in a["outline"]["headings"]] == ["A", "Section"]
    assert [one["id"] for one in new["outline"]["headings"]] == ["", "new-part"]
    assert [(one["name"], one["count"]) for one in new["outline"]["components"]] == [("Card", 1)]
    assert (b["outline"], b["no_outline"], b["navigation"]) == (None, "", None)
    assert [one["no_outline"] for one in (a, new)] == ["", ""]
    assert reply.data["applied"] is (not query)


def test_without_the_field_there_is_no_outline(folders: Client) -> None:
    page = changes(folders, write("docs/new")).data["pages"][0]
    assert (page["outline"], page["no_outline"]) == (None, "")


def test_an_edit_shows_its_page_and_an_operation_in_changes_has_no_such_field(folders: Client) -> None:
    edit = {"path": "docs/guide/a", "edits": [{"old": "## Part", "new": "## Section"}]}
    found = folders.ask("POST", f"{BASE}/ai/edit?dry_run=true", {**edit, "outline": True}).data
    assert [one["text"] for one in found["outline"]["headings"]] == ["A", "Section"]
    assert found["navigation"]["sidebar"] == ["The guide", "A"]
    plain = folders.ask("POST", f"{BASE}/ai/edit", edit).data
    assert plain["outline"] is None
    refused = changes(folders, {"op": "edit", **edit, "outline": True})
    assert (refused.status, refused.code) == (400, "INVALID_BODY")


def test_a_page_is_found_in_its_category(folders: Client) -> None:
    reply = changes(
        folders,
        write("docs/guide/z", title="Z"),
        write("docs/guide/more/c", title="C"),
        write("docs/guide/index", title="Guide"),
        write("docs/guide/d", title="D", draft=True),
        write("docs/guide/u", title="U", unlisted=True),
        write("pages/about", title="About"),
        write("pages/index", title="Home"),
        write("pages/lost", title="Lost"),
    )
    nowhere = ([], None, None)
    assert places(reply) == {
        "docs/guide/z": (["The guide", "Z"], 3, 3, []),
        "docs/guide/more/c": (["The guide", "More", "C"], 2, 2, []),
        "docs/guide/index": (["The guide"], 1, 1, ["header"]),
        "docs/guide/d": (*nowhere, []),
        "docs/guide/u": (*nowhere, []),
        "pages/about": (*nowhere, ["footer"]),
        "pages/index": (*nowhere, []),
        "pages/lost": (*nowhere, []),
    }
    notes = {page["path"]: page["navigation"]["note"] for page in reply.data["pages"]}
    assert notes["docs/guide/z"] == ""
    assert "draft" in notes["docs/guide/d"]
    assert "unlisted: true" in notes["docs/guide/u"]
    assert "home page" in notes["pages/index"]
    assert "neither header nor footer" in notes["pages/lost"]
    assert "PUT /ai/navigation" in notes["pages/lost"]
    assert "PUT" not in notes["pages/about"]


def test_a_page_that_the_sidebar_does_not_name_says_how_to_add_it(chosen: Client, tmp_path: Path) -> None:
    left = changes(chosen, write("docs/c", title="C")).data["pages"][0]["navigation"]
    assert (left["sidebar"], left["position"], left["siblings"]) == ([], None, None)
    assert "`sidebar.yml` does not name `docs/c`" in left["note"]
    assert "operation `navigation`" in left["note"]
    sidebar = [{"label": "Part", "items": ["docs/a", "docs/b", "docs/c"]}]
    added = changes(chosen, write("docs/c", title="C"), {"op": "navigation", "sidebar": sidebar})
    assert places(added)["docs/c"] == (["Part", "C"], 3, 3, [])
    with local_database(tmp_path) as database:
        key = SiteKeys(database).create(KeyKind.ONE_OFF, local_site(database), navigation=False).text
    body = {"changes": [write("docs/e", title="E")]}
    reply = exchange(chosen.preview.port, "POST", f"{BASE}/ai/changes", key, body)
    told = reply.data["pages"][0]["navigation"]["note"]
    assert "ask the owner" in told
    assert "PUT /ai/navigation" not in told


@pytest.mark.parametrize("call", ["move", "changes"])
def test_a_move_says_that_header_and_sidebar_follow(chosen: Client, tmp_path: Path, call: str) -> None:
    step = {"from": "docs/a", "to": "docs/part/a"}
    body = step if call == "move" else {"changes": [{"op": "move", **step}]}
    reply = chosen.ask("POST", f"{BASE}/ai/{call}", body)
    assert places(reply) == {"docs/part/a": (["Part", "A"], 1, 2, ["header"])}
    said = [note for note in reply.data["effects"]["notes"] if "new place" in note]
    assert [note.partition(":")[0] for note in said] == ["`site.yml`", "`sidebar.yml`"]
    assert "docs/part/a" in (tmp_path / "sidebar.yml").read_text()


def test_links_that_were_not_looked_at_are_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_site(tmp_path, {**CHOSEN, "docs/a.md": "[b](b.md)\n"})
    nobody = cast("Caller", None)  # a deleted page is shown to nobody
    seen = result_of(planned(root, DeleteStep("docs/b")), nobody, None).effects
    assert (len(seen.broken_links or ()), seen.notes) == (2, [])
    monkeypatch.setattr(plan_changes, "LINKS_SECONDS", -1.0)
    unseen = result_of(planned(root, DeleteStep("docs/b")), nobody, None).effects
    assert unseen.broken_links is None
    assert "no time to look at all pages" in unseen.notes[-1]
