"""The tools of a preview over real HTTP: clients of both revisions, and requests of others."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from tests.server.commands import serving
from tests.server.http_client import request
from tests.server.mcp.clients import LEGACY, META, MODERN, call, message, mirrored, over_http, post
from tests.sites import write_site

SITE = {
    "site.yml": "title: Harbour\nurl: https://harbour.example/base\n",
    "docs/index.md": "# Start\n",
    "docs/guide/install.md": "---\ntitle: Install\n---\nText.\n\n## Linux\n\nUse apt.\n",
    "docs/guide/draft.md": "---\ntitle: Soon\ndraft: true\n---\nNot yet.\n",
}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def preview(tmp_path_factory):
    with serving(write_site(tmp_path_factory.mktemp("site"), SITE)) as running:
        yield running


@pytest.fixture(params=[MODERN, LEGACY])
def revision(request):
    return request.param


@pytest.mark.parametrize("place", ["/mcp", "/base/mcp"])
def test_the_sdk_searches_and_reads(preview, revision, place):
    async def work(client: Client):
        assert [tool.name for tool in (await client.list_tools()).tools] == ["search", "read", "list"]
        listed = (await client.call_tool("list", {})).structured_content
        paths = ["/docs/", "/docs/guide/", "/docs/guide/install", "/docs/guide/draft"]
        assert [page["path"] for page in listed["pages"]] == paths
        found = (await client.call_tool("search", {"query": "install"})).structured_content["results"][0]
        assert found["path"] == "/docs/guide/install"
        read = await client.call_tool("read", {"path": found["path"], "heading": "Linux"})
        assert read.structured_content["content"] == "## Linux\n\nUse apt.\n"
        assert read.structured_content["url"] == "https://harbour.example/base/docs/guide/install"
        failed = await client.call_tool("read", {"path": "/nowhere"})
        assert (failed.is_error, failed.structured_content) == (True, None)
        resources = (await client.list_resources()).resources
        text = (await client.read_resource(resources[2].uri)).contents[0].text
        assert text.startswith("# Install\n")
        template = (await client.list_resource_templates()).resource_templates[0]
        assert template.uri_template == "https://harbour.example/base/{+path}.md"

    over_http(f"http://127.0.0.1:{preview.port}{place}", revision, work)


def test_an_answer_is_plain_json_of_no_session(preview):
    answer = post(preview.port, "/mcp", call("list"))
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.headers["cache-control"] == "no-store"
    assert not {"set-cookie", "mcp-session-id", "access-control-allow-origin"} & answer.headers.keys()


@pytest.mark.parametrize("asked", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2023-01-01"])
def test_older_clients_agree_on_a_revision(preview, asked):
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answer = post(preview.port, "/mcp", sent, {"Accept": "application/json, text/event-stream"})
    result = json.loads(answer.body)["result"]
    assert result["protocolVersion"] == (LEGACY if asked == "2023-01-01" else asked)
    assert result["serverInfo"]["name"] == "twinpress"
    noted = post(preview.port, "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, JSON)
    assert (noted.status, noted.body) == (202, b"")
    ping = post(preview.port, "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "ping"}, JSON)
    assert json.loads(ping.body) == {"jsonrpc": "2.0", "id": 2, "result": {}}


def _without(*names: str) -> dict[str, str]:
    return {name: value for name, value in mirrored(call("list")).items() if name not in names}


MODERN_CALL = call("list")
UNKNOWN = {"MCP-Protocol-Version": "1900-01-01"}
META_UNKNOWN = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (MODERN_CALL, _without("MCP-Protocol-Version"), 400, -32020),
        (MODERN_CALL, _without("Mcp-Method"), 400, -32020),
        (MODERN_CALL, _without("Mcp-Name"), 400, -32020),
        (MODERN_CALL, {**_without(), "Mcp-Name": "read"}, 400, -32020),
        (MODERN_CALL, {**_without(), "Mcp-Method": "tools/list"}, 400, -32020),
        (MODERN_CALL, {**_without(), "MCP-Protocol-Version": LEGACY}, 400, -32020),
        (MODERN_CALL, {**_without(), "Mcp-Name": "=?base64?bGlzdA==?="}, 200, None),
        (MODERN_CALL, {**_without(), "Mcp-Name": "=?base64?%%?="}, 400, -32020),
        (message("tools/list") | {"params": {"_meta": META_UNKNOWN}}, UNKNOWN, 400, -32022),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, UNKNOWN, 400, -32022),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"MCP-Protocol-Version": MODERN}, 400, -32602),
        (
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/list",
                "params": {"_meta": {next(iter(META)): MODERN}},
            },
            {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"},
            400,
            -32602,
        ),
        (message("nothing/here"), None, 404, -32601),
        (message("ping"), None, 404, -32601),
        (message("tools/call", name="nothing"), None, 400, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "nothing/here"}, {}, 200, -32601),
        ([MODERN_CALL], {}, 400, -32600),
        (b"{", {}, 400, -32700),
        (b"\xff", {}, 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}', {}, 400, -32700),
        (b'{"a":' * 5_000, {}, 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Content-Type": "text/plain"}, 415, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Content-Encoding": "gzip"}, 415, -32600),
        (b" " * 70_000, {}, 413, -32600),
    ],
    ids=lambda value: repr(value)[:50] if isinstance(value, bytes | dict | list) else None,
)
def test_a_message_must_be_what_it_says(preview, body, headers, status, code):
    answer = post(preview.port, "/mcp", body, headers)
    told = json.loads(answer.body)
    assert (answer.status, told.get("error", {}).get("code")) == (status, code)
    if code == -32022:
        assert told["error"]["data"]["supported"][0] == MODERN
        assert told["error"]["data"]["requested"] == "1900-01-01"


def test_a_header_that_is_given_twice_is_refused(preview):
    headers = [*_without().items(), ("Mcp-Name", "read"), *JSON.items()]
    status, _, body = request(preview.port, "POST", "/mcp", headers, json.dumps(MODERN_CALL).encode())
    assert (status, json.loads(body)["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Origin": "http://localhost:{port}", "Host": "localhost:{port}"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://evil.example:{port}", "Host": "evil.example:{port}"}, 403),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "evil.example:{port}", "Origin": "http://127.0.0.1:{port}"}, 403),
    ],
)
def test_no_other_site_s_page_can_ask(preview, headers, status):
    given = {name: value.format(port=preview.port) for name, value in headers.items()}
    answer = post(preview.port, "/mcp", MODERN_CALL, {**_without(), **given})
    assert answer.status == status
    assert b"Harbour" not in answer.body or status == 200


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/mcp", 405, {"POST"}),
        ("GET", "/base/mcp", 405, {"POST"}),
        ("DELETE", "/mcp", 405, {"GET", "HEAD", "POST"}),
        ("GET", "/base/docs/mcp", 404, None),
        ("POST", "/base/docs/mcp", 405, {"GET", "HEAD"}),
        ("POST", "/base/docs/guide/install", 405, {"GET", "HEAD"}),
    ],
)
def test_other_methods_and_places_are_not_the_server_s(preview, method, path, status, allow):
    answer = preview.request(method, path)
    assert answer.status == status
    if allow:
        assert {each.strip() for each in answer.headers["allow"].split(",")} == allow


def test_a_page_at_the_server_s_address_is_shown_to_readers(tmp_path):
    files = {"pages/mcp.md": "# Our own page\n", "docs/index.md": "# Start\n"}
    with serving(write_site(tmp_path, files)) as other:
        assert "Our own page" in other.get("/mcp").text
        result = json.loads(post(other.port, "/mcp", MODERN_CALL).body)["result"]
        assert [page["path"] for page in result["structuredContent"]["pages"]] == ["/docs/", "/mcp"]


def test_the_card_leads_to_the_server(preview):
    answer = preview.get("/.well-known/mcp/server-card.json")
    card = json.loads(answer.body)
    assert (answer.status, answer.headers["content-type"].split(";")[0]) == (200, "application/json")
    assert card["remotes"][0]["url"] == f"http://127.0.0.1:{preview.port}/base/mcp"
    assert card["remotes"][0]["supportedProtocolVersions"][0] == MODERN


def test_the_terminal_shows_what_clients_need(preview):
    reading = f"http://127.0.0.1:{preview.port}/base/mcp"
    preview.says(f"claude mcp add --transport http docs {reading}")
    assert f'{{"url": "{reading}"}}' in preview.says(".cursor/mcp.json")
    assert "Authorization: Bearer dpk_" in preview.says("docs-writing")
    assert not [line for line in preview.lines if "dpk_" in line]
