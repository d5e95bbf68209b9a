"""Small, whole sites, each with all that its system has: the new files, addresses and losses are as written.

`small_sites/SYSTEM/old` is the old site, `new` the one that is to come of it, and `told.txt` has its old
addresses and what is told as lost or changed. After a change that is meant, look at what differs, and write
it with `python -m tests.builder.importer.test_small_sites`.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from builder.importer.check_import import CheckedImport
from builder.importer.old_site import System
from tests.builder.importer.imported import checked

SITES = Path(__file__).parent / "small_sites"
SYSTEMS: tuple[System, ...] = ("gitbook", "fumadocs", "vitepress")


def told(found: CheckedImport) -> str:
    """Return the old addresses, and what is told, a line each."""
    report = found.report
    addresses = (f"{'answers' if each.answers else 'gone   '} {each.address}" for each in report.addresses)
    losses = (f"{loss.state:7} {loss.file}:{loss.line} {loss.what}" for loss in report.losses)
    return "\n".join((*addresses, *(f"error   {each}" for each in report.errors), *losses, ""))


def files(folder: Path) -> dict[str, str]:
    """Return the texts of a folder's files by their paths."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


@pytest.mark.parametrize("system", SYSTEMS)
def test_site_becomes_what_is_written(tmp_path: Path, system: System) -> None:
    found = checked(tmp_path, system, SITES / system / "old")
    assert told(found) == (SITES / system / "told.txt").read_text()
    assert files(tmp_path) == files(SITES / system / "new")


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_is_lost_untold(system: System) -> None:
    text = (SITES / system / "told.txt").read_text()
    assert "words that are not on the page" not in text
    assert "gone " not in text
    assert "error " not in text


def write() -> None:
    """Write what comes of all sites as it is to be."""
    for system in SYSTEMS:
        new = SITES / system / "new"
        shutil.rmtree(new, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder:
            found = checked(Path(folder), system, SITES / system / "old")
            shutil.copytree(folder, new)
        (SITES / system / "told.txt").write_text(told(found))


if __name__ == "__main__":
    write()
