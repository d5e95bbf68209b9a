"""Find out what lies in a site: names and sizes only, no page is opened."""

from __future__ import annotations

import os
import re
import stat

from builder import paths
from builder.store import walk
from builder.store.classify import category_file, content_file, site_file
from builder.store.names import WELL_KNOWN, is_hidden
from builder.store.records import Scan
from builder.store.scan_findings import Folder, KnownCategory, ScanFindings, shown
from builder.store.walk import nfc

ROOTS = ("docs", "pages", "static")
MAX_FOLDERS = 32
"""Folders within each other; a page's path allows fewer."""


_BACKUP = re.compile(r".*~|#.*#")
"""What editors leave beside a file; like hidden files it is none of the site's."""


def scan(root: int, known: dict[str, KnownCategory] | None = None) -> Scan:
    """All that lies in the site whose folder is open as `root`. Faults are diagnostics.

    `known` are category files that need not be read again; then it has those that are there now.
    """
    known = {} if known is None else known
    found = ScanFindings(known)
    for name in ROOTS:
        _enter(found, Folder(root, "", "", 0), name)
    known.clear()
    known.update(found.met)
    return found.result()


def _enter(found: ScanFindings, folder: Folder, name: str) -> None:
    """Walk a folder, if it is one."""
    file = folder.file(name)
    if folder.depth >= MAX_FOLDERS:
        found.say("path-invalid", file, f"this folder is more than {MAX_FOLDERS} deep, so it is left out")
        return
    try:
        descriptor = walk.open_folder(folder.descriptor, name)
    except FileNotFoundError:
        return  # gone since it was listed, or a root that this site does not have
    except walk.Blocked as blocked:
        found.blocked(file, blocked.kind, "a folder")
        return
    except OSError as error:
        found.say("page-unreadable", file, f"the folder cannot be read: {error.strerror}")
        return
    try:
        _walk(found, folder.inner(descriptor, name))
    finally:
        os.close(descriptor)


def _walk(found: ScanFindings, folder: Folder) -> None:
    try:
        with os.scandir(folder.descriptor) as entries:
            listed = sorted(entries, key=lambda entry: (nfc(entry.name) != entry.name, entry.name))
    except OSError as error:
        found.say("page-unreadable", folder.place, f"the folder cannot be read: {error.strerror}")
        return
    inner: dict[str, str] = {}
    for entry in listed:
        if is_hidden(entry.name) or _BACKUP.fullmatch(entry.name):
            continue
        if entry.is_symlink():
            found.blocked(folder.file(entry.name), "a symbolic link")
        elif entry.is_dir(follow_symlinks=False):
            _inner(found, folder, entry.name, inner)
        else:
            _entry(found, folder, entry)
    category_file(found, folder, [entry.name for entry in listed])


def _inner(found: ScanFindings, folder: Folder, name: str, inner: dict[str, str]) -> None:
    """Enter a folder, unless its name is a page's, or that of another folder in another normal form."""
    file = folder.file(name)
    first = inner.setdefault(nfc(name), name)
    if first != name:
        message = (
            f"`{shown(folder.file(first))}` and `{shown(file)}` are the same name; only the first is read"
        )
        found.say("path-conflict", file, message, "rename or delete one of them")
    elif name == WELL_KNOWN and folder.path != "static":
        return
    elif name.endswith(tuple(paths.PAGE_SUFFIXES)) and not folder.is_static:
        found.say("page-unreadable", file, "this is a folder, and its name is that of a page", "rename it")
    else:
        _enter(found, folder, name)


def _entry(found: ScanFindings, folder: Folder, entry: os.DirEntry[str]) -> None:
    file = folder.file(entry.name)
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return  # gone since it was listed
    if not stat.S_ISREG(about.st_mode):
        found.blocked(file, walk.kind_of(about.st_mode))
        return
    found.saw(file, about)
    if folder.is_static:
        site_file(found, folder, entry.name)
    else:
        content_file(found, folder, entry.name, about)
