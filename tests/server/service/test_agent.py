"""An agent's whole session with the running service: over HTTP and MCP, until readers' agents read it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from mcp import Client

from server.domains.domain_look import proof
from tests.ports import free_port
from tests.server.api.exchange import Reply, exchange
from tests.server.commands import twinpress
from tests.server.control.people import PASSWORD
from tests.server.dashboard.browser import Browser
from tests.server.domains.name_server import RESOLVER, NameServers, name_servers, txt
from tests.server.http_client import request
from tests.server.mcp.clients import LEGACY, MODERN, call, mirrored, over_http, post
from tests.server.service.process import Host
from tests.server.service.test_published import publish, releases
from tests.waiting import until

__all__ = ["releases"]

API = "/api/v1/pages"
SITE = "/sites/quay-docs"
DOMAIN = "docs.quayside.example"
TASK = "Write a section on berths.\nLead the former page to it."
SECTION = [
    {
        "op": "write",
        "path": "docs/berths/index",
        "frontmatter": {"title": "Berths"},
        "body": "See [tides](./tides).\n",
    },
    {
        "op": "write",
        "path": "docs/berths/prices",
        "frontmatter": {"title": "Prices", "draft": True},
        "body": "## By night\n\nLow, also at [berths](./index).\n",
    },
    {"op": "write", "path": "docs/berths/tides", "body": "# Tides\n\nHigh at noon.\n"},
    {"op": "category", "path": "docs/berths", "label": "Berths", "position": 2},
    {"op": "redirect", "from": "/docs/moorings", "to": "/docs/berths/"},
]


class Owner:
    """An owner at a browser, the site, and what an agent asks with the keys that the owner makes."""

    def __init__(self, folder: Path, servers: NameServers, *more: str) -> None:
        self.servers, self.sites = servers, free_port()
        self.host = Host(
            folder / "data",
            arguments=(
                *("--no-databases", "--sites-port", str(self.sites)),
                *("--dns-resolver", f"{RESOLVER}:{servers.port}", *more),
            ),
        )
        done = twinpress(
            *("admin", "--data", self.host.data, "account", "create", "a@b.org"),
            cwd=folder,
            given=f"{PASSWORD}\n",
        )
        self.account = re.findall(r"\w{16}", done.stdout)[0]
        self.host.start()
        self.browser = Browser(self.host.port)
        self.sign_in()
        self.browser.post("/sites", {"name": "quay-docs"})

    def sign_in(self) -> None:
        """Sign in at the browser."""
        self.browser.post("/sign-in", {"email": "a@b.org", "password": PASSWORD})

    def prompt(self, *, navigation: bool) -> str:
        """The prompt that the dashboard's form gives."""
        tick = {"navigation": "on"} if navigation else {}
        page = self.browser.post(f"{SITE}/keys", {"kind": "one-off", "task": TASK, **tick})
        (text,) = re.findall(r'<pre id="prompt"[^>]*>(.*?)</pre>', page.text, re.DOTALL)
        return unescape(text)

    def ask(self, key: str, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """One request of the agent."""
        return exchange(self.host.port, method, f"{API}/ai/{path}", key, body, **headers)

    def mount(self) -> None:
        """Give the site a domain of its own."""
        self.browser.post(f"{SITE}/domains", {"domain": DOMAIN})
        self.servers.put(f"_twinpress.{DOMAIN}", "TXT", txt(proof(self.account, DOMAIN)))
        self.servers.put(DOMAIN, "CNAME", "localhost.")
        self.browser.post(f"{SITE}/domains/{DOMAIN}/look")
        until(lambda: self.read(DOMAIN, "/docs/")[0] == 200)

    def read(self, host: str, path: str) -> tuple[int, str]:
        """Return what readers get at a host."""
        status, _, body = request(self.sites, "GET", path, [("Host", f"{host}:{self.sites}")])
        return status, body.decode()

    def tool(self, host: str, name: str, **arguments: object) -> Any:
        """Return what a tool of the published site gives at a host."""
        sent = call(name, **arguments)
        answer = post(self.sites, "/mcp", sent, {**mirrored(sent), "Host": f"{host}:{self.sites}"})
        assert answer.status == 200, answer
        return json.loads(answer.body)["result"]


def key_of(prompt: str) -> str:
    """The key that stands in a prompt."""
    found: set[str] = set(re.findall(r"dpk_\w{46}", prompt))
    return found.pop()


@pytest.fixture
def servers() -> Iterator[NameServers]:
    with name_servers() as found:
        found.put("localhost", "A", "127.0.0.1")
        yield found


@pytest.fixture
def owner(tmp_path: Path, servers: NameServers, releases: tuple[str, ...]) -> Iterator[Owner]:
    found = Owner(tmp_path, servers, *releases)
    yield found
    assert found.host.stop() == 0


@pytest.mark.parametrize("releases", ["folder"], indirect=True)
def test_an_agent_writes_a_section_and_undoes_it(owner: Owner) -> None:
    prompt = owner.prompt(navigation=False)
    assert prompt.endswith(f"{TASK}\n")
    key = key_of(prompt)
    (guide,) = re.findall(r"http://\S+/ai/guide", prompt)
    assert guide == f"{owner.browser.origin}{API}/ai/guide"
    text = owner.ask(key, "GET", "guide", Accept="text/markdown").body.decode()
    assert len(text.encode()) <= 12_288
    assert "in a service signed in" in text
    before = owner.ask(key, "GET", "site").data["pages"]

    for rehearsal in ("?dry_run=true", ""):
        made = owner.ask(key, "POST", f"changes{rehearsal}", {"changes": SECTION}).data
        assert made["applied"] is not bool(rehearsal)
        assert [finding for page in made["pages"] for finding in page["diagnostics"]] == []
        assert made["effects"]["redirects"][0]["to"] == "/docs/berths/"
    moved = owner.ask(key, "POST", "move", {"from": "docs/berths/tides", "to": "docs/berths/water"}).data
    assert moved["effects"]["rewritten"] == [{"file": "docs/berths/index.mdx", "links": 1}]
    assert owner.ask(key, "GET", "redirects").data["redirects"][-1]["to"] == "/docs/berths/water"
    refused = owner.ask(key, "PUT", "navigation", {"nav": [{"label": "Berths", "href": "/docs/berths/"}]})
    assert (refused.status, refused.code) == (403, "OWNER_ONLY")
    assert "May change the navigation" in refused.json["error"]
    look = owner.ask(key, "GET", "preview?path=docs/berths/prices&image=true").data
    assert [heading["text"] for heading in look["outline"]["headings"]] == ["Prices", "By night"]
    assert (look["image"], "operator" in look["no_image"]) == (None, True)
    found = owner.ask(key, "GET", "search?q=noon").data["hits"]
    assert found[0]["path"] == "docs/berths/water"

    assert owner.ask(key, "POST", "undo", {"all": True}).status == 200
    assert owner.ask(key, "GET", "site").data["pages"] == before
    assert owner.ask(key, "GET", "redirects").data["redirects"] == []


@pytest.mark.parametrize("releases", ["folder"], indirect=True)
def test_only_the_owner_who_is_signed_in_sees_the_draft_that_an_answer_leads_to(owner: Owner) -> None:
    key = key_of(owner.prompt(navigation=False))
    page = {"path": "docs/über-uns", "body": "Not for all yet.\n", "frontmatter": {"draft": True}}
    link = owner.ask(key, "PUT", "page", page).headers["link"]
    (address,) = re.findall('^<(.+)>; rel="preview"$', link)
    assert address.startswith(f"{owner.browser.origin}{SITE}/preview/docs/")
    assert "preview-" not in address
    path = address.removeprefix(owner.browser.origin)

    def opened(browser: Browser) -> tuple[int, str, str]:
        """Status, where it leads, and the page there if it is at the origin of sites."""
        found = browser.once("GET", path, None, {})
        to = found.headers.get("location", "")
        parts = urlsplit(to)
        is_preview = (parts.hostname or "").startswith("preview-")
        return found.status, to, owner.read(parts.hostname or "", parts.path)[1] if is_preview else ""

    for base in ("", "/manual"):
        (folder,) = owner.host.data.glob("sites/*/site.yml")
        folder.write_text(f"title: Quay\nurl: https://quay.example{base}\n")
        status, _, text = opened(owner.browser)
        assert (status, "Not for all yet." in text) == (303, True)
    assert opened(Browser(owner.host.port)) == (303, f"/sign-in?next={quote(path)}", "")
    other = Browser(owner.host.port)
    made = twinpress(
        *("admin", "--data", owner.host.data, "account", "create", "b@b.org"),
        cwd=owner.host.data.parent,
        given=f"{PASSWORD}\n",
    )
    assert made.returncode == 0
    other.post("/sign-in", {"email": "b@b.org", "password": PASSWORD})
    assert opened(other) == (404, "", "")


@pytest.mark.parametrize("releases", ["folder"], indirect=True)
def test_a_key_with_the_tick_changes_the_navigation(owner: Owner) -> None:
    key = key_of(owner.prompt(navigation=True))
    nav = [{"label": "Handbook", "href": "/docs/"}]
    assert owner.ask(key, "PUT", "navigation", {"nav": nav}).status == 200
    assert owner.ask(key, "GET", "navigation").data["nav"] == nav
    publish(owner.browser)
    assert ">Handbook<" in owner.read("quay-docs.localhost", "/docs/")[1]


@pytest.mark.slow
def test_what_an_agent_writes_by_tools_is_read_by_those_of_readers(
    owner: Owner, releases: tuple[str, ...]
) -> None:
    prompt = owner.prompt(navigation=False)
    (address,) = re.findall(r"http://\S+/mcp\b", prompt)
    headers = {"Authorization": f"Bearer {key_of(prompt)}"}

    async def write(client: Client) -> None:
        assert "How to write this documentation" in str((await client.call_tool("read_guide", {})).content)
        changes = {"changes": SECTION}
        rehearsed = await client.call_tool("apply_changes", {**changes, "dry_run": True})
        assert rehearsed.structured_content["applied"] is False
        made = await client.call_tool("apply_changes", changes)
        assert made.structured_content["applied"] is True
        moved = {"from": "docs/berths/tides", "to": "docs/berths/water"}
        assert not (await client.call_tool("move", moved)).is_error
        seen = await client.call_tool("look_at_page", {"path": "docs/berths/prices"})
        assert seen.structured_content["preview_url"] == (
            f"{owner.browser.origin}{SITE}/preview/docs/berths/prices"
        )

    async def undo(client: Client) -> None:
        assert not (await client.call_tool("undo", {"all": True})).is_error

    for revision in (LEGACY, MODERN):
        over_http(address, revision, write, headers)
        if revision == LEGACY:
            over_http(address, revision, undo, headers)
    assert "Readers have release" in publish(owner.browser)
    owner.mount()
    publish(owner.browser)
    until(lambda: "By night" not in owner.read(DOMAIN, "/docs/berths/")[1])
    listed = owner.tool(DOMAIN, "list")["structuredContent"]["pages"]
    paths = {page["path"] for page in listed}
    assert {"/docs/berths/", "/docs/berths/water"} <= paths
    assert "/docs/berths/prices" not in paths
    (first, *_) = owner.tool(DOMAIN, "search", query="noon")["structuredContent"]["results"]
    assert first["url"].startswith(f"http://{DOMAIN}:{owner.sites}/docs/berths/water")
    text = owner.tool(DOMAIN, "read", path="/docs/berths/water")["structuredContent"]["content"]
    assert "High at noon." in text
    status, card = owner.read(DOMAIN, "/.well-known/mcp/server-card.json")
    assert (status, json.loads(card)["remotes"][0]["url"]) == (200, f"https://{DOMAIN}:{owner.sites}/mcp")
