"""The one gate to a site's files."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from builder import paths
from builder.category.record import CategoryRecord
from builder.errors import RevisionMismatch, StorageError
from builder.paths import Format
from builder.store import (
    failures,
    folders,
    lock,
    page_reader,
    page_write,
    recovery,
    reserve,
    restore,
    walk,
)
from builder.store.folder_listing import FolderListing
from builder.store.journal import UnreadableJournal
from builder.store.keeper import NOBODY, ChangeNote, Keeper, Turn
from builder.store.limits import FILE_LIMIT
from builder.store.names import CONTENT, is_hidden
from builder.store.part_files import PartFiles
from builder.store.records import Identity, Scan, Source, Written
from builder.store.restore import Replacement
from builder.store.scan import scan
from builder.store.scan_findings import KnownCategory
from builder.store.write_plan import make_draft

TRIES = 20
"""How often a change of a category is made anew over what somebody else has just saved."""
Permit = Callable[[], None]
"""Raises what it likes when a change may not be made; asked when nobody else can make one any more."""
_PAUSE = 0.02
"""Seconds between two looks whether the reserve is free again."""
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def _permitted() -> None:
    """Everybody may."""


class ContentStore:
    """Reads and writes the files of the site in the folder `root`; nothing outside it, whatever is asked.

    Safe to use from several threads; several stores and processes may be open on one site. Close it, or use
    it as a context manager. Opening finishes or takes back what an interrupted process has left, and raises
    StorageError when the folder is not there or that cannot be done. The keeper, if there is one, is told of
    every change with the `note` of whoever makes it; what it refuses to keep is not changed. A change waits
    `patience` seconds for its turn, and then raises StorageBusy.
    """

    def __init__(self, root: Path, keeper: Keeper | None = None, patience: float = lock.PATIENCE) -> None:
        self.root = root
        self._keeper = keeper
        try:
            self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise failures.storage_error(str(root), error) from error
        self._lock = lock.SiteLock(self._root, patience)
        self._own: dict[str, Identity] = {}
        try:
            self._tidy()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ContentStore:
        """Already open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Let go of the folder; the store cannot be used any more. May be called again."""
        if self._root >= 0:
            os.close(self._root)
            self._root = -1

    def has_pages(self) -> bool:
        """Return whether the site has a folder for pages."""
        return any(walk.look(self._root, name) is not None for name in CONTENT)

    def scan(self, known: dict[str, KnownCategory] | None = None) -> Scan:
        """All pages, categories and files by name and size, and what is wrong with them; opens no page.

        `known` are category files that were read before; then it has those that are there now.
        """
        return scan(self._root, known)

    def parts(self) -> PartFiles:
        """The files that pages may include."""
        return PartFiles(self.root)

    def shape(self) -> FolderListing:
        """Finds out whether other files lie in the site than the last time; usable as long as the store."""
        return FolderListing(self._root)

    def read(self, path: str, *, any_size: bool = False) -> Source:
        """The page at a content path, with its twin; with `any_size` one that is too large, without its text.

        Raises InvalidPath, PageNotFound, PageTooLarge, or StorageError when the file cannot be read.
        """
        path = paths.parse(path)
        with failures.reading(path):
            raw = page_reader.read_whole(self._root, path)
        if raw is None:
            try:
                with self._turn(path):
                    raw = page_reader.read_raw(self._root, path)
            except UnreadableJournal:
                with failures.reading(path):
                    raw = page_reader.read_raw(self._root, path)
        return page_reader.as_source(raw, any_size=any_size)

    def read_file(self, file: str) -> bytes:
        """A file of the site, such as `site.yml`, by its name on disk.

        Raises FileNotFoundError when there is none (hidden files are none), and StorageError when it cannot
        be read, is no regular file or has more than FILE_LIMIT bytes.
        """
        *parts, name = _visible(file)
        with failures.reading(file), walk.folder(self._root, parts) as folder:
            try:
                return walk.read_file(folder, name, FILE_LIMIT)[0]
            except walk.TooLarge:
                raise StorageError(f"the file has more than {FILE_LIMIT:,} bytes", path=file) from None

    def open_file(self, file: str) -> BinaryIO:
        """The same, opened for reading."""
        *parts, name = _visible(file)
        with failures.reading(file), walk.folder(self._root, parts) as folder:
            descriptor, _ = walk.open_file(folder, name)
            return os.fdopen(descriptor, "rb")

    def write(
        self,
        path: str,
        format: Format,
        text: str,
        twin: str | None = None,
        *,
        if_match: str | None = None,
        create_only: bool = False,
        most: int | None = None,
        note: ChangeNote = NOBODY,
        permit: Permit = _permitted,
    ) -> Written:
        """Create or replace a page with its twin; it is durable when this returns.

        `if_match` is the revision that the page must have (`*`: any), `create_only` wants no page there, and
        with `most` pages the site takes no new one. Without the first two it insists: the keeper is told of
        what an editor saves meanwhile, and that is written over too.

        Bytes that are no UTF-8 stay when the text is the same, and a twin that is too large to be read stays
        when there is no other.

        Raises InvalidPath, PageTooLarge, PageLimitReached, RevisionMismatch, PathConflict, or StorageError
        with the old content intact; UnicodeEncodeError for half of a surrogate pair.
        """
        draft = make_draft(path, format, text, twin)
        with self._turn(draft.path, note, permit) as turn:
            expected = page_write.ExpectedRevision(self._root, draft.path, if_match, create_only)
            expected.check()
            reserve.check_room(turn.state, len(draft.page) + len(draft.twin or b""))
            return page_write.write_page(turn, draft, expected, most)

    def rehearse(
        self,
        path: str,
        format: Format,
        text: str,
        twin: str | None = None,
        *,
        if_match: str | None = None,
        create_only: bool = False,
        most: int | None = None,
    ) -> Written:
        """Return what `write` would, or raise as it does before anything is written; changes nothing."""
        draft = make_draft(path, format, text, twin)
        with failures.writing(draft.path):
            page_write.ExpectedRevision(self._root, draft.path, if_match, create_only).check()
            return page_write.rehearse_page(self._root, draft, most)

    def delete(
        self,
        path: str,
        *,
        if_match: str | None = None,
        note: ChangeNote = NOBODY,
        permit: Permit = _permitted,
    ) -> None:
        """Remove a page with its twin, and the folders that this leaves empty; on a full disk, too.

        Without `if_match`, the keeper is told of what an editor saves meanwhile, and that is removed too.
        Raises InvalidPath, PageNotFound, RevisionMismatch or StorageError.
        """
        path = paths.parse(path)

        def delete() -> None:
            with self._turn(path, note, permit, frees=True) as turn:
                expected = page_write.ExpectedRevision(self._root, path, if_match)
                expected.check()
                act = partial(page_write.delete_page, turn, path, expected)
                reserve.with_room(turn.state, act, turn.settle)

        self._make_room(delete)

    def set_category(
        self,
        path: str,
        changes: Mapping[str, object],
        *,
        note: ChangeNote = NOBODY,
        permit: Permit = _permitted,
    ) -> CategoryRecord:
        """Set `label`, `position` and `collapsed` of a folder, which is made if it is not there.

        None clears a field, one that is not given stays. Raises InvalidPath, PathConflict, StorageError, and
        ValueError for a field or value that a category cannot have; RevisionMismatch when somebody else
        saves the file all the time.
        """
        path = paths.parse_folder(path)
        for _ in range(TRIES):
            with suppress(RevisionMismatch), self._turn(path, note, permit) as turn:
                reserve.check_room(turn.state, 0)
                return page_write.set_category(turn, path, changes)
        raise RevisionMismatch("other programs keep changing the category", path=path, hint="try again")

    def delete_category(
        self, path: str, *, note: ChangeNote = NOBODY, permit: Permit = _permitted
    ) -> CategoryRecord:
        """Remove what is said of a folder, whose pages stay; gives what that was.

        Raises InvalidPath, PageNotFound, PathConflict, StorageError; RevisionMismatch when somebody else
        saves the file all the time.
        """
        path = paths.parse_folder(path)
        before = self.category(path)

        def delete() -> None:
            with self._turn(path, note, permit, frees=True) as turn:
                act = partial(page_write.delete_category, turn, path)
                reserve.with_room(turn.state, act, turn.settle)

        for _ in range(TRIES):
            with suppress(RevisionMismatch):
                self._make_room(delete)
                return before
        raise RevisionMismatch("other programs keep changing the category", path=path, hint="try again")

    def category(self, path: str) -> CategoryRecord:
        """Return what is said of a folder. Raises InvalidPath, PageNotFound, PathConflict, StorageError."""
        path = paths.parse_folder(path)
        with failures.reading(path):
            return page_write.read_category(self._root, path)

    def put_back(
        self,
        replacement: Replacement,
        *,
        most: int | None = None,
        note: ChangeNote = NOBODY,
        permit: Permit = _permitted,
    ) -> None:
        """Change many content files at once, as one change.

        Raises InvalidPath for files that are no content, RevisionMismatch when a file is not as expected,
        PageLimitReached where the site would have more pages than before, and than `most`, PathConflict, or
        StorageError; then nothing has changed.
        """
        size = sum(len(data) for data in replacement.wanted.values() if data is not None)

        def put_back() -> None:
            with self._turn(str(self.root), note, permit, frees=not size) as turn:
                if size:
                    reserve.check_room(turn.state, size)
                    restore.put_back(turn, replacement, most)
                else:
                    act = partial(restore.put_back, turn, replacement)
                    reserve.with_room(turn.state, act, turn.settle)

        self._make_room(put_back)

    def replace_file(
        self,
        file: str,
        data: bytes | None,
        *,
        expected: bytes | None,
        note: ChangeNote = NOBODY,
        permit: Permit = _permitted,
    ) -> None:
        """Create, replace or remove a file that is no content, such as `site.yml` or an image.

        None is no file, before or after. Raises InvalidPath for the name of a page, a hidden file or one that
        would not be published, RevisionMismatch when the file is not as `expected`, PathConflict where
        something else stands there or beside it in other case, or StorageError; then nothing has changed.
        """
        restore.check_other(file)

        def replace() -> None:
            with self._turn(file, note, permit, frees=data is None) as turn:
                act = partial(restore.replace_other, turn, file, data, expected)
                if data is None:
                    reserve.with_room(turn.state, act, turn.settle)
                else:
                    reserve.check_room(turn.state, len(data))
                    act()

        self._make_room(replace)

    @contextmanager
    def still(self) -> Iterator[int]:
        """Keep all files as they are for the block; gives the folder's descriptor.

        What an interrupted change has left is put in order first. Raises StorageBusy and StorageError.
        """
        with self._turn(str(self.root)) as turn:
            yield turn.root

    def _make_room(self, act: Callable[[], None]) -> None:
        """Do what makes room; while others use the reserve, wait as long as for a turn."""
        until = time.monotonic() + self._lock.patience
        while True:
            try:
                return act()
            except StorageError as error:
                if not isinstance(error.__cause__, reserve.Lent) or time.monotonic() > until:
                    raise
            time.sleep(_PAUSE)

    @contextmanager
    def _turn(
        self, path: str, note: ChangeNote = NOBODY, permit: Permit = _permitted, *, frees: bool = False
    ) -> Iterator[Turn]:
        """Hold the site's lock; what an interrupted process has left is put in order first.

        That needs a little room, for which a turn that `frees` some may use the reserve.
        """
        with failures.writing(path), self._lock.hold() as state, walk.kept_open():
            turn = Turn(self._root, state, self._keeper, note, self._own)

            def settle() -> None:
                recovery.recover(self._root, state)
                turn.settle()

            if frees:
                reserve.with_room(state, settle, settle)
            else:
                settle()
            permit()
            try:
                yield turn
            except BaseException:
                turn.failed()
                raise
            turn.done()

    def _tidy(self) -> None:
        """Put in order what an interrupted process has left, unless another one is at work."""
        try:
            with self._lock.attempt() as state:
                if state is not None:
                    recovery.recover(self._root, state)
                    Turn(self._root, state, self._keeper).settle()
                    folders.sweep(self._root)
        except (FileNotFoundError, walk.Blocked):
            return  # nobody has ever written here
        except OSError as error:
            # A site on a read-only disk can be read, but not when a change in it was interrupted.
            if error.errno not in _READ_ONLY or page_reader.in_change(self._root):
                raise failures.storage_error(str(self.root), error) from error


def _visible(file: str) -> list[str]:
    """The parts of a file's way. Raises FileNotFoundError for what is hidden, which is none of the site's."""
    parts = file.split("/")
    if any(map(is_hidden, parts)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    return parts
