"""Sites with a history, and their content as a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builder.store import ChangeNote, ContentStore
from server.history import History

STATE = ".twinpress/state"
AGENT = ChangeNote(key="k1", label="agent")
OTHER = ChangeNote(key="k2", label="other agent")


@contextmanager
def opened(site: Path) -> Iterator[tuple[History, ContentStore]]:
    """The site's history, and a store that it keeps."""
    with History(site / STATE) as history, ContentStore(site, history) as store:
        yield history, store


def tree(site: Path) -> dict[str, bytes | None]:
    """All files and folders of the site, by name; None for a folder."""
    tops = ("docs", "pages", "static", "site.yml")
    found = (path for top in tops for path in (site / top, *(site / top).rglob("*")))
    return {
        str(path.relative_to(site)): None if path.is_dir() else path.read_bytes()
        for path in sorted(found)
        if path.exists()
    }


def files(site: Path) -> dict[str, bytes]:
    """All files of the site, by name."""
    return {name: data for name, data in tree(site).items() if data is not None}
