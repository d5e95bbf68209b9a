"""The tools of published sites, at the sites' own hosts."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from mcp import Client

from server.site_serving.mcp_answers import REQUESTS, McpAnswers
from server.site_serving.object_memory import LARGE
from tests.server.mcp.clients import LEGACY, MODERN, call, message, mirrored, over_http, post
from tests.server.site_serving.asking import Readers, serving_sites
from tests.server.site_serving.published import mount, publish, release_store
from tests.sites import build_site
from tests.waiting import until

HOST = "127.0.0.1"
OTHER, LED, OFF = "other.localhost", "www.other.localhost", "off.localhost"
FILES = {
    "site.yml": "title: Quay\nurl: https://quay.example\n",
    "docs/index.md": "# Start\n",
    "docs/install.md": "---\ntitle: Install\n---\nText.\n\n## Linux\n\nUse apt.\n",
    "docs/draft.md": "---\ntitle: Soon\ndraft: true\n---\nNot yet.\n",
    "docs/large.md": "# Large\n\n" + "".join(f"Line {number * number}.\n\n" for number in range(45_000)),
}


@pytest.fixture(scope="module")
def readers(tmp_path_factory) -> Iterator[Readers]:
    data = tmp_path_factory.mktemp("data")
    built = build_site(tmp_path_factory.mktemp("site"), FILES).output.written
    other = build_site(
        tmp_path_factory.mktemp("other"), {"docs/index.md": "# A\n", "pages/mcp.md": "# Own\n"}
    )
    assert len(built["docs/large.md"]) > LARGE
    publish(release_store(data), built)
    publish(release_store(data, "site_other"), other.output.written)
    mount(data, {HOST: "site_quay", OTHER: "site_other", OFF: "site_off"})
    with serving_sites(data) as running:
        yield running


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_sdk_searches_and_reads_a_published_site(readers, revision):
    async def work(client: Client):
        listed = (await client.call_tool("list", {})).structured_content
        assert [page["path"] for page in listed["pages"]] == ["/docs/", "/docs/install", "/docs/large"]
        found = (await client.call_tool("search", {"query": "install"})).structured_content["results"][0]
        read = await client.call_tool("read", {"path": found["url"]})
        assert "Use apt." in read.structured_content["content"]
        assert (await client.call_tool("read", {"path": "/docs/draft"})).is_error
        large = await client.call_tool("read", {"path": "/docs/large"})
        assert large.structured_content["next_cursor"]
        assert (await client.read_resource("https://quay.example/docs/install.md")).contents[0].text

    over_http(f"http://{HOST}:{readers.port}/mcp", revision, work)


def _post(readers: Readers, host: str, sent: object, **headers: str):
    given = {"Host": host, **(mirrored(sent) if isinstance(sent, dict) else {}), **headers}
    return post(readers.port, "/mcp", sent, given)


def test_each_host_has_its_own_site_and_hosts_without_one_have_nothing(readers):
    def total(host: str) -> int:
        return json.loads(_post(readers, host, call("list")).body)["result"]["structuredContent"]["total"]

    assert (total(HOST), total(OTHER), total(f"{OTHER}:{readers.port}")) == (3, 2, 2)
    for host in (OFF, "nowhere.localhost"):
        answer = _post(readers, host, call("list"))
        assert (answer.status, answer.body) == (404, b"There is nothing at this address.\n")


def test_a_new_release_is_read_at_once(tmp_path):
    first = build_site(tmp_path / "a", {"docs/index.md": "# A\n"}).output.written
    later = build_site(tmp_path / "b", {"docs/index.md": "# A\n", "docs/b.md": "# B\n"}).output.written
    publish(release_store(tmp_path), first)
    mount(tmp_path, {HOST: "site_quay"})
    with serving_sites(tmp_path) as running:

        def paths() -> list[str]:
            result = json.loads(post(running.port, "/mcp", call("list")).body)["result"]
            return [page["path"] for page in result["structuredContent"]["pages"]]

        assert paths() == ["/docs/"]
        publish(release_store(tmp_path), later)
        until(lambda: paths() == ["/docs/", "/docs/b"])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": f"https://{OTHER}"}, 200),
        ({"Origin": "null"}, 403),
        ({"Service-Worker": "script"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Cookie": "a=b"}, 200),
    ],
)
def test_only_the_site_s_own_pages_may_ask_from_a_browser(readers, headers, status):
    answer = _post(readers, OTHER, call("list"), **headers)
    assert answer.status == status
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"[]", 400), (b"{" * 9_999, 400), (b" " * 70_000, 413), (b"\xff", 400)],
)
def test_what_is_no_message_is_refused(readers, body, status):
    answer = _post(readers, HOST, body)
    assert answer.status == status
    assert "error" in json.loads(answer.body)


def test_a_get_is_a_page_s_and_else_refused(readers):
    assert "Own" in readers.get("/mcp", OTHER).text
    answer = readers.get("/mcp", HOST)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")
    for path, method, status in (
        ("/mcp", "DELETE", 405),
        ("/docs/install", "POST", 405),
        ("/mcp/", "POST", 405),
    ):
        assert readers.get(path, HOST, method).status == status


def test_the_card_leads_to_the_server(readers):
    answer = readers.get("/.well-known/mcp/server-card.json", OTHER)
    card = json.loads(answer.body)
    assert answer.headers["content-type"] == "application/json"
    assert card["remotes"][0]["url"] == f"http://{OTHER}/mcp"
    assert readers.get("/.well-known/mcp/server-card.json", "nowhere.localhost").status == 404


def test_a_client_s_messages_are_counted(readers):
    limits = McpAnswers()._limits
    assert limits.requests == REQUESTS
    assert json.loads(_post(readers, HOST, message("tools/list")).body)["result"]["tools"]
