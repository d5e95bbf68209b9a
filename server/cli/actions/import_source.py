"""The source of an import: a folder, a zip, or a git repository at a commit, and what may be read of it.

A part of a zip or of a bare repository is named as if that was a folder: `handbook.zip/website`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from builder.importer.git_source import GitSource, MoveCommits, git_source, move_commits, repository_round
from builder.importer.new_site import Days
from builder.importer.source_files import (
    FILE,
    LINK,
    MOST_FILES,
    FolderFiles,
    ListedFile,
    ListedFiles,
    NoSource,
)
from builder.importer.source_tree import LONGEST_FILE, SourceTree
from server.cli.terminal import console
from server.sites.archive_entry import ArchiveEntry
from server.sites.archive_limits import ArchiveLimits, ArchiveRefused, shown
from server.sites.entry_paths import Parts, parts_of
from server.sites.zip_entries import zip_entries

_ZIP = b"PK"
_MACOS = "__MACOSX"
"""The folder in which macOS keeps notes."""
_LIMITS = ArchiveLimits(entries=2 * MOST_FILES, file_bytes=LONGEST_FILE)


class ImportSource(Struct, frozen=True):
    """The files that are imported; `git` where they are in a repository, `way` from its top to them."""

    tree: SourceTree
    git: GitSource | None = None
    way: str = ""

    def commits(self, dest: Path) -> MoveCommits:
        """Return what commits the new site. Raises NoSource where it cannot be committed."""
        if self.git is None:
            raise NoSource("SOURCE is in no git repository", hint="import without `--git`")
        return move_commits(dest, self.git)

    def from_top(self, file: str) -> str:
        """Return the path of a file from the top of its repository."""
        return posixpath.normpath(posixpath.join(self.way, file))

    def days(self) -> Days:
        """Return what tells when files were last changed. Raises NoSource where there is no history."""
        git = self.git
        if git is None:
            raise NoSource("SOURCE is in no git repository", hint="import without `--git`")

        def found(files: Sequence[str]) -> Mapping[str, str]:
            paths = {file: self.from_top(file) for file in files}
            days = git.days([path for path in paths.values() if not path.startswith("../")])
            return {file: days[path] for file, path in paths.items() if path in days}

        return found


def open_source(source: Path, root: Path | None, ref: str | None, dest: Path) -> ImportSource:
    """Find what SOURCE names; DEST within it is passed over. Raises NoSource."""
    archive = next((each for each in (source, *source.parents) if each.is_file()), None)
    if archive is not None and ref is None:
        return _zip(archive, source, root)
    place = source.resolve()
    found = repository_round(place)
    is_bare = found is not None and found[0] == found[1]
    if found is not None and (ref is not None or is_bare):
        return _of_git(*found, place, root, ref or "")
    if ref is not None:
        hint = "name a folder in a repository, or a bare repository"
        raise NoSource("--ref is for a git repository", path=console.nearby(source), hint=hint)
    if not source.is_dir():
        hint = "name the folder with the configuration of the site"
        raise NoSource("there is no folder", path=console.nearby(source), hint=hint)
    outer = root.resolve() if root is not None else found[1] if found else place
    files = FolderFiles(outer, _new_site(dest.resolve(), place, outer))
    tree = SourceTree(files, _below(place, outer, source))
    if found is None:
        return ImportSource(tree)
    return ImportSource(tree, _head(found[0]), _below(place, found[1], source))


def _new_site(dest: Path, place: Path, outer: Path) -> Parts:
    """Return the way to DEST where it is within what is read, else none."""
    is_within = dest.is_relative_to(outer) and not place.is_relative_to(dest)
    return dest.relative_to(outer).parts if is_within else ()


def _head(folder: Path) -> GitSource | None:
    """The last commit of a repository; None before the first one."""
    try:
        return git_source(folder, "")
    except NoSource:
        return None


def _below(place: Path, outer: Path, source: Path) -> str:
    """Return the way to a place from the folder that may be read. Raises NoSource for one outside."""
    if not place.is_relative_to(outer):
        raise NoSource("the folder is not in --root", path=console.nearby(source), hint="name one round it")
    way = place.relative_to(outer).as_posix()
    return "" if way == "." else way


def _of_git(folder: Path, top: Path, place: Path, root: Path | None, ref: str) -> ImportSource:
    outer = root.resolve() if root is not None else top
    base = _below(place, outer, place)
    git = git_source(folder, ref, _below(outer, top, outer))
    return ImportSource(SourceTree(git.files(), base), git, posixpath.join(git.top, base))


def _zip(archive: Path, source: Path, root: Path | None) -> ImportSource:
    """Open a zip. One folder that holds all the others may be left out of ways into it."""
    file = archive.open("rb")
    with ExitStack() as stack:
        stack.callback(file.close)
        entries = _entries(archive, file)
        firsts = {parts[0] if len(parts) > 1 else "" for parts, _ in entries}
        only = firsts.pop() if len(firsts) == 1 else ""

        def way(place: Path) -> str:
            inner = _below(place.absolute(), archive.absolute(), place)
            return f"{only}/{inner}" if only and inner.split("/")[0] != only else inner

        top, base = way(root or archive).strip("/"), way(source).strip("/")
        if not f"{base}/".startswith(f"{top}/" if top else ""):
            raise NoSource("the folder is not in --root", path=str(source), hint="name one round it")
        files = [("/".join(parts), _listed(entry)) for parts, entry in entries]
        inner = [(path[len(top) :], each) for path, each in files if not top or path.startswith(f"{top}/")]
        found = ImportSource(SourceTree(ListedFiles(lambda: inner, file.close), base[len(top) :]))
        stack.pop_all()
    return found


def _entries(archive: Path, file: BinaryIO) -> Sequence[tuple[Parts, ArchiveEntry]]:
    """Return what is no folder, with its way. Raises ArchiveRefused for a name that may lead elsewhere."""
    if file.read(len(_ZIP)) != _ZIP:
        hint = "name a folder, a zip or a git repository"
        raise NoSource("this is no zip", path=console.nearby(archive), hint=hint)
    entries = [entry for entry in zip_entries(file, _LIMITS)() if entry.kind != "folder"]
    named = [(parts_of(entry.name), entry) for entry in entries]
    return [(parts, entry) for parts, entry in named if parts and parts[0] != _MACOS]


def _listed(entry: ArchiveEntry) -> ListedFile:
    kind = {"file": FILE, "symbolic link": LINK}.get(entry.kind, f"a {entry.kind}")

    def read() -> bytes:
        data = bytearray()
        for chunk in entry.chunks():
            data += chunk
            if len(data) > entry.size:
                raise ArchiveRefused("it has more bytes than it says", path=shown(entry.name))
        return bytes(data)

    return ListedFile(kind, entry.size, read)
