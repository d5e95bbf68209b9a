"""Replace one file of a site that is no page, twin or category: settings, images, downloads."""

from __future__ import annotations

from builder import paths
from builder.errors import InvalidPath, RevisionMismatch
from builder.store import folders, transaction
from builder.store.folders import Way
from builder.store.keeper import Turn
from builder.store.names import CONTENT, WELL_KNOWN, is_content, is_hidden
from builder.store.restore import current
from builder.store.temp_files import split
from builder.store.transaction import Change

SETTINGS, STATIC = "site.yml", "static"
PLACES = (*CONTENT, STATIC)
"""Folders that may have such files."""


def check_replaceable(file: str) -> None:
    """Raise InvalidPath unless the name is that of a file which may be replaced."""
    first, *rest = file.split("/")
    if file == SETTINGS:
        return
    if first not in PLACES or not rest or is_content(file):
        raise InvalidPath("files lie beside pages or in `static/`, and are no pages", path=file)
    for name in (first, *rest):
        if not name or is_hidden(name) or (name == WELL_KNOWN and first != STATIC):
            raise InvalidPath("a name is empty, or that of a hidden file", path=file)
        if fault := paths.file_fault(name):
            raise InvalidPath(fault, path=file)


def replace(turn: Turn, file: str, data: bytes | None, expected: bytes | None) -> None:
    """Make the change, with the lock held. Raises as `ContentStore.replace_file`."""
    if current(turn.root, file) != expected:
        raise RevisionMismatch("the file was changed just now", path=file, hint="look at it again")
    parts, _ = split(file)
    if data is None:
        transaction.commit(turn, Change({}, [file], over={file: expected}))
        return
    way: Way | None = folders.make(turn.root, parts) if parts else None
    try:
        transaction.commit(turn, Change({file: data}, over={file: expected}))
    except BaseException:
        if way is not None:
            folders.remove_empty(turn.root, way.parts, way.existing)
        raise
