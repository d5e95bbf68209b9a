"""Push and pull with sites of a service, which one address has all of: the key says which one is meant."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.sync.errors import SyncError
from server.sync.run_sync import SyncOutcome, SyncRequest, synchronise
from server.sync.sync_desk import Direction, Wishes
from tests.server.authoring.many_sites import many_sites
from tests.server.sync.world import bodies
from tests.sites import write_site


def run(
    direction: Direction, folder: Path, key: str, address: str = "", *, prune: bool = False
) -> SyncOutcome:
    request = SyncRequest(direction, folder, key, address, wishes=Wishes(prune))
    return asyncio.run(synchronise(request, lambda *_: None))


def test_a_writers_folder_and_a_site_of_a_service(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with many_sites(tmp_path / "data") as service:
        site, key = service.site(service.ann, "quay-docs")
        _, other = service.site(service.bob, "pier-docs")
        address = f"http://127.0.0.1:{service.port}"
        pulled = run("pull", folder, key, address)
        root = service.work.opened.root(site.id)
        assert (pulled.site, bodies(folder)) == (site.id, bodies(root))
        write_site(folder, {"docs/berths.md": "Two are free.\n"})
        gone = next(iter((folder / "docs").rglob("*.mdx")))
        gone.unlink()
        assert run("push", folder, key, prune=True).report.is_complete
        assert bodies(folder) == bodies(root)
        assert (
            service.ask("PUT", "/ai/page", key, {"path": "docs/berths", "format": "md", "body": "One.\n"})[0]
            == 200
        )
        assert run("pull", folder, key).report.is_complete
        assert bodies(folder)["docs/berths"] == "One.\n"
        with pytest.raises(SyncError, match="the key opens"):
            run("push", folder, other)
