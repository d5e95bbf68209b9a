"""A renamed site: the owner's page waits until readers find it at its new name."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from server.control import ControlDatabase
from server.control.audit import By
from server.control.hosted_sites import HostedSites
from server.domains.domain_claims import DomainClaims
from server.domains.domain_name import DomainRules
from server.releases.hosts import read_hosts
from server.releases.site_stores import FolderSites
from server.service.published_sites import _HostsFile
from tests.ports import free_port
from tests.server.control.people import account

LATE = 30
"""Questions that readers' process answers with its former hosts."""


@contextmanager
def late_readers(asked: list[str]) -> Iterator[tuple[str, int]]:
    """A process for readers that reads a new file of hosts late."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["Host"])
            self.send_response(404 if len(asked) <= LATE else 403)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield "127.0.0.1", server.server_port
        server.shutdown()
        thread.join()


@contextmanager
def renamed(folder: Path, readers: tuple[str, int]) -> Iterator[list[str]]:
    """Rename a site and yield what is told when its hosts are written."""
    told: list[str] = []
    with closing(ControlDatabase(folder / "control.sqlite3")) as database:
        sites, by = HostedSites(database), By("session abc")
        stores = FolderSites(folder / "releases")
        claims = DomainClaims(database, DomainRules(("localhost",)))
        hosts = _HostsFile(sites, claims, "localhost", stores, readers=readers, tell=told.append)
        site = sites.create(account(database).id, "boats", by)
        hosts.write()
        hosts.write_through(sites.rename(site.id, "ships", by))
        assert list(read_hosts(stores.shared()).hosts) == ["ships.localhost"]
        yield told


def test_a_rename_waits_until_readers_find_the_site(tmp_path: Path) -> None:
    asked: list[str] = []
    with late_readers(asked) as readers, renamed(tmp_path, readers) as told:
        assert asked == ["ships.localhost"] * (LATE + 1)
        assert told == []


def test_a_rename_does_not_wait_for_readers_that_are_elsewhere(tmp_path: Path) -> None:
    with renamed(tmp_path, ("127.0.0.1", free_port())) as told:
        assert told == []
