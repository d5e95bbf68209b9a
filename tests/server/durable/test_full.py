"""The pages of a site, or all of it, are on a small disk, which gets full."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.api.exchange import Reply
from tests.server.authoring.client import Client
from tests.server.commands import COMMAND, running
from tests.server.durable.servers import OPTIONS, listed, make_key
from tests.server.durable.small_disk import on_small_disk
from tests.sites import write_site
from tests.waiting import PATIENCE, until

OLD = {"path": "docs/old", "format": "mdx", "body": "old\n", "llmBody": "old twin\n"}
EIGHT_KB = 2 * 4096


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Of a server that sees a small disk in the place of `docs`."""
    site = write_site(tmp_path, {"site.yml": "title: T\n", "pages/index.md": "# T\n"})
    (site / "docs").mkdir()
    key = make_key(site)
    serve = (COMMAND, "serve", site, *OPTIONS)
    with running(on_small_disk(site / "docs", "64k", serve)) as preview:
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


FULL = 4 * 1024 * 1024
COPIED = 'cp -r "$1/." "$2" && shift 2 && exec "$@"'


def filled(site: Path, how: str) -> tuple[dict[str, Any], str]:
    """Fill a small disk with a program; return what it tells, and what it says beside that."""
    program = (sys.executable, "-m", "tests.server.durable.filling", site, how)
    command = on_small_disk(site, "64m", program)
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=5 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_no_write_takes_the_room_that_is_kept_for_removing(tmp_path: Path) -> None:
    told, _ = filled(tmp_path, "alone")
    assert told["refused"] >= 5
    assert (told["reserve"], told["full"]) == (FULL, FULL)


def test_what_the_history_has_no_room_for_leaves_nothing_behind(tmp_path: Path) -> None:
    """Packs that no revision leads to would take the room that is kept for removing."""
    told, _ = filled(tmp_path, "unfolded")
    assert ["No space left on device" in each for each in told["said"]] == [True, True]
    assert (told["reserve"], told["left"]) == (FULL, [])
    assert told["free"] > 10 * 1024 * 1024


@pytest.mark.parametrize(
    ("how", "reserve", "warned"),
    [
        ("killed", FULL, False),
        pytest.param("lent", FULL, False, marks=pytest.mark.slow),
        pytest.param("kept", FULL, False, marks=pytest.mark.slow),
        pytest.param("none", -1, True, marks=pytest.mark.slow),
    ],
)
def test_on_a_full_disk_all_pages_can_be_removed_and_none_is_lost(
    tmp_path: Path, how: str, reserve: int, warned: bool
) -> None:
    told, said = filled(tmp_path, how)
    assert told["pages"] > 20
    assert told["stay"] == told["lost"] == []
    assert (told["reserve"], told["end"]) == (reserve, reserve)
    assert ("too little room" in said) is warned


FOLDED_BY_ANOTHER = """
import sys
from pathlib import Path
from builder.store import ContentStore
from server.history import History
site = Path(sys.argv[1])
(site / "site.yml").write_text("title: T")
with History(site / ".twinpress/state") as history, ContentStore(site, history) as store:
    store.write("docs/mine", "md", "mine")
    with History(site / ".twinpress/state") as other:
        other.catch_up()
    (site / "docs/of-an-editor.md").write_text("its own")
    store.delete("docs/of-an-editor")
    history.catch_up()
    print([(file.file, file.new is None) for each in history.revisions() for file in each.files])
"""
"""Two services on a folder: what the one has written down was taken by the other into the repository."""


def test_a_page_that_nobody_has_kept_is_removed_when_another_service_has_folded(tmp_path: Path) -> None:
    """On a small disk who removes a page looks first whether its text is kept anywhere."""
    program = (sys.executable, "-c", FOLDED_BY_ANOTHER, tmp_path)
    done = subprocess.run(
        on_small_disk(tmp_path, "30m", program),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "('docs/of-an-editor.md', True)" in done.stdout


def _deleted(client: Client, path: str) -> int:
    """Delete a page as a client is told to: while the history is taking 30 MB in, it asks again."""
    return until(lambda: (status := client.delete(path).status) != 503 and status)


def _written(client: Client, page: dict[str, str]) -> Reply:
    """Write a page in the same way."""
    return until(lambda: reply if (reply := client.put(page)).status != 503 else None)


def test_a_site_on_a_full_disk_can_be_emptied_through_the_api(tmp_path: Path) -> None:
    made, site = (
        write_site(tmp_path / "made", {"site.yml": "title: T\n", "pages/index.md": "# T\n"}),
        tmp_path / "site",
    )
    site.mkdir()
    key = make_key(made)
    serve = ("sh", "-c", COPIED, "sh", made, site, COMMAND, "serve", site, *OPTIONS)
    chance = random.Random(1)
    # Of less than 40 MB none are kept for who removes something.
    with running(on_small_disk(site, "64m", serve)) as preview:
        client, paths = Client(preview, key), list[str]()
        for size in (900_000, 100_000, 4_000, 90):
            while True:
                path = f"docs/s{size}-{len(paths)}"
                reply = _written(client, {"path": path, "body": chance.randbytes(size // 2).hex()})
                if reply.status != 201:
                    break
                paths.append(path)
            check_full(reply)
        assert [_deleted(client, path) for path in paths] == [200] * len(paths)
        assert client.put({"path": "docs/new", "body": "x" * 900_000}).status == 201
        assert listed(client) == ["docs/new", "pages/index"]
