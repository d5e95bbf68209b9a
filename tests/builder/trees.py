"""Folders as values: made from a mapping, and looked at as one."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from builder.store import ContentStore, Scan
from tests.memory import MEMORY, is_roomy

Files = Mapping[str, str | bytes]


def make(folder: Path, files: Files) -> Path:
    """Write the files; text as it stands, without any change of line ends."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


@contextmanager
def in_memory(otherwise: Path) -> Iterator[Path]:
    """A folder in memory where that can be had, as thousands of writes to a disk take a minute."""
    if not is_roomy():
        yield otherwise
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as made:
        yield Path(made)


def scan(folder: Path, files: Files | None = None) -> Scan:
    """Write the files and scan the site."""
    make(folder, files or {})
    with ContentStore(folder) as store:
        return store.scan()


def said(found: Scan) -> list[tuple[str, str]]:
    """Files and codes of all diagnostics."""
    return [(each.file, each.code) for each in found.diagnostics]


def snapshot(folder: Path, without: str = "\0") -> dict[str, str]:
    """Everything below a folder but what begins with `without`: kind, mode, time, and hash of the content."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.startswith(without):
            continue
        about = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(about.st_mode) else b""
        content += os.fsencode(path.readlink()) if path.is_symlink() else b""
        changed = "" if stat.S_ISDIR(about.st_mode) else about.st_mtime_ns
        seen[name] = f"{about.st_mode:o} {changed} {hashlib.sha256(content).hexdigest()}"
    return seen


def names(folder: Path) -> list[str]:
    """All files below a folder, hidden ones too, but for the store's own folder."""
    found = (str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
    return sorted(name for name in found if not name.startswith(".twinpress/"))
