"""The history of a site: a keeper for its store, and what was kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from msgspec.structs import replace

from builder.errors import StorageError, TwinpressError
from builder.store import (
    FRESH,
    ChangeAnnouncement,
    FileChange,
    FileState,
    KeptBytes,
    failures,
    reserve,
    state_check,
    state_of,
)
from builder.store.names import is_content, is_text
from builder.store.restore import stem_of
from builder.store.walk import Blocked
from builder.unicode import normal
from server.history import folding_file, objects, pending_file
from server.history.contents import DurableContents, id_of
from server.history.damage import DamagedHistory
from server.history.file_versions import SMALL
from server.history.fold import HistoryFold
from server.history.forest import Forest
from server.history.objects import Repository
from server.history.pending_file import PendingFile
from server.history.revision import Revision
from server.history.worker import FoldingThread

_SHOWN = ".twinpress/state/history"
"""The folder as errors name it: the rest of its path is nobody's business who has a site with a service."""

_Read = TypeVar("_Read")
SHORT = 10
"""Digits of a revision that are shown."""


class TooMuchAtOnce(TwinpressError):
    """More text than may be held in memory at a time."""


class History:
    """Keeps what the changes of a site replace, in `state`, which is the site's folder `.twinpress/state`.

    Give it to the site's ContentStore as keeper, and to no other. A change that cannot be kept is refused by
    the store. Close it, or use it as a context manager. Raises StorageError when the site is not
    there, or has brought a link among what is kept in `state`.
    """

    def __init__(self, state: Path) -> None:
        self._folder = state / pending_file.FOLDER
        site = state.parents[1]
        with failures.reading(str(site)):
            _check(site)
            self._root = os.open(site, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        durable = DurableContents()
        self._pending_file = PendingFile(durable)
        self._folding = HistoryFold(self._root, self._folder, durable)
        self._packed: tuple[FileState | None, int] = (None, 0)
        self._has_reserve = False
        self._worker = FoldingThread(self._folding.fold)
        self._trash = self._folding.trash

    def __enter__(self) -> History:
        """Already open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the work in the background; changes that are still pending wait for the next time."""
        self._folding.hurry()
        self._worker.stop()
        self._pending_file.close()
        if self._root >= 0:
            os.close(self._root)
            self._root = -1

    def begin(self) -> None:
        """Have everything brought in soon, in the background; for a server at its start.

        So the history knows the site as it was before the first change, and not only from then on.
        """
        self._worker.changed(0)

    def settle(self, root: int, state: int) -> None:
        """See Keeper.

        The reserve is taken before the first change: a disk may be full before any change is folded.
        """
        self._has_reserve = self._has_reserve or reserve.begin(state)
        size = self._pending_file.settle(root, state)
        if size:
            self._worker.left(size)

    def before(self, state: int, change: ChangeAnnouncement) -> None:
        """See Keeper.

        On a disk that is nearly full, of what is removed only the id is written, where it is kept already,
        and nothing comes into the trash: else nobody could make room.
        """
        is_tight = reserve.is_tight(state)
        change = self._without_large(change, kept=not is_tight)
        if is_tight and all(each.new is None for each in change.files):
            change = self._pending_file.short(state, change, self._in_repository)
        self._pending_file.before(state, change)

    def _without_large(self, change: ChangeAnnouncement, *, kept: bool) -> ChangeAnnouncement:
        """The change with ids in the place of what is too large; what is replaced is in the trash then."""
        return replace(change, files=tuple(self._small(each, kept=kept) for each in change.files))

    def _small(self, each: FileChange, *, kept: bool) -> FileChange:
        if is_text(each.file):
            return each
        old, new = each.old, each.new
        if isinstance(old, bytes) and len(old) > SMALL:
            if kept:
                self._trash.add(old)
                self._trash.flush()
            old = KeptBytes(id_of(old))
        if isinstance(new, bytes) and len(new) > SMALL:
            new = KeptBytes(id_of(new))
        return replace(each, old=old, new=new)

    def _in_repository(self) -> Mapping[str, str]:
        """The site's files after the last revision, by the ids of their contents; none if nobody can tell."""
        if not (self._folder / "git").exists():
            return {}
        with suppress(OSError, TwinpressError), objects.opened(self._folder) as repository:
            if repository.head is not None:
                return Forest(repository, repository.tree_of(repository.head)).files()
        return {}

    def done(self, root: int, state: int) -> None:
        """See Keeper."""
        size = self._pending_file.done(root, state)
        if size:
            self._worker.changed(size)

    def withdrawn(self, state: int) -> None:
        """See Keeper."""
        self._pending_file.withdrawn()

    def catch_up(self) -> None:
        """Bring all changes in, an editor's too: then the last revision is the site as it is.

        Raises StorageError when the system refuses, or when the history is damaged.
        """
        with failures.writing(_SHOWN):
            self._folding.catch_up()

    def bring_in(self) -> None:
        """Bring in what Twinpress has changed; an editor's changes only now and then, as looking takes long.

        Raises StorageError as `catch_up` does.
        """
        with failures.writing(_SHOWN):
            self._folding.fold(lambda: None)

    def begin_later(self, since: float) -> int:
        """Delete the revisions from before a time, in seconds since 1970, for good; gives how many.

        The site, and what changed in it since, stays as it is. Raises StorageError.
        """
        with failures.writing(_SHOWN):
            return self._folding.begin_later(since)

    def size(self) -> int:
        """Return the bytes that the history has on the disk, without versions of files, which are bounded.

        Quick enough to be asked at each write. Raises StorageError.
        """
        with failures.reading(_SHOWN):
            packs = self._folder / "git" / "objects" / "pack"
            waiting = (self._folder / folding_file.NAME, self._folder / folding_file.FOLDING)
            return self._packed_size(packs) + sum(map(_bytes, waiting))

    def _packed_size(self, packs: Path) -> int:
        """Return the bytes of all packs; they are counted again once the times of their folder are others.

        Times that are young may stand still at the next change: what was counted then is not kept.
        """
        state, (before, size) = _state(packs), self._packed
        if state is None or state != before:
            size = sum(map(_bytes, packs.iterdir())) if state else 0
            is_settled = state is not None and state.youngest + FRESH < time.time_ns()
            self._packed = state if is_settled else None, size
        return size

    def line(self) -> FileState | None:
        """Return a mark that is another one once revisions were deleted or mended; None before the first."""
        return _state(self._folder / "git" / "config")

    def mark(self) -> tuple[FileState | None, ...]:
        """Return a mark that is another one after each change by Twinpress, in whichever process."""
        return tuple(_state(path) for path in (self._folder, self._folder / folding_file.NAME))

    def revisions(
        self, path: str = "", most: int | None = None, within: int | None = None, since: float = 0
    ) -> list[Revision]:
        """List the `most` last revisions, the last first; with a path those that touch it (see `belongs`).

        They are looked for among the last ones: `within` so many if that is given, and not behind the first
        that is older than `since` (seconds since the epoch).

        Raises StorageError when the history cannot be read.
        """
        if not (self._folder / "git").exists():
            return []

        def found(kept: Repository) -> list[Revision]:
            last = takewhile(lambda each: each.time >= since, islice(kept.revisions(), within))
            return list(islice((each for each in last if touches(each, path)), most))

        return self._read(found)

    def files_at(self, revision: str) -> dict[str, str]:
        """The site's files after a revision, with the ids of their contents. Raises StorageError."""
        return self._read(lambda kept: Forest(kept, kept.tree_of(revision)).files())

    def contents(self, blobs: set[str], most: int | None = None) -> dict[str, bytes]:
        """Contents by their ids. Raises StorageError, Lost when damage or time has taken one of them.

        Raises TooMuchAtOnce where they have more than `most` bytes together, when so many are read.
        """

        def read(kept: Repository) -> dict[str, bytes]:
            found, size = {}, 0
            for blob in blobs:
                in_trash = self._trash.read(blob)
                found[blob] = kept.blob(blob) if in_trash is None else in_trash
                size += len(found[blob])
                if most is not None and size > most:
                    message = f"these changes have more than {most // 1024 // 1024} MB of text"
                    raise TooMuchAtOnce(message, hint="take fewer pages at a time")
            return found

        return self._read(read)

    def gone(self, blobs: Iterable[str]) -> frozenset[str]:
        """Those of these contents of files beside pages that are not kept. Raises StorageError."""

        def read(kept: Repository) -> frozenset[str]:
            return frozenset(each for each in blobs if not (kept.versions.has(each) or self._trash.has(each)))

        return self._read(read)

    def _read(self, act: Callable[[Repository], _Read]) -> _Read:
        """Read; what is damaged is mended first."""
        with failures.reading(_SHOWN):
            try:
                with objects.opened(self._folder) as repository:
                    return act(repository)
            except DamagedHistory as damage:
                self._mend(damage)
            with objects.opened(self._folder) as repository:
                return act(repository)

    def _mend(self, damage: DamagedHistory) -> None:
        try:
            self._folding.mend()
        except OSError:
            raise damage from None  # nothing can be written here


def _check(site: Path) -> None:
    """Raises StorageError where the site has brought a link out of it, and OSError."""
    try:
        state_check.check_state(site)
    except Blocked as blocked:
        path = str(site / blocked.name)
        message = f"{blocked.kind} stands among what Twinpress keeps"
        raise StorageError(message, path=path, hint="remove it") from None


def _state(path: Path) -> FileState | None:
    try:
        return state_of(path.lstat())
    except FileNotFoundError:
        return None


def _bytes(path: Path) -> int:
    found = _state(path)
    return found.size if found else 0


def touches(revision: Revision, path: str) -> bool:
    """Return whether a revision changed a file that belongs to the path."""
    return not path or any(belongs(each.file, path) for each in revision.files)


def belongs(file: str, path: str) -> bool:
    """Return whether a file is the path's: a page's content path, a folder, or a file's own name."""
    name = normal("NFC", file)
    return name == path or name.startswith(f"{path}/") or (is_content(name) and stem_of(name) == path)


def tidy_path(path: str) -> str:
    """A path as a person types it: `./docs/a/`. Raises TwinpressError when it leads out of the site."""
    parts = [part for part in normal("NFC", path).split("/") if part not in {"", "."}]
    if path.startswith("/") or ".." in parts:
        hint = "write it like `docs/guide/install`"
        raise TwinpressError("this is no path in the site", path=path, hint=hint)
    return "/".join(parts)


def find(revisions: list[Revision], text: str) -> Revision:
    """The revision whose id begins with `text`, or whose change has it as id. Raises TwinpressError."""
    wanted = text.lower() if len(text) >= 4 else "-"
    found = [each for each in revisions if each.id.startswith(wanted) or each.note.id == wanted]
    if len(found) == 1:
        return found[0]
    if not found:
        hint = "`twinpress history` lists them; give at least four digits"
        raise TwinpressError("there is no such revision", path=text, hint=hint)
    hint = "give more digits: " + ", ".join(each.id[:SHORT] for each in found[:5])
    raise TwinpressError("more than one revision begins like this", path=text, hint=hint)
