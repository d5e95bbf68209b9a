"""A domain of an owner, from its records to TLS: with Caddy before the service, and without the service."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.domains.domain_look import proof
from tests.ports import free_port
from tests.server.commands import COMMAND, running, twinpress
from tests.server.control.people import PASSWORD
from tests.server.dashboard.browser import Browser
from tests.server.deploy.test_deploy import ByTls, asked, needs_caddy, proxied
from tests.server.domains.name_server import RESOLVER, NameServers, name_servers, txt
from tests.server.http_client import request
from tests.server.service.process import Host
from tests.server.service.test_published import publish
from tests.waiting import until

SITE = "/sites/quay-docs"
PAGE = f"{SITE}/domains"
DOCS, WWW, APEX = "docs.quayside.example", "www.quayside.example", "quayside.example"


@pytest.fixture
def servers() -> Iterator[NameServers]:
    """A resolver that the service asks for everything."""
    with name_servers() as found:
        for name in ("localhost", "sites.localhost"):
            found.put(name, "A", "127.0.0.1")
        yield found


class Mounted:
    """A service with a site that is published, and its browser."""

    def __init__(self, folder: Path, servers: NameServers, tls: int, *more: str) -> None:
        self.servers = servers
        self.sites, self.ask = free_port(), free_port()
        named = ("--url", f"https://localhost:{tls}", "--sites-url", f"https://sites.localhost:{tls}")
        self.host = Host(
            folder / "data",
            arguments=(
                *("--no-databases", "--sites-port", str(self.sites), "--ask-port", str(self.ask)),
                *("--dns-resolver", f"{RESOLVER}:{servers.port}", "--trusted-proxy", "127.0.0.1", *more),
                *(named if tls else ()),
            ),
        )
        create = ("admin", "--data", self.host.data, "account", "create", "a@b.org")
        done = twinpress(*create, cwd=folder, given=f"{PASSWORD}\n")
        assert done.returncode == 0
        self.account = re.findall(r"\w{16}", done.stdout)[0]
        self.host.start()

    def prove(self, name: str) -> None:
        """Set both records of a domain."""
        self.servers.put(f"_twinpress.{name}", "TXT", txt(proof(self.account, name)))
        if name == APEX:
            self.servers.put(name, "A", "127.0.0.1")
        else:
            self.servers.put(name, "CNAME", "sites.localhost.")

    def may_have(self, name: str) -> int:
        """The answer to the TLS proxy."""
        return request(self.ask, "GET", f"/?domain={name}", [("Host", "127.0.0.1")])[0]


def read(port: int, name: str, path: str) -> tuple[int, dict[str, str], str]:
    status, headers, body = request(port, "GET", path, [("Host", name)])
    return status, {key.lower(): value for key, value in headers.items()}, body.decode()


def test_a_domain_is_served_as_soon_as_its_records_are_there(tmp_path: Path, servers: NameServers) -> None:
    mounted = Mounted(tmp_path, servers, 0)
    browser = Browser(mounted.host.port)
    with mounted.host.runs:
        browser.post("/sign-in", {"email": "a@b.org", "password": PASSWORD})
        browser.post("/sites", {"name": "quay-docs"})
        publish(browser)
        browser.post(PAGE, {"domain": APEX, "both": "on"})
        assert read(mounted.sites, APEX, "/docs/")[0] == 404
        assert [mounted.may_have(name) for name in (APEX, "quay-docs.localhost", "localhost")] == [
            404,
            200,
            404,
        ]
        mounted.prove(APEX)
        mounted.prove(WWW)
        browser.post(f"{PAGE}/{APEX}/look")
        until(lambda: mounted.may_have(APEX) == mounted.may_have(WWW) == 200)
        until(lambda: read(mounted.sites, APEX, "/docs/")[0] == 200)
        for name in (WWW, "quay-docs.localhost"):
            until(lambda name=name: read(mounted.sites, name, "/docs/")[0] == 301, pause=0.1)
            assert read(mounted.sites, name, "/docs/?a=b")[1]["location"] == f"//{APEX}/docs/?a=b"
        assert "Publish again" in browser.get(PAGE).words
        publish(browser)
        port = mounted.sites
        canonical = f'<link rel="canonical" href="http://{APEX}:{port}/docs/">'
        until(lambda: canonical in read(port, APEX, "/docs/")[2])
        assert f"http://{APEX}:{port}/docs/" in read(port, APEX, "/sitemap.xml")[2]
        browser.post(f"{SITE}/rename", {"name": "harbour-docs"})
        assert mounted.may_have("harbour-docs.localhost") == 200
        assert read(port, APEX, "/docs/")[0] == 200
        listed = twinpress("admin", "--data", mounted.host.data, "domain", "list", cwd=tmp_path).stdout
        assert re.search(rf"{APEX}\s+serving\s+harbour-docs\s+a@b.org", listed)
        clear = ("admin", "--data", mounted.host.data, "domain", "clear", APEX, "--yes")
        assert "is no domain of a@b.org any more" in twinpress(*clear, cwd=tmp_path).stderr
        until(lambda: read(port, APEX, "/docs/")[0] == 404)
        assert twinpress(*clear, cwd=tmp_path).returncode == 2
        browser.post("/sites/harbour-docs/delete", {"name": "harbour-docs"})
        until(lambda: mounted.may_have(WWW) == 404)


def certified(port: int, name: str, path: str = "/docs/") -> Any:
    """Return what a reader gets there by TLS, None where there is no certificate for the name."""
    try:
        return asked(port, name, path)
    except ssl.SSLError:
        return None


@needs_caddy
def test_caddy_gets_certificates_for_domains_and_for_nothing_else(
    tmp_path: Path, servers: NameServers
) -> None:
    port = free_port()
    mounted = Mounted(tmp_path, servers, port)
    changes = {
        "app.example.net": f"https://localhost:{port}",
        "*.sites.example.com": f"https://*.sites.localhost:{port}",
        "sites.example.com,": f"https://sites.localhost:{port},",
        "https:// {": f"https://:{port} {{",
        "127.0.0.1:8080": f"127.0.0.1:{mounted.host.port}",
        "127.0.0.1:8081": f"127.0.0.1:{mounted.sites}",
        "127.0.0.1:8082": f"127.0.0.1:{mounted.ask}",
    }
    folders = [tmp_path / "caddy", tmp_path / "another-caddy"]
    for folder in folders:
        folder.mkdir()
    with mounted.host.runs, proxied(folders[0], port, **changes):
        browser = ByTls(port)
        browser.post("/sign-in", {"email": "a@b.org", "password": PASSWORD})
        browser.post("/sites", {"name": "quay-docs"})
        publish(browser)
        browser.post(PAGE, {"domain": DOCS})
        assert certified(port, DOCS) is None
        mounted.prove(DOCS)
        browser.post(f"{PAGE}/{DOCS}/look")
        until(lambda: "Serving" in browser.get(PAGE).words)
        page = until(lambda: certified(port, DOCS))
        assert page.status == 200
        for name in ("evil.quayside.example", "quayside.example", f"a.{DOCS}"):
            assert certified(port, name) is None
        moved = certified(port, "quay-docs.sites.localhost")
        assert (moved.status, moved.headers["location"]) == (301, f"//{DOCS}:{port}/docs/")
        mounted.host.kill()
    alone = (COMMAND, "sites", "--data", str(mounted.host.data), "--port", str(mounted.sites))
    with (
        running((*alone, "--ask-port", str(mounted.ask), "--trusted-proxy", "127.0.0.1")),
        proxied(folders[1], port, **changes),
    ):
        page = certified(port, DOCS)
        assert (page.status, "<h1" in page.text) == (200, True)
        assert certified(port, "evil.quayside.example") is None
