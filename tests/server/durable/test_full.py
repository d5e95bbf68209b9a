"""The pages of a site are on a disk of 64 KB, which gets full."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.api.exchange import Reply
from tests.server.commands import COMMAND, running
from tests.server.durable.servers import OPTIONS, listed, make_key
from tests.server.pages.client import Client
from tests.sites import write_site

OWN = ("unshare", "--user", "--map-root-user", "--mount")
MOUNT = 'mount -t tmpfs -o size=64k none "$1/docs" && shift && exec "$@"'
OLD = {"path": "docs/old", "format": "mdx", "body": "old\n", "llmBody": "old twin\n"}
EIGHT_KB = 2 * 4096


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Of a server that sees a small disk in the place of `docs`."""
    if shutil.which("unshare") is None or subprocess.run([*OWN, "true"], check=False).returncode:
        pytest.skip("there are no user namespaces here, so no small disk can be mounted")
    site = write_site(tmp_path, {"site.yml": "title: T\n", "pages/index.md": "# T\n"})
    (site / "docs").mkdir()
    key = make_key(site)
    serve = (COMMAND, "serve", site, *OPTIONS)
    with running([*OWN, "sh", "-c", MOUNT, "sh", site, *serve]) as preview:
        yield Client(preview, key)


def check_full(reply: Reply) -> None:
    """The answer says what is wrong, and the way out."""
    assert (reply.status, reply.code) == (507, "STORAGE_FULL")
    assert "No space left on device (the disk is full: make room and try again)" in reply.json["error"]


def test_a_full_disk_is_told_and_changes_nothing_and_there_is_a_way_back(client: Client) -> None:
    assert client.put(OLD).status == 201
    fills: dict[str, str] = {}
    while (reply := client.put({"path": f"docs/f{len(fills)}", "body": "x" * EIGHT_KB})).status == 201:
        fills[f"docs/f{len(fills)}"] = "x" * EIGHT_KB
        assert len(fills) < 8
    check_full(reply)
    for large in (
        {**OLD, "body": "x" * EIGHT_KB},
        {**OLD, "format": "md", "body": "new\n", "llmBody": "x" * EIGHT_KB},
        {"path": "docs/deep/er/new", "body": "x" * EIGHT_KB},
    ):
        check_full(client.put(large))
    data = client.page("docs/old").data
    assert {name: data[name] for name in OLD} == OLD
    assert {path: client.page(path).data["body"] for path in fills} == fills
    assert listed(client) == sorted(["docs/old", *fills, "pages/index"])
    assert client.delete("docs/f0").status == 200
    assert client.put({**OLD, "format": "md", "body": "new\n"}).status == 200
    assert client.page("docs/old").data["body"] == "new\n"
    assert client.put({"path": "docs/deep/er/new", "body": "new\n"}).status == 201
