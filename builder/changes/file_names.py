"""Names of files: which page one belongs to, which are alike, and which there are on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from builder import paths
from builder.category.record import FILES
from builder.errors import PathConflict
from builder.paths import Format
from builder.store.names import COMPONENTS, PLACES, SUFFIXES, is_content
from builder.unicode import normal


class NamedPage(Struct, frozen=True):
    """The files of one page, by format, and the one of its twin, "" where it has none."""

    path: str
    files: Mapping[Format, str]
    twin: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        """Every file."""
        return (*self.files.values(), *((self.twin,) if self.twin else ()))


def named_page(names: Mapping[str, str], path: str) -> NamedPage:
    """Return the files of the page at a content path; `names` are those on disk, by their normal form."""
    found = {format: names.get(path + suffix, "") for format, suffix in SUFFIXES.items()}
    files = {format: file for format, file in found.items() if file}
    return NamedPage(path, files, names.get(path + paths.TWIN_SUFFIX, ""))


class FileNameTaken(PathConflict):
    """A new file is called as another one but for case or format; `author` is who wants it."""

    def __init__(self, message: str, path: str, author: int) -> None:
        super().__init__(message, path=path, hint="move or delete it first, or use another name")
        self.author = author


def page_path(file: str) -> str:
    """Return the content path of the page that a file belongs to by its name, "" for no page's file."""
    nfc = normal("NFC", file)
    if not is_content(nfc) or nfc.partition("/")[0] == COMPONENTS or nfc.rpartition("/")[2] in FILES:
        return ""
    for suffix in (paths.TWIN_SUFFIX, *paths.PAGE_SUFFIXES):
        if nfc.endswith(suffix):
            return nfc.removesuffix(suffix)
    return ""


def name_key(name: str) -> str:
    """The form of a name that no other file may have: of a page's file that of the page in any format."""
    path = page_path(name)
    return paths.fold(name) if not path or name.endswith(paths.TWIN_SUFFIX) else f"{paths.fold(path)}\0page"


def site_names(root: Path) -> Iterator[str]:
    """Yield the names of all files in the folders of pages and files, and of own components."""
    for top in (*PLACES, COMPONENTS):
        if (root / top).is_symlink():
            continue
        for place, folders, names in os.walk(root / top):
            folders.sort()
            inner = Path(place).relative_to(root).as_posix()
            yield from (f"{inner}/{name}" for name in sorted(names))


def parent_folders(file: str) -> list[str]:
    """Return the folders that a file is in, outermost first."""
    parts = file.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
