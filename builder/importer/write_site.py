"""Write the new site into a folder, which is there as a whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from builder.errors import TwinpressError
from builder.importer.new_site import NewSite
from builder.importer.source_tree import SourceTree
from builder.store import failures

REPORT = "import-report.md"
RECORD = "import-report.json"
_NOTHING = frozenset({".git", ".DS_Store"})
"""What an empty folder may hold."""


class TakenFolder(TwinpressError):
    """The folder for the new site holds something else."""


def check_free(dest: Path) -> None:
    """Raise TakenFolder unless a folder is not there yet, is empty, or holds an earlier import."""
    try:
        names = {entry.name for entry in dest.iterdir()} - _NOTHING
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise TakenFolder("there is a file", path=str(dest), hint="name a new or empty folder") from None
    if names and RECORD not in names:
        hint = "name a new or empty folder, or one that an import has written"
        raise TakenFolder(f"the folder is not empty: there is `{min(names)}`", path=str(dest), hint=hint)


def write_site(
    new: NewSite, origin: SourceTree, folder: Path, progress: Callable[[str, int, int], None]
) -> None:
    """Write all files of the new site into an empty folder. Raises StorageError."""
    with failures.writing(str(folder)):
        for file, text in sorted(new.texts.items()):
            _put(folder / file, text.encode("utf-8", "replace"))
        for number, (file, old) in enumerate(sorted(new.copies.items())):
            progress("files", number, len(new.copies))
            data = origin.data(old)
            if data is not None:
                _put(folder / file, data)


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)


def new_folder(dest: Path) -> Path:
    """Create a folder beside the one that the site is to have. Raises StorageError."""
    with failures.writing(str(dest)):
        dest.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{dest.name}-", dir=dest.parent))


def take_place(folder: Path, dest: Path) -> None:
    """Put a folder that is whole in the place of the new site. Raises StorageError."""
    with failures.writing(str(dest)):
        dest.mkdir(exist_ok=True)
        for entry in sorted(folder.iterdir()):
            target = dest / entry.name
            if target.is_dir() and not target.is_symlink():
                shutil.rmtree(target)
            entry.replace(target)
        folder.rmdir()
