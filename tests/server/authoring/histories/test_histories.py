"""The history and the undo over real HTTP: one's own changes alone, whole or not at all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.control import audit
from server.history import History
from tests.server.api.exchange import Reply, exchange
from tests.server.authoring.inside import BASE, Hosted, hosted
from tests.server.authoring.many_sites import ManySites, many_sites
from tests.server.authoring.schema import DESCRIBED
from tests.server.commands import twinpress
from tests.sites import write_site
from tests.waiting import until

SITE = {
    "site.yml": "title: T\n",
    "docs/a.mdx": "---\n# kept\ntitle: 'A'  # kept too\n---\n\nText of A.\n\n## Part\n",
    "docs/b.md": "# B\r\n\r\n[a](a.mdx#part)\r\n",
    "docs/b.llms.md": "Twin of B.\n",
    "docs/guide/_category_.yml": "label: Guide # the owner's\n",
    "docs/guide/c.md": "C, see [b](../b.md)\n",
}


class Keys:
    """Two keys of one site: `ours` and `theirs`."""

    def __init__(self, server: Hosted, root: Path) -> None:
        self.root, self._port = root, server.port
        self.ours, self.theirs = server.long, server.short

    def ask(self, method: str, path: str, body: object = None, *, key: str = "") -> Reply:
        reply = exchange(self._port, method, f"{BASE}/ai/{path}", key or self.ours, body)
        DESCRIBED.check(method, f"{BASE}/ai/{path}", reply.status, reply.headers, reply.body)
        return reply

    def write(self, path: str, body: str, *, key: str = "") -> None:
        assert self.ask("PUT", "page", {"path": path, "body": body}, key=key).status in {200, 201}

    def change(self, *operations: dict[str, Any], key: str = "", **more: Any) -> str:
        reply = self.ask("POST", "changes", {"changes": [*operations], **more}, key=key)
        assert reply.status == 200, reply.body
        return str(reply.data["change"])

    def undo(self, *, key: str = "", query: str = "", **asked: object) -> Reply:
        return self.ask("POST", f"undo{query}", asked, key=key)

    def history(self, query: str = "", *, key: str = "") -> list[dict[str, Any]]:
        return list(self.ask("GET", f"history{query}", key=key).data["changes"])

    @property
    def content(self) -> dict[str, bytes]:
        """All that writers and agents have written."""
        found = [self.root / "site.yml", *self.root.glob("docs/**/*")]
        return {file.relative_to(self.root).as_posix(): file.read_bytes() for file in found if file.is_file()}


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[Keys]:
    root = write_site(tmp_path / "site", SITE)
    with hosted(root) as server:
        yield Keys(server, root)


def write(path: str, body: str, **more: Any) -> dict[str, Any]:
    return {"op": "write", "path": path, "body": body, **more}


WHOLE = [
    write("docs/new/x", "[y](./y)\n"),
    write("docs/new/y", "[x](./x)\n", llmBody="Twin.\n"),
    write("docs/b", "Another B.\n", format="mdx"),
    {"op": "delete", "path": "docs/guide/c"},
    {"op": "category", "path": "docs/guide", "label": "Other"},
    {"op": "redirect", "from": "/docs/old", "to": "/docs/a"},
]


def test_a_whole_change_is_undone_by_its_id_and_made_again_by_the_id_of_the_undo(keys: Keys) -> None:
    before = keys.content
    change = keys.change(*WHOLE, message="All at  once")
    after = keys.content
    rehearsed = keys.undo(change=change, query="?dry_run=true")
    assert keys.content == after
    assert (rehearsed.data["applied"], rehearsed.data["change"]) == (False, None)
    undone = keys.undo(change=change)
    assert keys.content == before
    assert undone.data["applied"]
    assert undone.data["undone_changes"] == [change]
    assert {**undone.data, "applied": False, "change": None} == rehearsed.data
    pages = {page["path"]: page for page in undone.data["pages"]}
    assert [(path, page["created"], page["deleted"]) for path, page in pages.items()] == [
        ("docs/b", False, False),
        ("docs/guide/c", True, False),
        ("docs/new/x", False, True),
        ("docs/new/y", False, True),
    ]
    assert {"file": "site.yml", "path": None, "kind": "changed"} in undone.data["files"]
    assert undone.data["effects"]["redirects"] == [{"from": "/docs/old", "to": None}]
    assert keys.ask("GET", "page?path=docs/b").headers["etag"] == f'"{pages["docs/b"]["revision"]}"'
    again = keys.undo(change=undone.data["change"])
    assert again.data["applied"]
    assert keys.content == after


def test_without_a_word_the_last_change_is_undone_and_the_one_before_it_next(keys: Keys) -> None:
    before = keys.content
    keys.write("docs/a", "One.\n")
    first = keys.content
    keys.write("docs/a", "Two.\n")
    keys.ask("DELETE", "page?path=docs/b")
    assert keys.undo().status == 200
    assert keys.undo(last=1).status == 200
    assert keys.content == first
    assert keys.undo(last=9).data["applied"]
    assert keys.content == before
    nothing = keys.undo().data
    assert (nothing["applied"], nothing["change"], nothing["undone_changes"]) == (False, None, [])


def test_all_is_what_the_own_key_did(keys: Keys) -> None:
    keys.write("docs/theirs", "Theirs.\n", key=keys.theirs)
    before = keys.content
    keys.change(*WHOLE)
    keys.undo()
    keys.change(*WHOLE)
    keys.write("docs/a", "Mine.\n")
    assert keys.undo(all=True).data["applied"]
    assert keys.content == before
    assert keys.undo(all=True).data["undone_changes"] == []


def test_where_others_have_changed_a_file_since_nothing_is_undone(keys: Keys) -> None:
    change = keys.change(*WHOLE)
    keys.write("docs/new/x", "Theirs.\n", key=keys.theirs)
    (keys.root / "docs/b.mdx").write_text("By an editor.\n")
    before = keys.content
    for query in ("", "?dry_run=true"):
        refused = keys.undo(change=change, query=query)
        assert (refused.status, refused.code) == (409, "PATH_CONFLICT")
        for said in ("`docs/new/x.mdx` (changed since by others)", "`docs/b.mdx`", "nothing was undone"):
            assert said in refused.json["error"]
    assert keys.content == before


def test_a_later_change_of_ones_own_is_named(keys: Keys) -> None:
    first = keys.change(write("docs/a", "One.\n"))
    second = keys.change(write("docs/a", "Two.\n"))
    refused = keys.undo(change=first)
    assert (refused.status, refused.code) == (409, "PATH_CONFLICT")
    assert f"changed since by your change {second}" in refused.json["error"]
    assert keys.undo(changes=[first, second]).data["undone_changes"] == [second, first]
    assert keys.content == {file: text.encode() for file, text in SITE.items()}
    already = keys.undo(change=first)
    assert (already.status, already.code) == (409, "PATH_CONFLICT")


def test_a_change_of_another_key_is_as_if_it_were_not_there(keys: Keys) -> None:
    theirs = keys.change(write("docs/a", "Theirs.\n"), key=keys.theirs)
    for id in (theirs, "0" * 16):
        refused = keys.undo(change=id)
        assert (refused.status, refused.code) == (404, "CHANGE_NOT_FOUND")
        assert refused.json["error"] == keys.undo(change="1" * 16).json["error"].replace("1" * 16, id)
    assert keys.undo().data["undone_changes"] == []
    assert keys.undo(key=keys.theirs).data["undone_changes"] == [theirs]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"last": 1, "all": True}, "`last` and `all`"),
        ({"change": "0" * 16, "changes": ["0" * 16]}, "`change` and `changes`"),
        ({"last": 0}, "last"),
        ({"changes": ["0" * 16] * 51}, "changes"),
        ({"page": "docs/a"}, "page"),
        ({"changes": []}, "changes"),
    ],
)
def test_a_body_that_says_two_things_is_refused(keys: Keys, body: dict[str, object], field: str) -> None:
    refused = keys.undo(**body)
    assert (refused.status, refused.code) == (400, "INVALID_BODY")
    assert field in refused.json["error"]


def test_the_history_of_a_page_says_who_but_no_more(keys: Keys) -> None:
    keys.change(write("docs/a", "Mine.\n"), message="My  aim")
    keys.write("docs/a", "Theirs.\n", key=keys.theirs)
    (keys.root / "docs/a.mdx").write_text("By an editor.\n")
    keys.ask("DELETE", "page?path=docs/a")
    keys.write("docs/b", "Elsewhere.\n")
    found = keys.history("?path=docs/a")
    assert [(each["act"], each["by"], each["message"]) for each in found] == [
        ("delete", "you", None),
        ("outside", "the owner", None),
        ("write", "another key", None),
        ("changes", "you", "My aim"),
    ]
    assert found[0]["files"] == [{"file": "docs/a.mdx", "path": "docs/a", "kind": "deleted"}]
    assert [each["by"] for each in keys.history("?path=docs/a", key=keys.theirs)] == [
        *("another key", "the owner", "you", "another key")
    ]
    assert keys.history("?path=docs/nothing") == []


def test_the_history_of_ones_own_key_says_what_is_undone(keys: Keys) -> None:
    first = keys.change(*WHOLE)
    keys.write("docs/a", "Theirs.\n", key=keys.theirs)
    moved = keys.ask("POST", "move", {"from": "docs/new", "to": "docs/old"}).data["change"]
    undo = keys.undo(change=moved).data["change"]
    told = [(each["id"], each["act"], each["undone"]) for each in keys.history()]
    assert told == [(undo, "undo", False), (moved, "move", True), (first, "changes", False)]
    keys.undo(change=undo)
    assert [each["undone"] for each in keys.history()] == [False, True, False, False]
    assert {each["by"] for each in keys.history()} == {"you"}


def test_a_cursor_stays_where_it_is_while_new_changes_come(keys: Keys) -> None:
    for number in range(7):
        keys.write("docs/a", f"{number}\n")
    whole = [each["id"] for each in keys.history()]
    seen, cursor = list[str](), ""
    while len(seen) < len(whole):
        query = f"history?limit=2{f'&cursor={cursor}' if cursor else ''}"
        reply = keys.ask("GET", query).data
        seen += [each["id"] for each in reply["changes"]]
        cursor = reply["next_cursor"]
        keys.write("docs/b", f"{len(seen)}\n")
    assert seen == whole
    refused = keys.ask("GET", f"history?cursor={'0' * 40}")
    assert (refused.status, refused.code) == (404, "CHANGE_NOT_FOUND")


@pytest.mark.parametrize("query", ["?limit=0", "?limit=101", "?path=../x", "?path=docs/a.md", "?key=k1"])
def test_a_query_that_cannot_be_is_refused(keys: Keys, query: str) -> None:
    assert keys.ask("GET", f"history{query}").status == 400


def test_edits_and_moves_give_the_id_of_their_change_and_rehearsals_none(keys: Keys) -> None:
    edit = {"path": "docs/a", "edits": [{"old": "Text", "new": "Words"}]}
    assert keys.ask("POST", "edit?dry_run=true", edit).data["change"] is None
    change = keys.ask("POST", "edit", edit).data["change"]
    assert keys.history()[0]["id"] == change
    assert keys.ask("POST", "edit", {"path": "docs/a", "frontmatter": {"title": "A"}}).data["change"] is None
    assert keys.undo(change=change).data["applied"]


def test_the_owner_knows_a_change_by_the_same_id(keys: Keys) -> None:
    change = keys.change(*WHOLE)
    undone = twinpress("undo", change, "--site", keys.root, cwd=keys.root)
    assert undone.returncode == 0, undone.stderr
    assert keys.content == {file: text.encode() for file, text in SITE.items()}
    assert keys.history()[0]["undone"]
    assert keys.undo(change=change).code == "PATH_CONFLICT"


def test_a_change_from_before_the_history_begins_is_none(keys: Keys) -> None:
    change = keys.change(*WHOLE)
    keys.write("docs/a", "Later.\n")
    assert len(keys.history()) == 2
    with History(keys.root / ".twinpress/state") as history:
        assert history.begin_later(time.time()) == 2
    assert len(keys.history()) == 1
    assert keys.undo(change=change).code == "CHANGE_NOT_FOUND"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ManySites]:
    with many_sites(tmp_path) as running:
        yield running


def test_a_key_sees_nothing_of_another_site(service: ManySites) -> None:
    _, ours = service.site(service.ann, "ours")
    _, theirs = service.site(service.bob, "theirs")
    body = {"changes": [write("docs/a", "Theirs.\n")]}
    change = service.ask("POST", "/ai/changes", theirs, body)[1]["data"]["change"]
    for query in ("", "?path=docs/a"):
        assert service.ask("GET", f"/ai/history{query}", ours)[1]["data"]["changes"] == []
    status, answer = service.ask("POST", "/ai/undo", ours, {"change": change})
    assert (status, answer["code"]) == (404, "CHANGE_NOT_FOUND")
    assert service.ask("POST", "/ai/undo", theirs, {})[1]["data"]["undone_changes"] == [change]


def test_the_owner_sees_in_the_activity_that_a_key_has_undone_changes(service: ManySites) -> None:
    site, key = service.site(service.ann, "ours")
    service.ask("POST", "/ai/changes", key, {"changes": [write("docs/a", "Mine.\n")]})
    for query, asked in (("?dry_run=true", {}), ("", {"change": "0" * 16}), ("", {})):
        service.ask("POST", f"/ai/undo{query}", key, asked)
    until(lambda: len(undone_in_activity(service)) == 1)
    assert undone_in_activity(service) == [(site.id, 1)]
    (id,) = (each.id for each in service.work.keys.list(site.id))
    service.work.keys.disable(id)
    status, answer = service.ask("POST", "/ai/undo", key, {"all": True})
    assert (status, answer["code"]) == (401, "KEY_DISABLED")


def undone_in_activity(service: ManySites) -> list[tuple[str, int]]:
    """Return the sites at which keys have undone changes, and how often."""
    events = audit.events(service.database, service.ann.id)
    return [(each.subject, each.count) for each in events if each.action == "page.undo"]
