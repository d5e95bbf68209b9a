"""Navigation as part of a whole change, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.control.keys.key_record import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.sites import local_site
from server.control.sqlite.local_database import local_database
from tests.server.authoring.client import BASE, Client, authoring, exchange
from tests.sites import write_site

SITE = {
    "site.yml": "title: T  # kept\nsidebar: sidebar.yml\nnav:\n  - {label: A, href: /docs/a}\n",
    "sidebar.yml": "- docs/a\n- docs/b\n",
    "docs/a.md": "# A\n",
    "docs/b.md": "---\ntitle: B\n---\n\n[a](a.md)\n",
    "docs/b.llms.md": "For machines.\n",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with authoring(write_site(tmp_path, SITE), "--requests", "0") as client:
        yield client


def changed(client: Client, *operations: dict[str, Any], key: str = "") -> Any:
    return client.ask(
        "POST", f"{BASE}/ai/changes", {"changes": [*operations]}, **({"key": key} if key else {})
    )


def test_a_page_goes_with_its_entry_in_the_sidebar(client: Client, tmp_path: Path) -> None:
    reply = changed(
        client,
        {"op": "write", "path": "docs/c", "body": "[a](./a)\n"},
        {"op": "delete", "path": "docs/b"},
        {"op": "navigation", "sidebar": ["docs/a", "docs/c"], "nav": [{"label": "C", "href": "/docs/c"}]},
    )
    assert (reply.status, reply.data["effects"]["broken_links"]) == (200, [])
    assert [page["diagnostics"] for page in reply.data["pages"]] == [[], []]
    assert (tmp_path / "sidebar.yml").read_text() == "- docs/a\n- docs/c\n"
    assert (tmp_path / "site.yml").read_text().startswith("title: T  # kept\nsidebar: sidebar.yml\n")
    assert client.ask("POST", f"{BASE}/ai/undo", {}).status == 200
    assert {file: (tmp_path / file).read_text() for file in SITE} == SITE


def test_a_condition_is_about_the_files_of_the_settings(client: Client, tmp_path: Path) -> None:
    read = client.ask("GET", f"{BASE}/ai/navigation").data
    step = {"op": "navigation", "nav": None, "if_match": read["revision"]}
    assert changed(client, step).status == 200
    again = changed(client, {"op": "write", "path": "docs/c", "body": "C\n"}, step)
    assert (again.status, again.code) == (412, "REVISION_MISMATCH")
    assert "changes[1]" in again.json["error"]
    assert not (tmp_path / "docs/c.mdx").exists()


@pytest.mark.parametrize(
    ("step", "status", "says"),
    [
        ({"nav": [{"label": "X", "href": "javascript:a()"}]}, 400, "changes[0]"),
        ({"footer": {"text": 1}}, 400, "changes[0].footer.text"),
        ({"sidebar": [{"page": "docs/a", "items": "docs/b"}]}, 400, "changes[0]"),
        ({"naw": []}, 400, "`nav`"),
    ],
)
def test_what_settings_do_not_take_is_refused(
    client: Client, tmp_path: Path, step: dict[str, Any], status: int, says: str
) -> None:
    reply = changed(client, {"op": "navigation", **step})
    assert (reply.status, says in reply.json["error"]) == (status, True), reply.body
    assert {file: (tmp_path / file).read_text() for file in SITE} == SITE


def test_a_key_without_the_attribute_changes_nothing(client: Client, tmp_path: Path) -> None:
    with local_database(tmp_path) as database:
        key = SiteKeys(database).create(KeyKind.ONE_OFF, local_site(database), navigation=False).text
    steps = {"op": "write", "path": "docs/c", "body": "C\n"}, {"op": "navigation", "nav": None}
    reply = exchange(client.preview.port, "POST", f"{BASE}/ai/changes", key, {"changes": [*steps]})
    assert (reply.status, reply.code) == (403, "OWNER_ONLY")
    assert not (tmp_path / "docs/c.mdx").exists()


def test_who_edits_what_stands_in_the_twin_is_told(client: Client) -> None:
    edits = [{"old": "For machines.", "new": "For agents."}]
    reply = client.ask("POST", f"{BASE}/ai/edit", {"path": "docs/b", "edits": edits})
    assert (reply.status, '`"part": "llmBody"`' in reply.json["error"]) == (412, True)
    done = client.ask(
        "POST", f"{BASE}/ai/edit", {"path": "docs/b", "edits": [{**edits[0], "part": "llmBody"}]}
    )
    assert (done.status, client.page("docs/b").data["llmBody"]) == (200, "For agents.\n")
