"""A folder, and a service with a site of its own: what both have, and pushes and pulls between them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from builder.store import ContentStore
from server.authoring.compose import page_of
from server.authoring.structs import Category, Page
from server.sync.base_file import NAME
from server.sync.folder_side import read_categories
from server.sync.run_sync import SyncRequest, synchronise
from server.sync.service_client import Patience
from server.sync.sync_desk import Direction, Wishes
from server.sync.sync_report import SyncReport
from server.sync.three_way import Choice
from tests.server.authoring.inside import UNLIMITED, Hosted, hosted
from tests.sites import write_site

HASTY = Patience(losses=1, pause=0.001, waits=3)


@dataclass(slots=True)
class World:
    """`here` is the folder, `there` that of the service's site."""

    here: Path
    there: Path
    server: Hosted
    port: int = 0

    @property
    def address(self) -> str:
        """Return the address of the service: at its own port, unless another one is set."""
        return f"http://127.0.0.1:{self.port or self.server.port}"

    def run(
        self,
        direction: Direction,
        *,
        prune: bool = False,
        ours: tuple[str, ...] = (),
        theirs: tuple[str, ...] = (),
        commit: str = "",
        rehearsal: bool = False,
        patience: Patience = HASTY,
    ) -> SyncReport:
        """Push or pull."""
        wishes = Wishes(prune, rehearsal, Choice(ours, theirs))
        request = SyncRequest(
            direction, self.here, self.server.long, self.address, commit, wishes=wishes, patience=patience
        )
        return asyncio.run(synchronise(request, lambda *_: None)).report

    def push(self, **options: object) -> SyncReport:
        """Push."""
        return self.run("push", **options)  # type: ignore[arg-type]

    def pull(self, **options: object) -> SyncReport:
        """Pull."""
        return self.run("pull", **options)  # type: ignore[arg-type]

    def clear(self) -> None:
        """Have nothing on both sides, and no base."""
        for site in (self.here, self.there):
            for folder in ("docs", "pages", "static"):
                shutil.rmtree(site / folder, ignore_errors=True)
        (self.here / NAME).unlink(missing_ok=True)


@contextmanager
def world(
    folder: Path, there: Mapping[str, str] | None = None, here: Mapping[str, str] | None = None
) -> Iterator[World]:
    """A folder, and a service that runs for the time of the block."""
    sites = folder / "here", folder / "there"
    for site, files in zip(sites, (here, there), strict=True):
        site.mkdir()
        write_site(site, {"site.yml": "title: Site\n", **(files or {})})
    with hosted(sites[1], UNLIMITED) as server:
        yield World(*sites, server)


def pages(site: Path) -> dict[str, Page]:
    """All pages of a site as a service gives them."""
    with ContentStore(site) as store:
        return {each.path: page_of(store.read(each.path)) for each in store.scan().pages}


def bodies(site: Path) -> dict[str, str]:
    """The bodies of a site's pages."""
    return {path: page.body for path, page in pages(site).items()}


def categories(site: Path) -> dict[str, Category]:
    """Return what is said about folders."""
    with ContentStore(site) as store:
        return dict(read_categories(store.scan()))


def write(site: Path, page: Page | None, path: str = "") -> None:
    """Write a page's files as an editor does; None removes them."""
    place = site / (page.path if page else path)
    for suffix in (".mdx", ".md", ".llms.md"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)
    if page is None:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    fields = "".join(f"{name}: {value}\n" for name, value in page.frontmatter.items())
    head = f"---\n{fields}---\n\n" if fields else ""
    place.with_name(f"{place.name}.{page.format}").write_bytes((head + page.body).encode())
    if page.llmBody is not None:
        place.with_name(f"{place.name}.llms.md").write_bytes(page.llmBody.encode())


__all__ = ["World", "bodies", "categories", "pages", "replace", "world", "write"]
