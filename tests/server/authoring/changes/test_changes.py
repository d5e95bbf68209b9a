"""Whole changes, edits and moves over real HTTP: made whole, refused whole, taken back whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring, content, restored
from tests.server.commands import twinpress
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\nnav:\n  - label: A\n    href: /docs/a\n",
    "docs/a.mdx": "---\n# kept\ntitle: 'A'  # kept too\n---\n\nText of A.\n\n## Part\n",
    "docs/b.md": "# B\r\n\r\n[a](a.mdx#part)\r\n",
    "docs/guide/_category_.yml": "label: Guide\n",
    "docs/guide/c.md": "C, see [b](../b.md)\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site for all tests that change it."""
    return write_site(tmp_path_factory.mktemp("changed"), SITE)


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[Client]:
    """A client of it."""
    with authoring(site, "--requests", "0") as client:
        yield client


@pytest.fixture
def root(site: Path, server: Client) -> Path:
    """The site as it was before the first test, by an editor's hand."""
    return restored(site, SITE)


@pytest.fixture
def client(server: Client, root: Path) -> Client:
    """A client of it."""
    return server


def post(client: Client, what: str, body: object, query: str = "") -> Reply:
    return client.ask("POST", f"{BASE}/ai/{what}{query}", body)


def changes(client: Client, *operations: dict[str, Any], query: str = "", **more: Any) -> Reply:
    return post(client, "changes", {"changes": [*operations], **more}, query)


def section(count: int = 6) -> list[dict[str, Any]]:
    """Pages that link to each other, the first to the last."""
    return [
        {
            "op": "write",
            "path": f"docs/new/p{number}",
            "frontmatter": {"title": f"Page {number}"},
            "body": f"[next](./p{(number + 1) % count})\n",
        }
        for number in range(count)
    ]


def test_a_section_is_written_at_once_and_read_at_once(client: Client) -> None:
    reply = changes(
        client,
        *section(),
        {"op": "category", "path": "docs/new", "label": "New", "position": 1},
        {"op": "edit", "path": "docs/b", "edits": [{"old": "# B\n", "new": "# B\n\n[new](./new/p0)\n"}]},
        {"op": "move", "from": "docs/guide/c", "to": "docs/new/c"},
        message="Begin the section",
    )
    assert reply.status == 200
    data = reply.data
    assert data["applied"]
    assert [page["path"] for page in data["pages"]] == [
        "docs/b",
        "docs/new/c",
        *(f"docs/new/p{n}" for n in range(6)),
    ]
    assert [page["diagnostics"] for page in data["pages"]] == [[]] * 8
    assert data["effects"]["broken_links"] == []
    assert data["effects"]["categories"] == [
        {"path": "docs/new", "label": "New", "position": 1, "collapsed": None}
    ]
    assert {"from": "/docs/guide/c", "to": "/docs/new/c"} in data["effects"]["redirects"]
    for page in data["pages"]:
        assert client.preview.get(page["url"]).status == 200
        assert client.page(page["path"]).headers["etag"] == f'"{page["revision"]}"'


def test_a_whole_change_is_one_change_of_the_history(client: Client, root: Path) -> None:
    assert changes(client, *section(), {"op": "delete", "path": "docs/a"}, message="A section").status == 200
    said = twinpress("history", "--site", root, cwd=root).stdout
    revision = next(line for line in said.splitlines() if "A section" in line).split()[0]
    undone = twinpress("undo", revision, "--site", root, cwd=root)
    assert undone.returncode == 0, said + undone.stderr
    assert content(root) == {name: data.encode() for name, data in SITE.items()}


def test_a_rehearsal_answers_the_same_and_changes_nothing(client: Client, root: Path) -> None:
    operations = [*section(), {"op": "delete", "path": "docs/a"}]
    tried = changes(client, *operations, query="?dry_run=true")
    assert content(root) == {name: data.encode() for name, data in SITE.items()}
    done = changes(client, *operations)
    assert tried.data == {**done.data, "applied": False, "change": None}
    assert [(link["path"], link["file"]) for link in done.data["effects"]["broken_links"]] == [
        ("", "site.yml"),
        ("docs/b", "docs/b.md"),
    ]


FIRST = {"op": "write", "path": "docs/first", "body": "First.\n"}
REFUSED: list[dict[str, Any]] = [
    *json.loads((Path(__file__).parent / "refused.json").read_text()),
    {
        "operation": {"op": "write", "path": "docs/x", "body": "x" * (1 << 20) + "x"},
        "status": 413,
        "code": "BODY_TOO_LARGE",
        "said": "changes[1].path: docs/x: it has 1,048,577 bytes",
    },
]


@pytest.mark.parametrize("case", REFUSED, ids=range(len(REFUSED)))
def test_one_operation_that_cannot_be_done_refuses_the_whole_and_is_named(
    client: Client, root: Path, case: dict[str, Any]
) -> None:
    reply = changes(client, FIRST, case["operation"])
    assert (reply.status, reply.json["code"]) == (case["status"], case["code"])
    assert reply.json["error"].startswith(case["said"])
    assert content(root) == {name: data.encode() for name, data in SITE.items()}


BODIES: list[tuple[object, str]] = [
    ({}, "changes: is missing"),
    ({"changes": []}, "changes: expected at least 1 item"),
    ({"changes": [FIRST] * 201}, "changes: expected at most 200 items"),
    ({"changes": [{"op": "move", "from": "docs/a", "to": "docs/b"}] * 21}, "changes[20]: is move number 21"),
    ({"changes": [FIRST], "message": "x" * 301}, "message: expected at most 300 characters"),
    ({"changes": [FIRST], "more": 1}, "more: there is no such field"),
    ({"changes": [None]}, "changes[0]: expected an object, found null"),
    ({"changes": {"op": "write"}}, "changes: expected an array, found an object"),
]


@pytest.mark.parametrize(("body", "said"), BODIES)
def test_what_is_no_change_is_refused(client: Client, body: object, said: str) -> None:
    reply = post(client, "changes", body)
    assert (reply.status, reply.json["code"]) == (400, "INVALID_BODY")
    assert said in reply.json["error"]


def test_lines_of_findings_are_those_of_the_body_that_was_sent(client: Client) -> None:
    body = "One.\n\n<Stepz>Two.</Stepz>\n"
    write = {"op": "write", "path": "docs/x", "frontmatter": {"title": "X"}, "body": body}
    found = changes(client, write).data["pages"][0]["diagnostics"]
    assert [(one["code"], one["part"], one["line"], one["file_line"]) for one in found] == [
        ("component-unknown", "body", 3, 7)
    ]
    put = client.put({"path": "docs/x", "frontmatter": {"title": "X"}, "body": body}).data["diagnostics"]
    assert put == found


def test_an_edit_keeps_line_ends_and_says_what_it_did(client: Client, root: Path) -> None:
    edits = [{"old": "# B\n", "new": "# Bee\n\nMore.\n"}]
    reply = post(client, "edit", {"path": "docs/b", "edits": edits, "frontmatter": {"description": "Of B"}})
    assert reply.status == 200
    assert (reply.data["replaced"], reply.data["fields"], reply.data["created"]) == (
        1,
        ["description"],
        False,
    )
    assert reply.headers["etag"] == f'"{reply.data["revision"]}"'
    text = "---\r\ndescription: Of B\r\n---\r\n\r\n# Bee\r\n\r\nMore.\r\n\r\n[a](a.mdx#part)\r\n"
    assert (root / "docs/b.md").read_bytes() == text.encode()


def test_an_edit_of_lines_is_made_on_the_very_text_that_was_read(client: Client, root: Path) -> None:
    revision = client.page("docs/a").headers["etag"].strip('"')
    edit = {"from_line": 1, "to_line": 1, "text": "Words of A."}
    reply = post(client, "edit", {"path": "docs/a", "edits": [edit], "if_match": revision})
    assert reply.status == 200
    assert (root / "docs/a.mdx").read_text() == SITE["docs/a.mdx"].replace("Text", "Words")
    reply = post(client, "edit", {"path": "docs/a", "edits": [edit], "if_match": revision})
    assert (reply.status, reply.json["code"]) == (412, "REVISION_MISMATCH")


def test_a_move_tells_what_follows(client: Client, root: Path) -> None:
    data = post(client, "move", {"from": "docs/a", "to": "docs/guide/start"}).data
    assert [(page["path"], page["moved_from"], page["url"]) for page in data["pages"]] == [
        ("docs/guide/start", "docs/a", "/docs/guide/start")
    ]
    assert data["effects"]["rewritten"] == [
        {"file": "docs/b.md", "links": 1},
        {"file": "site.yml", "links": 1},
    ]
    assert data["effects"]["redirects"] == [{"from": "/docs/a", "to": "/docs/guide/start"}]
    assert client.preview.get("/docs/guide/start").status == 200
    assert (root / "docs/b.md").read_bytes() == b"# B\r\n\r\n[a](guide/start.mdx#part)\r\n"


def test_two_agents_and_an_editor_at_once_lose_nothing(client: Client, root: Path) -> None:
    """Each adds lines of its own to one page, the agents beside other pages; all are there in the end."""
    (root / "docs/shared.md").write_text("END\n")
    line = "{who}-{number}\n"

    def agent(who: str) -> list[int]:
        def add(number: int) -> int:
            new = line.format(who=who, number=number)
            return changes(
                client,
                {"op": "write", "path": f"docs/{who}/{number}", "body": new},
                {"op": "edit", "path": "docs/shared", "edits": [{"old": "END\n", "new": f"{new}END\n"}]},
            ).status

        return [add(number) for number in range(10)]

    def editor() -> list[int]:
        for number in range(10):
            (root / f"docs/editor-{number}.md").write_text("By hand.\n")
        return [200]

    with ThreadPoolExecutor(3) as pool:
        work = [pool.submit(agent, "one"), pool.submit(agent, "two"), pool.submit(editor)]
        statuses = [status for each in work for status in each.result()]
    assert set(statuses) == {200}
    text = (root / "docs/shared.md").read_text()
    wanted = {line.format(who=who, number=number) for who in ("one", "two") for number in range(10)}
    assert set(text.splitlines(keepends=True)) == {*wanted, "END\n"}
    assert len(list(root.glob("docs/one/*"))) == len(list(root.glob("docs/two/*"))) == 10
