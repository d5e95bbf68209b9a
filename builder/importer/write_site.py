"""Write the new site: into an empty folder first, and from there, file by file, into the place of the site.

The place may hold an earlier import. Its record (`import-report.json`) has the digest of each file that was
written, so that a file which somebody has edited since is told apart from one that an import may replace.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec
from msgspec import Struct

from builder.digests import SIZE
from builder.errors import TwinpressError
from builder.importer.new_site import NewSite
from builder.importer.source_tree import SourceTree
from builder.store import failures
from builder.store.walk import kind_of

REPORT = "import-report.md"
RECORD = "import-report.json"
REPORTS = (REPORT, RECORD)
"""Files of the import itself, the record last: it is true when all else is there."""
_NOTHING = frozenset({".git", ".DS_Store"})
"""What an empty folder may hold."""
_LONGEST_RECORD = 256 * 1024 * 1024
_CHUNK = 1 << 20
_MOST_NAMED = 10


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
) -> Mapping[str, str]:
    """Write all files of the new site into an empty folder, and return their digests. Raises StorageError."""
    digests: dict[str, str] = {}
    with failures.writing(str(folder)):
        for file, text in sorted(new.texts.items()):
            digests[file] = put(folder / file, text.encode("utf-8", "replace"))
        for number, (file, old) in enumerate(sorted(new.copies.items())):
            progress("files", number, len(new.copies))
            data = origin.data(old)
            if data is not None:
                digests[file] = put(folder / file, data)
    return digests


def put(path: Path, data: bytes, mode: Literal["xb", "wb"] = "xb") -> str:
    """Write a file, and return its digest. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode) as file:
        file.write(data)
    return hashlib.blake2b(data, digest_size=SIZE).hexdigest()


def new_folder(dest: Path | None) -> Path:
    """Create a folder beside the one that the site is to have; None is for one that nobody will see.

    Raises StorageError.
    """
    with failures.writing(str(dest or tempfile.gettempdir())):
        if dest is None:
            return Path(tempfile.mkdtemp(prefix="twinpress-import-"))
        dest.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{dest.name}-", dir=dest.parent))


class SiteUpdate(Struct, frozen=True):
    """The changes that an import makes in the place of the site.

    `written` are files that are new or others than before, `deleted` those that an earlier import had written
    and this one has not; of these, somebody has edited the `left` ones.
    """

    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def update_of(dest: Path, files: Mapping[str, str], *, force: bool) -> SiteUpdate:
    """Compare the files of a new import with those in its place. Raises TakenFolder and StorageError.

    Files that have been edited since the earlier import are refused, unless `force` overwrites them. Those
    of the earlier import that this one has no more are deleted; edited ones are `left`.
    """
    with failures.writing(str(dest)):
        before = _recorded(dest / RECORD)
        gone = {file: _digest(dest, file) for file in sorted(before.keys() - files.keys())}
        deleted = tuple(file for file, digest in gone.items() if digest == before[file])
        left = tuple(file for file, digest in gone.items() if digest and digest != before[file])
        written: list[str] = []
        edited: list[str] = []
        for file, digest in sorted(files.items()):
            found = _digest(dest, file, deleted)
            if found != digest:
                is_ours = found == before.get(file, "")
                (written if is_ours or force else edited).append(file)
    if edited:
        raise _edited(dest, edited)
    return SiteUpdate(tuple(written), deleted, left)


def _edited(dest: Path, files: list[str]) -> TakenFolder:
    named = ", ".join(f"`{file}`" for file in files[:_MOST_NAMED])
    more = f" and {len(files) - _MOST_NAMED:,} more" if len(files) > _MOST_NAMED else ""
    message = f"the import would overwrite what has been edited since the last one: {named}{more}"
    hint = "import into a new folder and compare, or overwrite these files with `--force`"
    return TakenFolder(message, path=str(dest), hint=hint)


class _Record(Struct):
    """The part of the report that the next import reads."""

    files: dict[str, str]


def _recorded(record: Path) -> Mapping[str, str]:
    """Return the digests of an earlier import; none where they cannot be read, so that nothing is its own."""
    try:
        if record.stat().st_size > _LONGEST_RECORD:
            return {}
        found = msgspec.json.decode(record.read_bytes(), type=_Record).files
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    return {file: digest for file, digest in found.items() if _is_inner(file) and file not in REPORTS}


def _is_inner(file: str) -> bool:
    """Return whether a path of a record, which anybody may have written, stays in the folder."""
    parts = file.split("/")
    return "\0" not in file and all(part not in {"", ".", ".."} for part in parts)


def _digest(dest: Path, file: str, deleted: Container[str] = ()) -> str:
    """Return the digest of a file, "" where none is, and the kind of what else stands there or on its way."""
    for way in reversed(PurePosixPath(file).parents):
        try:
            mode = (dest / way).stat(follow_symlinks=str(way) == ".").st_mode
        except FileNotFoundError:
            return ""
        if not stat.S_ISDIR(mode):
            return "" if str(way) in deleted else kind_of(mode)
    return _digest_at(dest / file, dest, deleted)


def _digest_at(path: Path, dest: Path, deleted: Container[str]) -> str:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return ""
    if stat.S_ISDIR(mode):
        inner = (each.relative_to(dest).as_posix() for each in path.rglob("*") if not each.is_dir())
        return "" if all(file in deleted for file in inner) else "a folder"
    if not stat.S_ISREG(mode):
        return kind_of(mode)
    with path.open("rb") as file:
        return _digest_of(iter(lambda: file.read(_CHUNK), b""))


def _digest_of(chunks: Iterable[bytes]) -> str:
    found = hashlib.blake2b(digest_size=SIZE)
    for chunk in chunks:
        found.update(chunk)
    return found.hexdigest()


def take_place(folder: Path, dest: Path, update: SiteUpdate) -> None:
    """Move the files of an update from a folder to the place of the site. Raises StorageError.

    An import that is interrupted here is completed by the next one: what is in place already is as it shall
    be, and the record is written last.
    """
    with failures.writing(str(dest)):
        dest.mkdir(parents=True, exist_ok=True)
        for file in (*update.deleted, *update.written):
            _check_way(dest, file)
        for file in update.deleted:
            (dest / file).unlink()
            _remove_empty(dest, file)
        for file in (*update.written, *_other_reports(folder, dest)):
            target = dest / file
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_dir() and not target.is_symlink():
                target.rmdir()
            (folder / file).replace(target)


def _other_reports(folder: Path, dest: Path) -> Iterator[str]:
    for file in REPORTS:
        if _digest_at(folder / file, folder, ()) != _digest_at(dest / file, dest, ()):
            yield file


def _check_way(dest: Path, file: str) -> None:
    """Raise TakenFolder where a link is on the way to a file: what it leads to is no part of the site."""
    for way in PurePosixPath(file).parents:
        if (dest / way).is_symlink() and str(way) != ".":
            hint = "delete the link, or import into a new folder"
            raise TakenFolder("there is a symbolic link", path=str(dest / way), hint=hint)


def _remove_empty(dest: Path, file: str) -> None:
    for way in PurePosixPath(file).parents:
        if str(way) != ".":
            with suppress(OSError):
                os.rmdir(dest / way)  # noqa: PTH106 - one that is not empty stays
