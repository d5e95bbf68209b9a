"""The five endpoints over real HTTP, on the files of a site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.authoring.client import Client, authoring, content, restored
from tests.server.commands import twinpress
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\ndescription: D\n",
    "docs/a.mdx": "---\n# kept\ntitle: 'A'  # kept too\ntags: [x, y]\n---\n\nText of A.\n",
    "docs/b.md": "# B\n\n[a](a.mdx) and [a](/docs/a)\n",
    "docs/b.llms.md": "B for machines\n",
    "docs/draft.md": "---\ndraft: true\n---\n\nLater.\n",
    "docs/guide/_category_.yml": "label: Guide\nposition: 1.5\n",
    "docs/guide/c.md": "C\n",
    "pages/about.md": "About\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site for all tests that change it."""
    return write_site(tmp_path_factory.mktemp("changed"), SITE)


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[Client]:
    """A client of it, for all of them: a start takes longer than a test."""
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


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of one for all tests that change nothing."""
    with authoring(write_site(tmp_path_factory.mktemp("site"), SITE), "--requests", "0") as client:
        yield client


def test_the_site_lists_every_page_with_path_title_and_format(read_only: Client) -> None:
    data = read_only.site().data
    assert data["pages"] == [
        {"path": "docs/a", "title": "A", "format": "mdx"},
        {"path": "docs/b", "title": "B", "format": "md"},
        {"path": "docs/draft", "title": "Draft", "format": "md"},
        {"path": "docs/guide/c", "title": "C", "format": "md"},
        {"path": "pages/about", "title": "About", "format": "md"},
    ]
    assert data["site"]["page_count"] == 5
    assert data["site"]["title"] == "T"
    assert data["site"]["plan"] == "free"
    assert data["site"]["categories"] == [
        {"path": "docs/guide", "label": "Guide", "position": 1.5, "collapsed": None}
    ]


def test_a_page_has_exactly_the_five_fields(read_only: Client) -> None:
    reply = read_only.page("docs/b")
    assert reply.data == {
        "path": "docs/b",
        "format": "md",
        "frontmatter": {},
        "body": "# B\n\n[a](a.mdx) and [a](/docs/a)\n",
        "llmBody": "B for machines\n",
    }
    assert reply.headers["etag"].strip('"').isalnum()


@pytest.mark.parametrize("path", ["docs/a", "docs/b", "docs/draft", "docs/guide/c", "pages/about"])
def test_putting_what_get_gave_changes_no_byte(client: Client, root: Path, path: str) -> None:
    before = content(root)
    put = client.put(client.page(path).data)
    assert (put.status, put.data["created"]) == (200, False)
    assert [found["code"] for found in put.data["diagnostics"] if found["level"] != "info"] == []
    assert content(root) == before


def test_a_page_is_created_read_replaced_and_removed(client: Client, root: Path) -> None:
    made = client.put({"path": "docs/new/page", "body": "Hello.\n", "frontmatter": {"title": "N"}})
    assert (made.status, made.data["created"]) == (201, True)
    assert made.data["url"] == "/docs/new/page"
    assert (root / "docs/new/page.mdx").read_text() == "---\ntitle: N\n---\n\nHello.\n"
    tag = f'"{made.data["revision"]}"'
    assert made.headers["etag"] == client.page("docs/new/page").headers["etag"] == tag
    replaced = client.put({"path": "docs/new/page", "format": "md", "body": "Other.\n"})
    assert (replaced.status, replaced.data["created"]) == (200, False)
    assert [file.name for file in (root / "docs/new").iterdir()] == ["page.md"]
    assert client.delete("docs/new/page").data["deleted"] is True
    assert not (root / "docs/new").exists()
    assert client.page("docs/new/page").code == "PAGE_NOT_FOUND"


def test_frontmatter_in_the_body_is_read_and_the_object_wins_per_key(client: Client) -> None:
    body = "---\ntitle: From the body\nsidebar_position: 3\n---\n\nText.\n"
    client.put({"path": "docs/x", "body": body, "frontmatter": {"title": "From the object"}})
    page = client.page("docs/x").data
    assert page["frontmatter"] == {"title": "From the object", "sidebar_position": 3}
    assert page["body"] == "Text.\n"


def test_diagnostics_tell_the_line_of_the_body_as_it_was_sent_and_that_of_the_file(client: Client) -> None:
    body = "---\ntitle: X\n---\n\nText.\n\n<Crad>x</Crad>\n"
    (found,) = client.put({"path": "docs/x", "body": body, "frontmatter": {"description": "D"}}).data[
        "diagnostics"
    ]
    assert (found["code"], found["line"], found["file_line"]) == ("component-unknown", 7, 8)
    assert found["hint"] == "did you mean `Card`?"


def test_a_rehearsal_says_the_same_and_writes_nothing(client: Client, root: Path) -> None:
    page = {"path": "docs/x", "body": "[x](nowhere)\n"}
    said = client.put(page, "?dry_run=true")
    assert said.status == 200
    assert not (root / "docs/x.mdx").exists()
    done = client.put(page)
    assert done.data == said.data


def test_a_twin_that_is_left_out_is_removed_and_that_is_told(client: Client, root: Path) -> None:
    (found,) = client.put({"path": "docs/b", "format": "md", "body": "B\n"}).data["diagnostics"]
    assert found["code"] == "twin-dropped"
    assert not (root / "docs/b.llms.md").exists()


def test_conditions_keep_what_changed_meanwhile(client: Client, root: Path) -> None:
    read = client.page("docs/a")
    (root / "docs/a.mdx").write_text("An editor's save.\n")
    put = client.put({"path": "docs/a", "body": "x"}, If_Match=read.headers["etag"])
    assert (put.status, put.code) == (412, "REVISION_MISMATCH")
    assert (root / "docs/a.mdx").read_text() == "An editor's save.\n"
    assert client.put({"path": "docs/a", "body": "x"}, If_None_Match="*").code == "REVISION_MISMATCH"
    assert client.delete("docs/a", If_Match='"other"').code == "REVISION_MISMATCH"
    assert client.put({"path": "docs/a", "body": "x"}, If_Match="*").status == 200


def test_removing_a_page_names_the_links_that_lead_nowhere_now(client: Client) -> None:
    links = client.delete("docs/a").data["inbound_links"]
    assert [(link["path"], link["line"], link["column"]) for link in links] == [
        ("docs/b", 3, 5),
        ("docs/b", 3, 20),
    ]


@pytest.mark.parametrize("label", ["", " \t"])
def test_an_empty_label_of_a_category_clears_it(client: Client, root: Path, label: str) -> None:
    record = client.category({"path": "docs/guide", "label": label, "position": 7})
    assert record.data == {"path": "docs/guide", "label": None, "position": 7, "collapsed": None}
    assert (root / "docs/guide/_category_.yml").read_text() == "position: 7\n"


def test_category_fields_are_set_cleared_and_left_alone(client: Client, root: Path) -> None:
    record = client.category({"path": "docs/guide", "position": 7, "collapsed": True})
    assert record.data == {"path": "docs/guide", "label": "Guide", "position": 7, "collapsed": True}
    record = client.category({"path": "docs/guide", "label": None})
    assert record.data == {"path": "docs/guide", "label": None, "position": 7, "collapsed": True}
    assert (root / "docs/guide/_category_.yml").read_text() == "position: 7\ncollapsed: true\n"


REFUSED = [
    ({"body": "x"}, "INVALID_BODY", "path: is missing"),
    ({"path": "docs/../x"}, "INVALID_PATH", "docs/../x"),
    ({"path": "docs/x", "boddy": "x"}, "INVALID_BODY", "did you mean `body`?"),
    ({"path": "docs/x", "body": 3}, "INVALID_BODY", "body: expected a text, found a whole number"),
    ({"path": "docs/x", "format": "html"}, "INVALID_BODY", "format: "),
    (
        {"path": "docs/x", "frontmatter": {"sidebar_position": "3"}},
        "INVALID_BODY",
        "frontmatter.sidebar_position: expected a number",
    ),
    ({"path": "docs/x", "body": "---\na: [\n---\n"}, "INVALID_BODY", "body: line "),
    ([], "INVALID_BODY", "must be an object"),
    (b'{"path": "docs/x", "path": "docs/y"}', "INVALID_JSON", "twice"),
    (b"{", "INVALID_JSON", "line 1"),
    (b"\xff", "INVALID_JSON", "UTF-8"),
    (b'{"path": NaN}', "INVALID_JSON", "NaN"),
]


@pytest.mark.parametrize(("page", "code", "said"), REFUSED)
def test_what_is_wrong_with_a_request_is_named(read_only: Client, page: object, code: str, said: str) -> None:
    reply = read_only.put(page)
    assert (reply.status, reply.code) == (400, code)
    assert said in reply.json["error"]


def test_what_an_agent_wrote_is_in_the_next_answer_of_the_preview(client: Client) -> None:
    for number in range(5):
        client.put({"path": "docs/a", "body": f"Version {number}.\n"})
        assert f"Version {number}." in client.preview.get("/docs/a").text


def test_what_an_editor_saves_is_in_the_next_answer_of_the_api(client: Client, root: Path) -> None:
    for number in range(5):
        (root / "docs/a.mdx").write_text(f"---\ntitle: {number} times\n---\n\nVersion {number}.\n")
        assert client.page("docs/a").data["body"] == f"Version {number}.\n"
        assert client.site().data["pages"][0]["title"] == f"{number} times"


def test_what_a_key_did_is_in_the_history_and_can_be_undone(tmp_path: Path) -> None:
    before = content(write_site(tmp_path, SITE))
    with authoring(tmp_path) as client:
        client.put({"path": "docs/a", "body": "Replaced.\n"})
        client.put({"path": "docs/x/y", "body": "New.\n"})
        client.delete("docs/b")
        client.category({"path": "docs/guide", "label": "Other"})
        told = twinpress("history", "--site", tmp_path, cwd=tmp_path).stdout
        assert "docs/a" in told
        assert client.key not in told
        undone = twinpress("undo", "--key", "serve", "--site", tmp_path, cwd=tmp_path)
        assert undone.returncode == 0, undone.stderr
        assert content(tmp_path) == before
        assert not (tmp_path / "docs/x").exists()
        assert client.page("docs/a").data["body"] == "Text of A.\n"
