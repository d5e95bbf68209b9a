"""The history as keys see it, and the undoing of their own changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring
from tests.server.authoring.many_sites import many_sites
from tests.server.commands import twinpress
from tests.sites import write_site


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    files = {"site.yml": "title: T\n", "docs/a.md": "# A\n", "docs/g/_category_.yml": "label: G\n"}
    with authoring(write_site(tmp_path, files), "--requests", "0") as client:
        yield client


def history(client: Client, query: str = "") -> list[dict[str, Any]]:
    reply = client.ask("GET", f"{BASE}/ai/history{query}")
    assert reply.status == 200
    changes: list[dict[str, Any]] = reply.data["changes"]
    return changes


def undo(client: Client, query: str = "", **body: Any) -> Reply:
    return client.ask("POST", f"{BASE}/ai/undo{query}", body)


def texts(site: Path) -> dict[str, str]:
    return {
        file.relative_to(site).as_posix(): file.read_text()
        for file in site.rglob("*")
        if file.is_file() and ".twinpress" not in file.parts
    }


def test_own_changes_are_listed_and_undone_one_by_one_and_redone(client: Client, tmp_path: Path) -> None:
    states = [texts(tmp_path)]
    for number in (1, 2):
        client.write("docs/a", f"Text {number}.\n")
        client.write(f"docs/n/{number}")
        states.append(texts(tmp_path))
    own = history(client)
    assert [one["files"][0]["file"] for one in own] == [
        "docs/n/2.mdx",
        "docs/a.mdx",
        "docs/n/1.mdx",
        "docs/a.mdx",
    ]
    assert {(one["by"], one["label"], one["can_undo"]) for one in own} == {("this key", "serve", True)}
    rehearsed = undo(client, "?dry_run=true", last=2)
    assert (rehearsed.data["applied"], texts(tmp_path)) == (False, states[2])
    done = undo(client, last=2).data
    assert (done["applied"], done["undone"]) == (True, [own[0]["id"], own[1]["id"]])
    assert (done["changed"], done["removed"]) == (rehearsed.data["changed"], rehearsed.data["removed"])
    assert texts(tmp_path) == states[1]
    undo(client, last=2)
    assert texts(tmp_path) == states[0]
    assert undo(client, last=2).data["undone"] == []
    assert undo(client, change=history(client)[0]["id"]).data["applied"]
    assert texts(tmp_path) == states[1]
    assert undo(client, change=done["change"]).data["applied"]
    assert texts(tmp_path) == states[2]
    undo(client, all=True)
    assert texts(tmp_path) == states[0]


def test_a_change_in_the_middle_is_undone_where_nothing_came_behind_it(client: Client) -> None:
    client.write("docs/x")
    client.write("docs/y")
    middle = history(client)[1]
    assert undo(client, change=middle["id"][:10]).data["removed"] == ["docs/x.mdx"]
    again = undo(client, change=middle["id"])
    assert (again.status, "undone already" in again.json["error"]) == (404, True)


def test_what_others_changed_since_is_a_conflict(client: Client, tmp_path: Path) -> None:
    client.write("docs/x")
    client.write("docs/y")
    (tmp_path / "docs/y.mdx").write_text("Ours.\n")
    before = texts(tmp_path)
    refused = undo(client, all=True)
    assert (refused.status, refused.json["code"]) == (409, "PATH_CONFLICT")
    assert "`docs/y.mdx`" in refused.json["error"]
    assert texts(tmp_path) == before


def test_all_kinds_of_changes_are_undone_at_once(client: Client, tmp_path: Path) -> None:
    before = texts(tmp_path)
    client.write("docs/g/x")
    client.ask("DELETE", f"{BASE}/ai/category?path=docs/g")
    client.ask("PUT", f"{BASE}/ai/redirects", {"add": [{"from": "/old", "to": "/docs/a"}]})
    client.ask("PUT", f"{BASE}/ai/navigation", {"nav": [{"label": "A", "href": "/docs/a"}]})
    client.delete("docs/a")
    assert undo(client, all=True).status == 200
    assert texts(tmp_path) == before
    assert twinpress("undo", "--key", "serve", cwd=tmp_path).returncode == 0
    assert texts(tmp_path) == before


def test_a_page_has_the_changes_of_all_and_names_of_none(client: Client, tmp_path: Path) -> None:
    made = twinpress("key", "create", "--kind", "one-off", "--label", "secret-label", cwd=tmp_path)
    other = Client(client.preview, made.stdout.strip())
    other.write("docs/x", "One.\n")
    client.write("docs/x", "Two.\n")
    (tmp_path / "docs/x.mdx").write_text("Three.\n")
    twinpress("history", cwd=tmp_path)
    found = history(client, "?path=docs/x")
    assert [(one["by"], one["can_undo"]) for one in found] == [
        ("the owner", False),
        ("this key", True),
        ("another key", False),
    ]
    assert "secret-label" not in str(found)
    assert undo(client, change=found[2]["id"]).status == 404
    assert [one["id"] for one in history(other)] == [found[2]["id"]]
    assert history(client, "?path=docs/none") == []


def test_a_long_history_comes_in_parts(client: Client) -> None:
    for number in range(51):
        client.write("docs/x", f"{number}\n")
    first = client.ask("GET", f"{BASE}/ai/history").data
    rest = client.ask("GET", f"{BASE}/ai/history?cursor={first['next_cursor']}").data
    assert (len(first["changes"]), len(rest["changes"]), rest["next_cursor"]) == (50, 1, None)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"last": 1, "all": True}, 400),
        ({"last": 0}, 400),
        ({"last": 101}, 400),
        ({"change": "0123456789"}, 404),
        ({"change": "../../etc/passwd"}, 400),
        ({"key": "serve"}, 400),
    ],
)
def test_what_is_no_change_of_the_key_is_refused(client: Client, body: dict[str, Any], status: int) -> None:
    assert undo(client, **body).status == status


@pytest.mark.parametrize("path", ["../x", "docs/%00", ".twinpress/state", "static/a.png", "docs//a"])
def test_a_path_out_of_the_pages_has_no_history(client: Client, path: str) -> None:
    assert client.ask("GET", f"{BASE}/ai/history?path={path}").json["code"] == "INVALID_PATH"


def test_hosted_keys_see_and_undo_nothing_of_other_sites(tmp_path: Path) -> None:
    with many_sites(tmp_path) as running:
        (_, ours), (_, theirs) = running.site(running.ann, "ours"), running.site(running.bob, "theirs")
        page = {"path": "docs/secret", "format": "mdx", "body": "Text.\n"}
        assert running.ask("PUT", "/ai/page", ours, page)[0] == 201
        (change,) = running.ask("GET", "/ai/history", ours)[1]["data"]["changes"]
        for path in ("/ai/history", "/ai/history?path=docs/secret"):
            assert running.ask("GET", path, theirs)[1]["data"]["changes"] == []
        assert running.ask("POST", "/ai/undo", theirs, {"change": change["id"]})[0] == 404
        assert running.ask("POST", "/ai/undo", theirs, {"all": True})[1]["data"]["undone"] == []
        assert running.ask("POST", "/ai/undo", ours, {"all": True})[1]["data"]["applied"]
        assert running.ask("GET", "/ai/page?path=docs/secret", ours)[0] == 404
