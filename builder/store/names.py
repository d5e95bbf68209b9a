"""Names of a page's files in their folder, and files that would be called the same."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from msgspec import Struct

from builder import paths
from builder.category import record
from builder.paths import Format
from builder.store.walk import actual, look, nfc

SUFFIXES: Mapping[Format, str] = {"mdx": ".mdx", "md": ".md"}
"""In the order in which they count: where both files exist, the first one is the page."""


CONTENT = ("docs", "pages")
"""The folders that pages lie in."""

COMPONENTS = "_components"
"""The folder of own components."""

SETTINGS, SIDEBAR, STATIC = "site.yml", "sidebar.yml", "static"
PLACES = (*CONTENT, STATIC)
"""Folders that may have files other than pages, twins and categories: images, downloads."""

WELL_KNOWN = ".well-known"
"""The one hidden folder that belongs to a site (RFC 8615); it is published from `static`."""


def is_hidden(name: str) -> bool:
    """Return whether a file or folder is none of the site's by its name."""
    return name.startswith(".") and name != WELL_KNOWN


def is_content(file: str) -> bool:
    """Return whether a file is one that the store writes, by its name.

    Those are pages, twins, category files, parts and own components.
    """
    first, *rest = file.split("/")
    if first not in (*CONTENT, COMPONENTS) or not rest or not all(rest) or any(map(is_hidden, rest)):
        return False
    return rest[-1] in record.FILES or rest[-1].endswith(tuple(paths.PAGE_SUFFIXES))


def other_fault(file: str) -> str:
    """Return the reason why a name is not that of a file of the site other than content, or ""."""
    first, *rest = file.split("/")
    if file in {SETTINGS, SIDEBAR}:
        return ""
    if first not in PLACES or not rest or is_content(file):
        return "files lie beside pages or in `static/`, and are no pages"
    for name in rest:
        if not name or is_hidden(name) or (name == WELL_KNOWN and first != STATIC):
            return "a name is empty, or that of a hidden file"
        if fault := paths.file_fault(name):
            return fault
    return ""


def is_text(file: str) -> bool:
    """Return whether a file has settings or content: what people write, which is kept for good."""
    return file in {SETTINGS, SIDEBAR} or is_content(file)


def is_site_file(file: str) -> bool:
    """Return whether a file is one that the store writes or replaces, by its name."""
    return is_content(file) or not other_fault(file)


class PageNames(Struct, frozen=True):
    """The files of one page in its folder, by their names on disk. `blocked` are names that are no files."""

    pages: Mapping[Format, str]
    twin: str | None
    blocked: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        """Every file."""
        return [*self.pages.values(), *([self.twin] if self.twin else [])]


def find(folder: int, stem: str) -> PageNames:
    """Look for the files of the page called `stem`."""
    pages: dict[Format, str] = {}
    blocked: list[str] = []
    for format, suffix in SUFFIXES.items():
        name = _regular(folder, stem + suffix, blocked)
        if name:
            pages[format] = name
    return PageNames(pages, _regular(folder, stem + paths.TWIN_SUFFIX, blocked), tuple(blocked))


def other_spelling(folder: int, stem: str) -> str | None:
    """A page's file in this folder that differs from `stem` only in case, or None."""
    return _folded(folder, {stem + suffix for suffix in paths.PAGE_SUFFIXES})


def other_folder(folder: int, name: str) -> str | None:
    """Something in this folder that differs from `name` only in case, or None."""
    return _folded(folder, {name})


def _folded(folder: int, names: set[str]) -> str | None:
    """Something that is called like one of the names but for case; one of the names itself is no such thing.

    An editor may have put that there in this very moment.
    """
    wanted = set(map(paths.fold, names))
    with os.scandir(folder) as entries:
        others = (entry.name for entry in entries if nfc(entry.name) not in names)
        return min((name for name in others if paths.fold(name) in wanted), default=None)


def _regular(folder: int, name: str, blocked: list[str]) -> str | None:
    found = look(folder, name)
    if found is None and not name.isascii():
        other = actual(folder, name)
        found, name = (look(folder, other), other) if other else (None, name)
    if found is None:
        return None
    if stat.S_ISREG(found.st_mode):
        return name
    blocked.append(name)
    return None
