"""Answers that speak of a page lead to where it can be seen, in a header beside the same body."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring
from tests.server.authoring.many_sites import DESK, many_sites
from tests.server.http_client import request
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\nurl: https://t.example/manual\nextras: [slug]\n",
    "docs/index.mdx": "---\ntitle: Start\n---\n\nText.\n",
    "docs/guide/a.mdx": "---\ntitle: A\nslug: first\n---\n\nText.\n",
    "docs/own/index.md": "# Own\n",
    "docs/über/straße.mdx": "---\ntitle: S\ndraft: true\n---\n\nUnseen.\n",
    "pages/about.md": "# About\n",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a preview below a base path, which has shown its first build."""
    with authoring(write_site(tmp_path_factory.mktemp("site"), SITE), "--requests", "0") as client:
        client.preview.get("/manual/")
        yield client


def link(reply: Reply) -> str:
    """The address of the header `Link`, "" where there is none."""
    found = reply.headers.get("link", "")
    assert not found or (found.startswith("<") and found.endswith('>; rel="preview"'))
    return found[1:].partition(">")[0]


def shown(client: Client, path: str) -> str:
    """The address below the root of the preview."""
    return f"http://127.0.0.1:{client.preview.port}/manual{path}"


PAGES = [
    ("docs/index", "/docs/"),
    ("docs/guide/a", "/docs/guide/first"),
    ("docs/über/straße", "/docs/%C3%BCber/stra%C3%9Fe"),
    ("pages/about", "/about"),
]


@pytest.mark.parametrize(("path", "url"), PAGES)
def test_a_page_that_is_read_leads_to_itself_drafts_too(client: Client, path: str, url: str) -> None:
    reply = client.page(path)
    assert link(reply) == shown(client, url)
    assert client.preview.get(f"/manual{url}").status == 200
    again = client.ask("GET", f"{BASE}/ai/page?path=docs/index", If_None_Match="*")
    assert (again.status, link(again)) == (304, shown(client, "/docs/"))


def test_a_page_that_is_written_leads_to_what_was_written(client: Client) -> None:
    reply = client.write("docs/new/page", "## Quite new\n")
    assert link(reply) == shown(client, reply.data["url"])
    assert "Quite new" in client.preview.get("/manual/docs/new/page").text


def test_a_page_that_is_moved_by_its_slug_leads_to_its_new_address(client: Client) -> None:
    assert link(client.page("docs/guide/a")) == shown(client, "/docs/guide/first")
    client.write("docs/guide/b", frontmatter={"slug": "/elsewhere"})
    assert link(client.page("docs/guide/b")) == shown(client, "/elsewhere")


def test_the_site_leads_to_its_home_page_and_a_category_to_that_of_its_folder(client: Client) -> None:
    assert link(client.site()) == shown(client, "/")
    assert link(client.category({"path": "docs/guide", "label": "G"})) == shown(client, "/docs/guide/")
    assert link(client.category({"path": "docs/own", "label": "O"})) == shown(client, "/docs/own/")
    assert client.preview.get("/manual/docs/guide/").status == 200


def test_nothing_leads_to_a_page_that_is_not_there(client: Client) -> None:
    client.write("docs/gone")
    assert link(client.delete("docs/gone")) == ""
    assert link(client.page("docs/gone")) == ""
    assert link(client.put({"path": "docs/only/rehearsed", "body": ""}, "?dry_run=true")) == ""
    assert link(client.category({"path": "docs/empty", "label": "E"})) == ""
    assert link(client.ask("GET", f"{BASE}/ai/guide")) == ""


@pytest.mark.parametrize("host", ["localhost:80", "[::1]:7", 'a"b>c.localhost'])
def test_the_address_is_at_the_host_that_was_asked(client: Client, host: str) -> None:
    headers = [("Host", host), ("Authorization", f"Bearer {client.key}")]
    status, found, _ = request(client.preview.port, "GET", f"{BASE}/ai/page?path=pages/about", headers)
    at = host.replace('"', "%22").replace(">", "%3E")
    assert (status, found["link"]) == (200, f'<http://{at}/manual/about>; rel="preview"')


def test_a_service_leads_to_its_dashboard_for_its_previews_are_the_owners(tmp_path: Path) -> None:
    with many_sites(tmp_path / "data") as service:
        _, key = service.site(service.ann, "quay-docs")
        headers = [("Authorization", f"Bearer {key}")]
        status, found, _ = request(service.port, "GET", f"{BASE}/ai/site", headers)
        assert (status, found["link"]) == (200, f'<{DESK}/sites/quay-docs/preview/>; rel="preview"')
