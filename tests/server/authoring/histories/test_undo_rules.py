"""An undo obeys the rules that a new change obeys now, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.authoring.site_key_limits import ClientLimits
from server.control.keys.key_record import KeyKind
from server.control.sqlite.local_database import local_database
from tests.server.api.exchange import Reply, exchange
from tests.server.authoring.client import BASE, content, restored
from tests.server.authoring.inside import UNLIMITED, Hosted, hosted
from tests.server.authoring.schema import DESCRIBED
from tests.sites import write_site
from tests.waiting import until

SITE = {
    "site.yml": """title: T  # kept
nav:
  - {label: A, href: /docs/a}
redirects:
  /docs/old/*: /docs/a
  /gone: /docs/a
  /led: /docs/b
""",
    "docs/a.md": "# A\n",
    "docs/b.md": "# B\n\n[a](a.md)\n",
}


class Client:
    """Asks a site with a key, which may change the navigation until that is taken away."""

    def __init__(self, server: Hosted, root: Path) -> None:
        self._port, self.root = server.port, root
        made = server.keys.create(KeyKind.ONE_OFF, server.site, navigation=True)
        self._text, self._id = made.text, made.record.id

    def ask(self, path: str, body: object) -> Reply:
        """One request, whose answer must be as the document says."""
        reply = exchange(self._port, "POST", f"{BASE}/ai/{path}", self._text, body)
        DESCRIBED.check("POST", f"{BASE}/ai/{path}", reply.status, reply.headers, reply.body)
        return reply

    def let(self, *, navigation: bool) -> None:
        """Say whether the key may change the navigation from now on."""
        with local_database(self.root) as database:
            database.write("UPDATE keys SET navigation = ? WHERE id = ?", (int(navigation), self._id))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of one site for all tests, once pages of it have been looked at."""
    root = write_site(tmp_path_factory.mktemp("undone"), SITE)
    with hosted(root, ClientLimits(pages=3, requests=UNLIMITED.requests)) as server:
        client = Client(server, root)
        until(lambda: client.ask("changes?dry_run=true", {"changes": [write("docs/a")]}).status == 200)
        yield client


@pytest.fixture
def client(server: Client) -> Client:
    """The same, with the site as it was and a key that may change the navigation."""
    restored(server.root, SITE)
    server.let(navigation=True)
    return server


@pytest.fixture
def root(client: Client) -> Path:
    """The site's folder."""
    return client.root


def changed(client: Client, *operations: dict[str, Any]) -> str:
    reply = client.ask("changes", {"changes": [*operations]})
    assert reply.status == 200, reply.body
    return str(reply.data["change"])


def undone(client: Client, query: str = "", **asked: object) -> Reply:
    return client.ask(f"undo{query}", asked)


def write(path: str) -> dict[str, Any]:
    return {"op": "write", "path": path, "body": "Text.\n"}


def test_a_pattern_does_not_come_back_over_a_page(client: Client, root: Path) -> None:
    change = changed(client, {"op": "delete_redirect", "from": "/docs/old/*"})
    later = changed(client, write("docs/old/x"))
    before = content(root)
    for query in ("", "?dry_run=true"):
        refused = undone(client, query, change=change)
        assert (refused.status, refused.code) == (409, "PATH_CONFLICT"), refused.body
        assert "/docs/old/*: it would hide what there is, `docs/old/" in refused.json["error"]
        assert "nothing was undone" in refused.json["error"]
    assert content(root) == before
    assert undone(client, changes=[change, later]).status == 200
    assert content(root) == {file: text.encode() for file, text in SITE.items()}


def test_an_address_does_not_come_back_over_a_page(client: Client, root: Path) -> None:
    change = changed(client, {"op": "delete_redirect", "from": "/gone"})
    later = changed(client, write("pages/gone"))
    refused = undone(client, change=change)
    assert (refused.status, refused.code) == (409, "PATH_CONFLICT"), refused.body
    assert "/gone: there is a page or file at this address, `gone.html`" in refused.json["error"]
    assert undone(client, changes=[change, later]).status == 200


def test_a_redirect_whose_page_is_gone_comes_back_and_is_told(client: Client, root: Path) -> None:
    changed(client, {"op": "delete", "path": "docs/b"})
    changed(client, {"op": "delete_redirect", "from": "/led"})
    reply = undone(client)
    assert reply.status == 200, reply.body
    assert [one["file"] for one in reply.data["effects"]["broken_links"]] == ["site.yml"]
    assert undone(client).status == 200
    assert content(root) == {file: text.encode() for file, text in SITE.items()}


def test_a_move_with_its_redirects_is_undone_and_made_again(client: Client, root: Path) -> None:
    move = changed(client, {"op": "move", "from": "docs/b", "to": "docs/c/d"})
    after = content(root)
    undo = undone(client, change=move).data["change"]
    assert content(root) == {file: text.encode() for file, text in SITE.items()}
    assert undone(client, change=undo).status == 200
    assert content(root) == after


def test_the_navigation_stays_when_the_key_may_not_change_it_any_more(client: Client, root: Path) -> None:
    operation = {"op": "navigation", "nav": [{"label": "B", "href": "/docs/b"}]}
    changes = {"changes": [write("docs/c"), operation]}
    assert client.ask("changes", changes).status == 200
    client.let(navigation=False)
    before = content(root)
    refused = client.ask("undo", {})
    assert (refused.status, refused.code) == (403, "OWNER_ONLY"), refused.body
    assert "ask the owner" in refused.json["error"]
    assert content(root) == before


def test_links_that_followed_a_move_go_back_without_the_attribute(client: Client, root: Path) -> None:
    client.let(navigation=False)
    assert client.ask("move", {"from": "docs/a", "to": "docs/c/d"}).status == 200
    assert b"href: /docs/c/d" in (root / "site.yml").read_bytes()
    undo = client.ask("undo", {})
    assert undo.status == 200, undo.body
    assert content(root) == {file: text.encode() for file, text in SITE.items()}
    assert client.ask("undo", {"change": undo.data["change"]}).status == 200
    assert b"href: /docs/c/d" in (root / "site.yml").read_bytes()


def test_a_page_does_not_come_back_beside_one_of_nearly_its_name(client: Client, root: Path) -> None:
    change = changed(client, {"op": "delete", "path": "docs/b"})
    changed(client, write("docs/B"))
    refused = undone(client, change=change)
    assert (refused.status, refused.code) == (409, "PATH_CONFLICT"), refused.body
    assert "`docs/B.mdx` (changed since by your change" in refused.json["error"]
    assert "nothing was undone" in refused.json["error"]


def test_pages_do_not_come_back_above_the_limit(client: Client, root: Path) -> None:
    change = changed(client, {"op": "delete", "path": "docs/b"})
    changed(client, write("docs/c"), write("docs/d"))
    refused = undone(client, change=change)
    assert (refused.status, refused.code) == (403, "PAGE_LIMIT_REACHED"), refused.body
    for said in ("would have 4 pages, and may have 3", "nothing was undone", "delete pages first"):
        assert said in refused.json["error"]
    assert undone(client, last=2).status == 200
    assert content(root) == {file: text.encode() for file, text in SITE.items()}
