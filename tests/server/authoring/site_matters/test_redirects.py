"""Redirects over HTTP: read with their places, and changed so that the owner's stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring
from tests.sites import write_site

SETTINGS = (
    "# Ours\ntitle: T\nredirects:\n  /shop: https://shop.example/ # away\n  /old: /docs/a\nplan: free\n"
)
FILES = {
    "site.yml": SETTINGS,
    "static/_redirects": "/theirs /docs/a 301\n",
    "docs/a.md": "# A\n",
    "docs/draft.md": "---\ndraft: true\n---\n# D\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    site = write_site(tmp_path_factory.mktemp("site"), FILES)
    with authoring(site, "--requests", "0") as client:
        yield client, site


@pytest.fixture
def client(served: tuple[Client, Path]) -> Client:
    served[1].joinpath("site.yml").write_text(SETTINGS)
    return served[0]


def change(client: Client, query: str = "", **body: Any) -> Reply:
    return client.ask("PUT", f"{BASE}/ai/redirects{query}", body)


def read(client: Client) -> Any:
    reply = client.ask("GET", f"{BASE}/ai/redirects")
    assert reply.status == 200
    return reply.data


def test_all_redirects_are_listed_with_their_places(client: Client) -> None:
    assert read(client)["redirects"] == [
        {"from": "/shop", "to": "https://shop.example/", "file": "site.yml", "line": 4, "owner_only": True},
        {"from": "/old", "to": "/docs/a", "file": "site.yml", "line": 5, "owner_only": False},
        {"from": "/theirs", "to": "/docs/a", "file": "static/_redirects", "line": 1, "owner_only": True},
    ]


def test_one_is_added_and_another_removed_and_each_other_byte_stays(
    client: Client, served: tuple[Client, Path]
) -> None:
    revision = read(client)["revision"]
    sent = {"add": [{"from": "/new", "to": "/docs/a"}], "remove": ["/old"], "if_match": revision}
    rehearsed = change(client, "?dry_run=true", **sent)
    assert read(client)["revision"] == revision
    changed = change(client, **sent)
    assert changed.data == {**rehearsed.data, "applied": True}
    assert changed.data["changed"] == [
        {"from": "/old", "to": None, "was": "/docs/a"},
        {"from": "/new", "to": "/docs/a", "was": None},
    ]
    assert served[1].joinpath("site.yml").read_text() == SETTINGS.replace("/old:", "/new:")
    assert read(client)["revision"] == changed.data["revision"]
    again = change(client, **sent)
    assert (again.status, again.json["code"]) == (412, "REVISION_MISMATCH")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"add": [{"from": "/x", "to": "https://evil.example"}]}, 403, "OWNER_ONLY"),
        ({"add": [{"from": "/*", "to": "/docs/a"}]}, 403, "OWNER_ONLY"),
        ({"remove": ["/shop"]}, 403, "OWNER_ONLY"),
        ({"add": [{"from": "/docs/a", "to": "/docs/draft"}]}, 409, "PATH_CONFLICT"),
        ({"add": [{"from": "/docs/draft", "to": "/docs/a"}]}, 409, "PATH_CONFLICT"),
        ({"add": [{"from": "/x", "to": "/docs/nowhere"}]}, 409, "PATH_CONFLICT"),
        ({"add": [{"from": "/x", "to": "javascript:alert(1)"}]}, 403, "OWNER_ONLY"),
        ({"remove": ["/theirs"]}, 409, "PATH_CONFLICT"),
        ({"remove": ["/nowhere"]}, 409, "PATH_CONFLICT"),
        ({"add": [{"from": "/x\nplan: premium", "to": "/docs/a"}]}, 409, "PATH_CONFLICT"),
        ({"add": [{"from": "/x", "to": ""}]}, 400, "INVALID_BODY"),
        ({"add": [{"from": "/x", "too": "/docs/a"}]}, 400, "INVALID_BODY"),
        ({"redirects": {}}, 400, "INVALID_BODY"),
        ({"add": [{"from": f"/{n}", "to": "/docs/a"} for n in range(101)]}, 400, "INVALID_BODY"),
    ],
)
def test_what_is_refused_changes_nothing(
    client: Client, served: Any, body: Any, status: int, code: str
) -> None:
    also = {**body, "add": [{"from": "/good", "to": "/docs/a"}, *body.get("add", [])]}
    reply = change(client, **also)
    assert (reply.status, reply.json["code"]) == (status, code)
    assert served[1].joinpath("site.yml").read_text() == SETTINGS


def test_settings_that_cannot_be_read_stay(client: Client, served: tuple[Client, Path]) -> None:
    served[1].joinpath("site.yml").write_text("title: [\n")
    reply = change(client, add=[{"from": "/x", "to": "/docs/a"}])
    assert (reply.status, reply.json["code"]) == (409, "PATH_CONFLICT")
    assert served[1].joinpath("site.yml").read_text() == "title: [\n"


def test_a_site_without_settings_gets_some_with_its_first_redirect(tmp_path: Path) -> None:
    with authoring(write_site(tmp_path, {"docs/a.md": "# A\n"}), "--requests", "0") as client:
        assert read(client) == {"redirects": [], "revision": "", "next_cursor": None}
        assert change(client).data["changed"] == []
        assert not (tmp_path / "site.yml").exists()
        assert change(client, add=[{"from": "/x", "to": "/docs/a"}]).status == 200
    assert (tmp_path / "site.yml").read_text() == "redirects:\n  /x: /docs/a\n"


def test_a_long_list_comes_in_parts(tmp_path: Path) -> None:
    lines = "".join(f"  /r{n}: /docs/a\n" for n in range(501))
    with authoring(
        write_site(tmp_path, {"site.yml": f"redirects:\n{lines}", "docs/a.md": "# A\n"})
    ) as client:
        first = read(client)
        rest = client.ask("GET", f"{BASE}/ai/redirects?cursor={first['next_cursor']}").data
    assert (len(first["redirects"]), [one["from"] for one in rest["redirects"]]) == (500, ["/r500"])
    assert rest["next_cursor"] is None
