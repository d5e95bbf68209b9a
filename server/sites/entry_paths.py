"""Names of entries, taken apart into folders: none leads out of the folder that they are unpacked into."""

from __future__ import annotations

import unicodedata

from builder import paths
from builder.lazy_regex import lazy
from builder.store.scan import MAX_FOLDERS
from builder.unicode import normal
from server.sites.archive_limits import ArchiveLimits, ArchiveRefused, shown

_LONGEST = 4096
"""Characters of a name; more has no file system."""
MAX_PATH, MAX_NAME = 1024, 255
"""Bytes of a path within a site, and of each name in it."""
_DRIVE = lazy(r"[A-Za-z]:")

Parts = tuple[str, ...]


def parts_of(name: str) -> Parts:
    """The folders of an entry, then its own name, all in NFC; empty for the archive's own folder.

    Raises ArchiveRefused for a name that may lead elsewhere.
    """
    fault = _fault(name)
    if fault:
        raise ArchiveRefused(fault, path=shown(name))
    return tuple(normal("NFC", part) for part in name.split("/") if part not in {"", "."})


def _fault(name: str) -> str:
    if len(name) > _LONGEST:
        return f"a name of {len(name):,} characters"
    if "\0" in name:
        return "its name has a character that ends names"
    if name.startswith("/") or _DRIVE.match(name):
        return "its name begins at the root of a disk"
    if "\\" in name:
        return "its name has a backslash"
    if ".." in name.split("/"):
        return "its name leads out of the archive, by `..`"
    return ""


def check_kept(parts: Parts) -> None:
    """Refuse a name that no site's file may have. Raises ArchiveRefused."""
    path = "/".join(parts)
    fault = _kept_fault(parts, path)
    if fault:
        raise ArchiveRefused(fault, path=shown(path), hint="rename it")


def _kept_fault(parts: Parts, path: str) -> str:
    if any(0xD800 <= ord(char) <= 0xDFFF for char in path):
        return paths.file_fault(path)
    if any(unicodedata.category(char) == "Cc" for char in path):
        return "its name has a control character"
    if len(parts) > MAX_FOLDERS:
        return f"it is more than {MAX_FOLDERS} folders deep"
    if max(len(part.encode()) for part in parts) > MAX_NAME or len(path.encode()) > MAX_PATH:
        return f"its name is longer than {MAX_NAME} bytes, or its path than {MAX_PATH}"
    return ""


class TakenPaths:
    """The paths that entries have asked for. No two may be the same, also where case does not count."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self._taken: dict[str, str] = {}
        self._folders: set[str] = set()
        self._limit = limits.folders

    def add_file(self, parts: Parts) -> None:
        """Take a file's path, and its folders. Raises ArchiveRefused."""
        self.add_folder(parts[:-1])
        self._take("/".join(parts))

    def add_folder(self, parts: Parts) -> None:
        """Take the path of a folder, which several entries may share, and the paths of those around it.

        Raises ArchiveRefused.
        """
        for depth in range(len(parts), 0, -1):
            path = "/".join(parts[:depth])
            if path in self._folders:
                return
            self._take(path)
            self._folders.add(path)
            if len(self._folders) > self._limit:
                raise ArchiveRefused(f"the site has more than {self._limit:,} folders")

    def _take(self, path: str) -> None:
        folded = paths.fold(path)
        if folded in self._taken:
            raise _taken(path, self._taken[folded])
        self._taken[folded] = path


def _taken(path: str, other: str) -> ArchiveRefused:
    if other == path:
        return ArchiveRefused("two entries have this name", path=shown(path), hint="pack it again")
    message = f"it differs from `{shown(other)}` only in case, so that they are one on many machines"
    return ArchiveRefused(message, path=shown(path), hint="rename or delete one of them")
