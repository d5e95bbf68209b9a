"""Servers that take any number of requests, with a key that stays good, and what is on their disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from builder.build import build
from builder.output import MemoryOutput
from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.sites import local_site
from server.control.sqlite.local_database import local_database
from tests.server.authoring.client import Client
from tests.server.commands import serving

OPTIONS = ("--port", "0", "--requests", "0", "--no-key")


def make_key(site: Path) -> str:
    """A long-lived key of the site."""
    with closing(local_database(site)) as database, closing(SiteKeys(database)) as keys:
        return keys.create(KeyKind.LONG_LIVED, local_site(database), "test").text


@contextmanager
def server(site: Path, key: str) -> Iterator[Client]:
    """A server of the site, which may also be killed."""
    with serving(site, *OPTIONS) as preview:
        yield Client(preview, key)


def listed(client: Client) -> list[str]:
    """The pages that the API lists."""
    return [page["path"] for page in client.site().data["pages"]]


def built(site: Path) -> list[str]:
    """The pages of a build, and the other files that it writes below `docs`: no index, no twin."""
    output = MemoryOutput()
    build(site, output)
    return sorted(
        path.removesuffix(".html")
        for path in output.paths
        if path.startswith("docs/") and not path.endswith(("/index.html", ".md"))
    )
