"""A server is killed at any call of a whole change: all of it is there, or nothing of it."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.authoring.client import BASE, Client
from tests.server.durable.servers import make_key, server
from tests.server.durable.tracing import CALLS, needs_strace, traced
from tests.sites import write_site

pytestmark = needs_strace

SITE = {
    "site.yml": "title: T\n",
    "docs/a.mdx": "A, see [b](./b)\n",
    "docs/b.md": "B\n",
    "docs/b.llms.md": "B for machines\n",
    "docs/old/c.md": "C\n",
    "docs/other.md": "before\n",
}
CHANGES: list[dict[str, Any]] = [
    {"op": "move", "from": "docs/b", "to": "docs/new/b"},
    {"op": "write", "path": "docs/new/d", "body": "[b](./b)\n", "llmBody": "D\n"},
    {"op": "edit", "path": "docs/a", "edits": [{"old": "A, see", "new": "A: see"}]},
    {"op": "delete", "path": "docs/old/c"},
    {"op": "category", "path": "docs/new", "label": "New"},
]
MOST = 400
"""Calls that one change makes, at most."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def key(site: Path) -> str:
    return make_key(site)


@pytest.fixture(scope="module")
def client(site: Path, key: str) -> Iterator[Client]:
    """Of a server that goes on, and puts in order what a killed one has left."""
    with server(site, key) as client:
        yield client


@pytest.mark.parametrize(
    ("call", "every"),
    [
        ("rename", 8),
        pytest.param("rename", 1, marks=pytest.mark.slow),
        pytest.param("write", 1, marks=pytest.mark.slow),
        pytest.param("fsync", 1, marks=pytest.mark.slow),
        pytest.param("unlink", 1, marks=pytest.mark.slow),
        pytest.param("mkdir", 1, marks=pytest.mark.slow),
        pytest.param("openat", 8, marks=pytest.mark.slow),
    ],
)
def test_a_server_that_is_killed_at_a_call_leaves_the_whole_change_or_none(
    client: Client, site: Path, key: str, tmp_path: Path, call: str, every: int
) -> None:
    after = made(client, site)
    for n in range(1, MOST, every):
        reset(site)
        with server(site, key) as victim:
            assert victim.put({"path": "docs/other", "format": "md", "body": "before\n"}).status == 200
            with traced(victim.preview.process.pid, tmp_path / "log", CALLS[call], f"signal=KILL:when={n}"):
                answered = answers(victim)
                if not answered:
                    victim.preview.process.wait(30)
        assert client.put({"path": "docs/other", "format": "md", "body": "before\n"}).status == 200
        found = content(site)
        assert found in (SITE, after), f"killed at {call} {n}"
        if answered:
            assert found == after
            break
    assert answered
    assert n > every
    reset(site)


def made(client: Client, site: Path) -> dict[str, str]:
    """The site after the change."""
    reset(site)
    assert client.ask("POST", f"{BASE}/ai/changes", {"changes": CHANGES}).status == 200
    return content(site)


def reset(site: Path) -> None:
    """The site as it was, by an editor's hand."""
    for file in content(site).keys() - SITE.keys():
        (site / file).unlink()
    for folder in sorted(site.glob("docs/**/"), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    write_site(site, SITE)


def content(site: Path) -> dict[str, str]:
    """The files that authors have written; hidden files are swept at the next start."""
    files = [site / "site.yml", *site.glob("docs/**/[!.]*")]
    return {path.relative_to(site).as_posix(): path.read_text() for path in files if path.is_file()}


def answers(victim: Client) -> bool:
    """Return whether the server lives to answer, which it does only when the change is made."""
    try:
        reply = victim.ask("POST", f"{BASE}/ai/changes", {"changes": CHANGES})
    except (http.client.HTTPException, ConnectionError):
        return False
    assert reply.status == 200
    return True
