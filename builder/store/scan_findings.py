"""Findings of a scan so far, and the part of them that is published in the end."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from builder import paths
from builder.category.record import CategoryRecord
from builder.diagnostics import Diagnostic
from builder.store.limits import PAGE_LIMIT
from builder.store.names import SUFFIXES
from builder.store.records import PageFile, Scan, SiteFile
from builder.store.walk import nfc

KnownCategory = tuple[bytes, CategoryRecord, tuple[Diagnostic, ...]]
"""A digest of a category file and its path, what it says and what is wrong with it."""


class ScanFindings(Struct):
    """Collects while the walk goes on. `stems` are the paths that any page file asks for, good or bad.

    `known` are category files that were read before, by name; those that this walk meets are in `met`.
    `names` has those of files with several names, by device, inode and how many names there are.
    """

    known: Mapping[str, KnownCategory]
    met: dict[str, KnownCategory] = field(default_factory=dict)
    pages: list[PageFile] = field(default_factory=list)
    twins: dict[str, str] = field(default_factory=dict)
    stems: set[str] = field(default_factory=set)
    categories: dict[str, CategoryRecord] = field(default_factory=dict)
    category_files: dict[str, str] = field(default_factory=dict)
    files: list[SiteFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    names: dict[tuple[int, int, int], list[str]] = field(default_factory=dict)
    parts: list[tuple[str, Diagnostic]] = field(default_factory=list)

    def say(self, code: str, file: str, message: str, hint: str = "") -> None:
        """A diagnostic about a whole file."""
        self.diagnostics.append(Diagnostic(shown(file), 0, 0, code, message, hint))

    def say_invalid(self, file: str, message: str, hint: str) -> None:
        """Take note of a file that is no page by its name; it may be a part."""
        found = Diagnostic(shown(file), 0, 0, "path-invalid", message, hint)
        if "/_" in file:
            self.parts.append((shown(file), found))
        else:
            self.diagnostics.append(found)

    def fits(self, file: str, about: os.stat_result) -> bool:
        """Return whether a page or twin has a size that is read; if not, that is said."""
        if about.st_size <= PAGE_LIMIT:
            return True
        self.say("page-too-large", file, f"has {about.st_size:,} bytes; a page may have {PAGE_LIMIT:,}")
        return False

    def blocked(self, file: str, kind: str, wanted: str = "a file") -> None:
        """Something of another kind than is wanted there, or a link, which is not followed."""
        if kind == "a symbolic link":
            self.say("symlink-skipped", file, "this is a symbolic link, so it is left out")
        else:
            self.say("page-unreadable", file, f"this is {kind}, not {wanted}")

    def result(self) -> Scan:
        """The site, with what is wrong in it."""
        pages = self._published()
        for path, file in self.twins.items():
            if path not in self.stems:
                self.say("twin-orphan", file, f"there is no page `{shown(path)}` beside this twin")
        self._empty_categories(pages)
        files = tuple(sorted(self.files, key=lambda file: file.output))
        found, parts = tuple(sorted(self.diagnostics)), tuple(sorted(self.parts))
        return Scan(pages, self.categories, files, found, self._linked(), parts)

    def saw(self, file: str, about: os.stat_result) -> None:
        """Remember a file that has several names."""
        if about.st_nlink > 1:
            self.names.setdefault((about.st_dev, about.st_ino, about.st_nlink), []).append(shown(file))

    def _linked(self) -> tuple[str, ...]:
        """Files that have more names than were met."""
        here = (names for (_, _, number), names in self.names.items() if number > len(names))
        return tuple(sorted(name for names in here for name in names))

    def _empty_categories(self, pages: tuple[PageFile, ...]) -> None:
        """Folders that have a category file and no page, so that the sidebar does not show them."""
        folders = {page.path.rpartition("/")[0] for page in pages}
        parents = {parent for folder in folders for parent in _parents(f"{folder}/")}
        for path, file in self.category_files.items():
            if path not in parents and path != paths.DOCS:
                message = "there is no page in this folder, so the sidebar does not show it"
                self.say("category-empty", file, message, "add a page, or remove the file")

    def _published(self) -> tuple[PageFile, ...]:
        """The pages sorted by path; of several for one path only the first: mdx before md, NFC before NFD."""
        taken: dict[str, PageFile] = {}
        for page in sorted(self.pages, key=_precedence):
            first = taken.setdefault(paths.fold(page.path), page)
            if first is not page:
                both = f"`{first.file}` and `{page.file}`"
                same = (
                    f"are both the page `{page.path}`" if first.path == page.path else "differ only in case"
                )
                message = f"{both} {same}; only the first is published"
                self.say("path-conflict", page.file, message, "rename or delete one of them")
        return tuple(self._with_twin(page) for page in taken.values())

    def _with_twin(self, page: PageFile) -> PageFile:
        twin = self.twins.get(page.path)
        return replace(page, twin_file=twin) if twin else page


class Folder(Struct, frozen=True):
    """A folder being walked: `place` as on disk and `path` in NFC, both from the site's folder."""

    descriptor: int
    place: str
    path: str
    depth: int

    def inner(self, descriptor: int, name: str) -> Folder:
        """A folder in this one."""
        path = f"{self.path}/{nfc(name)}" if self.path else name
        return Folder(descriptor, self.file(name), path, self.depth + 1)

    def file(self, name: str) -> str:
        """The file of this name, from the site's folder."""
        return f"{self.place}/{name}" if self.place else name

    @property
    def is_static(self) -> bool:
        """True if everything in it is copied as it is."""
        return self.path.partition("/")[0] == "static"


def shown(file: str) -> str:
    """A name that can be printed; bytes that are no UTF-8 are escaped."""
    return file.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _parents(path: str) -> list[str]:
    """The folders above a page."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _precedence(page: PageFile) -> tuple[str, int, bool]:
    return page.path, list(SUFFIXES).index(page.format), nfc(page.file) != page.file
