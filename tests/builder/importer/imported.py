"""Import a small site that a test states whole, and give the files and losses of the new one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from builder.importer.check_import import CheckedImport, check_import
from builder.importer.new_site import NewSite, import_site
from builder.importer.old_site import System
from builder.importer.page_work import Choices
from builder.importer.source_tree import SourceTree
from builder.importer.systems.known_systems import SYSTEMS
from builder.importer.write_site import write_site

NONE = Choices()


def _silent(_step: str, _done: int, _total: int) -> None:
    """The progress of somebody who does not look."""


def write_origin(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files of an old site."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def imported(
    folder: Path, system: System, files: Mapping[str, str | bytes], base: str = "", choices: Choices = NONE
) -> NewSite:
    """Import a site of these files; `base` is the folder of its configuration."""
    with SourceTree(write_origin(folder, files), base) as origin:
        return import_site(origin, SYSTEMS[system], choices, _silent)


def checked(folder: Path, system: System, root: Path, base: str = "") -> CheckedImport:
    """Import the site of a folder, write it into another one, and look at it as it is built."""
    with SourceTree(root, base) as origin:
        new = import_site(origin, SYSTEMS[system], NONE, _silent)
        write_site(new, origin, folder, _silent)
        return check_import(new, folder, lambda _done, _total: None)
