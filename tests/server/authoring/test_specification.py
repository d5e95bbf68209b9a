"""The specification of the API, sentence by sentence, against a running server."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.sites import local_site
from server.control.sqlite.local_database import local_database
from tests.server.authoring.client import BASE, Client, authoring
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\n",
    "docs/a.mdx": "---\ntitle: A\n---\n\nText.\n",
    "docs/guide/b.md": "# B\n",
    "docs/guide/b.llms.md": "B for machines\n",
    "pages/about.md": "# About us\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; each test writes pages of its own."""
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[Client]:
    """A client of its server."""
    with authoring(root, "--requests", "0") as client:
        yield client


# {pages_base} ... equals {base_url}/api/v1/pages. Endpoint paths below are relative to {pages_base}.
def test_the_pages_base_is_the_base_url_and_api_v1_pages(client: Client) -> None:
    assert client.ask("GET", "/api/v1/pages/ai/site").status == 200
    assert client.preview.get("/ai/site").status == 404


# The API reads the site and its pages, and creates, replaces or deletes pages
# and sets category label and order.
def test_the_api_reads_creates_replaces_and_deletes_pages_and_sets_categories(
    client: Client, root: Path
) -> None:
    assert client.write("docs/cycle/one").data["created"] is True
    assert client.write("docs/cycle/one", "Other.\n").data["created"] is False
    assert client.page("docs/cycle/one").data["body"] == "Other.\n"
    assert client.category({"path": "docs/cycle", "label": "C", "position": 4}).data["label"] == "C"
    assert client.delete("docs/cycle/one").status == 200
    assert client.page("docs/cycle/one").status == 404
    assert not (root / "docs/cycle/one.mdx").exists()


# A documentation site is a tree of markdown pages plus optional category metadata.
def test_a_site_is_a_tree_of_markdown_pages_plus_optional_category_metadata(
    client: Client, root: Path
) -> None:
    client.write("docs/tree/branch/leaf")
    assert (root / "docs/tree/branch/leaf.mdx").read_text() == "Text.\n"
    assert not (root / "docs/tree/branch/_category_.yml").exists()
    client.category({"path": "docs/tree/branch", "label": "Branch"})
    assert (root / "docs/tree/branch/_category_.yml").read_text() == "label: Branch\n"


# Returned by GET /ai/site: a summary plus a list of every page, each entry with path, title, format.
def test_the_site_is_a_summary_plus_a_list_of_every_page_with_path_title_and_format(client: Client) -> None:
    client.write("docs/listed", "# Listed\n", format="md")
    data = client.site().data
    assert data["site"]["title"] == "T"
    assert all(page.keys() == {"path", "title", "format"} for page in data["pages"])
    assert {"path": "docs/listed", "title": "Listed", "format": "md"} in data["pages"]
    assert {"path": "pages/about", "title": "About us", "format": "md"} in data["pages"]


# All require the bearer key.
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/ai/site"),
        ("GET", "/ai/page?path=docs/a"),
        ("PUT", "/ai/page"),
        ("DELETE", "/ai/page?path=docs/a"),
        ("POST", "/ai/category"),
    ],
)
def test_all_endpoints_require_the_bearer_key(client: Client, method: str, path: str) -> None:
    reply = Client(client.preview, "").ask(method, BASE + path)
    assert (reply.status, reply.code) == (401, "MISSING_KEY")
    assert reply.headers["www-authenticate"] == "Bearer"


# Bodies are JSON.
@pytest.mark.parametrize("body", [b"path=docs/x", b"", b"{'path': 'docs/x'}", b"<page/>", b"path: docs/x"])
def test_bodies_are_json(client: Client, body: bytes) -> None:
    assert client.ask("PUT", f"{BASE}/ai/page", body).code == "INVALID_JSON"
    assert client.ask("POST", f"{BASE}/ai/category", body).code == "INVALID_JSON"


# GET /ai/page: { path, format, frontmatter, body, llmBody }.
def test_a_page_is_path_format_frontmatter_body_and_llm_body(client: Client) -> None:
    data = client.page("docs/guide/b").data
    assert data == {
        "path": "docs/guide/b",
        "format": "md",
        "frontmatter": {},
        "body": "# B\n",
        "llmBody": "B for machines\n",
    }
    assert list(data) == ["path", "format", "frontmatter", "body", "llmBody"]


# PUT /ai/page: path (required), format, frontmatter, body, optional llmBody.
def test_the_path_alone_is_required(client: Client) -> None:
    reply = client.put({"path": "docs/bare"})
    assert reply.status == 201
    assert client.page("docs/bare").data == {
        "path": "docs/bare",
        "format": "mdx",
        "frontmatter": {},
        "body": "",
        "llmBody": None,
    }
    missing = client.put({"body": "x"})
    assert (missing.code, missing.json["error"]) == ("INVALID_BODY", "path: is missing")


# Creates the page, or replaces it when it exists.
def test_put_replaces_the_whole_page_when_it_exists(client: Client) -> None:
    client.write("docs/whole", "Old.\n", frontmatter={"title": "Old"}, llmBody="Old\n")
    assert client.write("docs/whole", "New.\n").status == 200
    assert client.page("docs/whole").data == {
        "path": "docs/whole",
        "format": "mdx",
        "frontmatter": {},
        "body": "New.\n",
        "llmBody": None,
    }


# DELETE /ai/page: query path. Removes the page.
def test_delete_removes_the_page_and_its_twin(client: Client, root: Path) -> None:
    client.write("docs/gone", llmBody="x\n")
    assert client.delete("docs/gone").data["deleted"] is True
    assert list((root / "docs").glob("gone*")) == []
    again = client.delete("docs/gone")
    assert (again.status, again.code) == (404, "PAGE_NOT_FOUND")


# Success: { ok: true, data: <result> }. Failure: { ok: false, error: <string>, code: <string> }.
def test_every_response_has_the_envelope(client: Client) -> None:
    for reply in (client.site(), client.page("docs/a"), client.write("docs/e"), client.delete("docs/e")):
        assert list(reply.json) == ["ok", "data"]
        assert reply.json["ok"] is True
    others = [("GET", "/api/v1/x"), ("PATCH", f"{BASE}/ai/site"), ("GET", f"{BASE}/ai/page?path=docs/none")]
    for method, target in others:
        reply = client.ask(method, target)
        assert list(reply.json) == ["ok", "error", "code"]
        assert reply.json["ok"] is False
        assert isinstance(reply.json["error"], str)
        assert re.fullmatch("[A-Z_]+", reply.json["code"])


# One-off editing key: dpk_. Expires about one hour after generation. Long-lived key: svc_docs_.
def test_two_kinds_of_key_each_scoped_to_one_site(client: Client, root: Path) -> None:
    with local_database(root) as database:
        keys, site = SiteKeys(database), local_site(database)
        lasting, brief = (keys.create(kind, site) for kind in (KeyKind.LONG_LIVED, KeyKind.ONE_OFF))
    assert lasting.text.startswith("svc_docs_")
    assert brief.text.startswith("dpk_")
    assert lasting.record.expires_at is None
    assert brief.record.expires_at is not None
    assert abs(brief.record.expires_at - time.time() - 3600) < 60
    assert {lasting.record.site, brief.record.site} == {client.site().data["site"]["id"]}
    for key in (lasting.text, brief.text):
        assert Client(client.preview, key).site().status == 200


# The version is carried in the path prefix /api/v1.
def test_the_version_is_carried_in_the_path(client: Client) -> None:
    for version in ("v0", "v2", "v1.0"):
        assert client.ask("GET", f"/api/{version}/pages/ai/site").code == "NOT_FOUND"
