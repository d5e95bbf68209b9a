"""The list of pages in parts, with what is asked of each, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.server.authoring.client import BASE, Client, authoring
from tests.server.authoring.many_sites import many_sites
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\n",
    "docs/index.md": "---\ndescription: The start.\n---\n# Start\n\n[none](none.md)\n",
    "docs/b.md": "---\nsidebar_position: 2\n---\n# B\n",
    "docs/a.mdx": "---\nsidebar_position: 3\ntitle: A\n---\n\n<Stepz />\n",
    "docs/later.md": "---\ndraft: true\nsidebar_position: 1\n---\n# Later\n",
    "docs/hidden.md": "---\nunlisted: true\n---\n# Hidden\n",
    "docs/guide/c.md": "# C\n",
    "docs/guide/c.llms.md": "For machines.\n",
    "pages/about.md": "# About\n",
}
DOCS = sorted(path.rpartition(".")[0] for path in SITE if path.startswith("docs/") and ".llms." not in path)
TEXTS = ("frontmatter", "body", "llmBody")
FIELDS = "title,format,description,order,draft,unlisted,url,revision,size,diagnostics"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with authoring(write_site(tmp_path_factory.mktemp("site"), SITE), "--requests", "0") as client:
        yield client


def listed(client: Client, **query: object) -> Any:
    reply = client.ask("GET", f"{BASE}/ai/site?{urlencode(query)}")
    assert reply.status == 200, reply.body
    return reply.data


def test_without_fields_the_list_is_as_before(client: Client) -> None:
    data = client.site().data
    assert data.keys() == {"site", "pages"}
    assert {*map(frozenset, data["pages"])} == {frozenset({"path", "title", "format"})}


def test_a_page_has_the_fields_that_are_asked_for(client: Client) -> None:
    pages = {page["path"]: page for page in listed(client, fields=FIELDS)["pages"]}
    start = pages["docs/index"]
    assert start == {
        "path": "docs/index",
        "title": "Start",
        "format": "md",
        "description": "The start.",
        "order": 1,
        "draft": False,
        "unlisted": False,
        "url": "/docs/",
        "revision": client.page("docs/index").headers["etag"].strip('"'),
        "size": len(SITE["docs/index.md"]),
        "diagnostics": {"error": 1, "warning": 0, "info": 0},
    }
    assert pages["docs/a"]["diagnostics"] == {"error": 0, "warning": 1, "info": 0}
    ordered = sorted((page["order"], path) for path, page in pages.items() if page["order"] is not None)
    assert [path for _, path in ordered] == ["docs/index", "docs/later", "docs/b", "docs/a", "docs/guide/c"]
    assert pages["pages/about"]["order"] is pages["docs/hidden"]["order"] is None
    assert (pages["docs/later"]["draft"], pages["docs/hidden"]["unlisted"]) == (True, True)


def test_only_what_is_asked_for_is_there(client: Client) -> None:
    page = listed(client, fields="draft,size")["pages"][0]
    assert page.keys() == {"path", "title", "format", "draft", "size"}


def test_several_pages_are_read_at_once(client: Client) -> None:
    pages = listed(client, fields="frontmatter,body,llmBody,revision", prefix="docs/")["pages"]
    assert [page["path"] for page in pages] == DOCS
    for page in pages:
        alone = client.page(page["path"])
        assert {name: page[name] for name in TEXTS} == {name: alone.data[name] for name in TEXTS}
        assert page["revision"] == alone.headers["etag"].strip('"')


def test_an_answer_with_long_texts_ends_early(tmp_path: Path) -> None:
    pages = {f"docs/{name}.md": "x" * size for name, size in (("a", 300_000), ("b", 200_000), ("c", 9))}
    with authoring(write_site(tmp_path, pages)) as client:
        found, cursor = [], ""
        while cursor is not None:
            data = listed(client, fields="body", cursor=cursor)
            cursor = data["next_cursor"]
            found.append([(page["path"], len(page["body"])) for page in data["pages"]])
    assert found == [[("docs/a", 300_000)], [("docs/b", 200_000), ("docs/c", 9)]]


def test_cursors_lead_through_a_folder(client: Client) -> None:
    found, cursor = [], ""
    while cursor is not None:
        data = listed(client, fields="url", prefix="docs/", limit=2, cursor=cursor)
        assert len(data["pages"]) <= 2
        found += [page["path"] for page in data["pages"]]
        cursor = data["next_cursor"]
    assert found == DOCS


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"fields": "titel"}, "fields: there is no field `titel` (did you mean `title`?"),
        ({"fields": "nonsense-of-all"}, "fields: there is no field `nonsense-of-all` (there are `title`, "),
        ({"fields": "title,,url"}, "fields: there is no field ``"),
        ({"fields": "x" * 301}, "fields: "),
        ({"limit": 501}, "limit: "),
        ({"cursor": "!"}, "cursor: "),
        ({"nonsense": 1}, "nonsense: there is no such parameter"),
    ],
)
def test_a_query_is_read_strictly(client: Client, query: dict[str, Any], says: str) -> None:
    reply = client.ask("GET", f"{BASE}/ai/site?{urlencode(query)}")
    assert (reply.status, reply.json["code"]) == (400, "INVALID_QUERY")
    assert reply.json["error"].startswith(says)


@pytest.mark.parametrize("prefix", ["\x00", "../", "(a+)+$", "docs/zzz", "é" * 900])
def test_a_prefix_of_nothing_lists_nothing(client: Client, prefix: str) -> None:
    assert listed(client, prefix=prefix)["pages"] == []


def test_a_site_of_a_service_is_listed_and_read_in_parts(tmp_path_factory: pytest.TempPathFactory) -> None:
    with many_sites(tmp_path_factory.mktemp("service")) as service:
        _, key = service.site(service.ann, "one")
        body = {"path": "docs/x", "body": "# X\n\n## Low\n\ntext\n"}
        assert service.ask("PUT", "/ai/page", key, body)[0] == 201
        status, answer = service.ask("GET", f"/ai/site?fields={quote(FIELDS)}&prefix=docs/x", key)
        assert (status, [page["path"] for page in answer["data"]["pages"]]) == (200, ["docs/x"])
        status, answer = service.ask("GET", "/ai/page?path=docs/x&section=low", key)
        assert (status, answer["data"]["body"]) == (200, "## Low\n\ntext\n")
