"""Bring pending changes, and what was changed outside, into the repository: away from any writer's path.

The file of pending changes is put aside under the site's lock and read without it. The branch moves once, and
only then is the file removed; whoever finds it again sees by its ID whether the branch has moved already.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from builder.errors import StorageBusy, StorageError
from builder.store import recovery, reserve
from builder.store.lock import STATE, SiteLock, state_folder
from server.history import files, folding_file, mending, objects, pending_log, working_tree
from server.history.contents import DurableContents
from server.history.damage import DamagedHistory
from server.history.file_versions import TRASH, TRASH_BYTES, TRASH_SECONDS, FileVersions
from server.history.objects import Repository
from server.history.pending_file import PendingFile
from server.history.revision_line import Line
from server.process.file_lock import try_lock

LOCK = "lock"
PATIENCE = 30.0
"""Seconds to wait for another process that folds."""
_PAUSE = 0.02
log = logging.getLogger("twinpress.history")
_NO_ROOM = (
    "The disk has too little room for the reserve of %d KB. "
    "When it is full, you may have to free some room on it before you can delete a page"
)
_RARELY, _LEAST = 100, 5.0
"""Looks for changes made outside are apart so many times what one takes, and so many seconds."""


def trash_of(folder: Path) -> FileVersions:
    """The files of a site that were replaced or deleted and are too large for its history."""
    return FileVersions(folder / TRASH, TRASH_BYTES, TRASH_SECONDS)


class HistoryFold:
    """Folds the changes of the site whose folder is open as `root`; `folder` is the history's own."""

    def __init__(self, root: int, folder: Path, durable: DurableContents) -> None:
        self._durable = durable
        self._root = root
        self._folder = folder
        self._lock = SiteLock(root)
        self.trash = trash_of(folder)
        self._look_again = 0.0
        self._is_told = False

    def hurry(self) -> None:
        """Wait for no other writer any more, as the program ends."""
        self._lock.patience = 0.0

    def fold(self, pause: Callable[[], None]) -> None:
        """Fold pending changes; `pause` is called between them. Raises OSError or StorageError.

        What was changed outside is only looked for now and then, as that takes longer in a large site.
        """

        def act(state: int, repository: Repository) -> None:
            if repository.head is None or time.monotonic() > self._look_again:
                self._all(state, repository, pause)
            else:
                self._put_aside()
                self._commit(state, repository, pause, None)

        self._with_room(act)

    def catch_up(self) -> None:
        """Fold pending changes and what was changed outside; then the last revision is the site as it is.

        Raises OSError or StorageError.
        """
        self._with_room(lambda state, repository: self._all(state, repository, _on))

    def mend(self) -> None:
        """Mend the repository if it is damaged, which is told. Raises OSError or StorageError."""
        with self._turn() as state:
            self._mend(state)

    def begin_later(self, since: float) -> int:
        """Forget the revisions before a time; gives how many. Raises OSError or StorageError."""
        self.catch_up()
        with self._turn():
            forgotten = mending.begin_later(self._folder, since)
            self._durable.forget()
            return forgotten

    def _with_room(self, act: Callable[[int, Repository], None]) -> None:
        """Act in a turn; on a full disk once more, with the room that is kept for that."""
        with self._turn() as state, ExitStack() as lent:
            try:
                self._fold_or_mend(act, state)
            except OSError as error:
                if not reserve.is_full(error) or not self._give_room(lent):
                    raise
                objects.sweep(self._folder)
                self._fold_or_mend(act, state)
            finally:
                if not reserve.is_whole(state):
                    objects.sweep(self._folder)  # what was begun and had no room
                    self._keep_room()

    def _give_room(self, lent: ExitStack) -> bool:
        """Have the disk be no longer full, if room was kept for that; it is `lent` to us from then on."""
        with self._lock.hold() as state:
            lent.enter_context(reserve.lent(state))
            return reserve.release(state)

    def _keep_room(self) -> None:
        """Keep some room for when the disk is full, or tell that there is none to be kept, once."""
        try:
            with self._lock.hold() as state:
                size = reserve.whole(state)
                is_kept = reserve.keep(state) > size // 2
        except (StorageBusy, OSError):
            return  # the next one does it; whatever cannot be written is told of the history itself
        if not is_kept and not self._is_told:
            log.warning(_NO_ROOM, size // 1024)
        self._is_told = not is_kept

    def _fold_or_mend(self, act: Callable[[int, Repository], None], state: int) -> None:
        """Fold; where the repository is damaged, mend it and fold again."""
        try:
            self._fold(act, state)
        except DamagedHistory:
            if not self._mend(state):
                raise
            self._fold(act, state)

    def _fold(self, act: Callable[[int, Repository], None], state: int) -> None:
        """Bring in what another process has put aside, and then what `act` does."""
        with objects.opened(self._folder) as repository:
            try:
                self._commit(state, repository, _on, None)
                act(state, repository)
                repository.tidy()
            except OSError:
                repository.withdraw()
                raise

    def _mend(self, state: int) -> bool:
        if mending.is_sound(self._folder):
            return False
        self._durable.forget()
        told = mending.mend(self._folder, folding_file.aside_id(state))
        log.warning("The history was damaged: %s", told)
        return True

    @contextmanager
    def _turn(self) -> Iterator[int]:
        """Wait until nobody else folds, and put in order what is left of those that were killed meanwhile.

        Gives the descriptor of the state folder.
        """
        with state_folder(self._root) as state:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with _alone(self._folder):
                mending.settle(self._folder)
                objects.sweep(self._folder)
                yield state

    def _all(self, state: int, repository: Repository, pause: Callable[[], None]) -> None:
        # Once without the lock, so that there is little to read while writers wait.
        working_tree.look(self._root, repository, self._folder / "git")
        started = time.monotonic()
        present = self._put_aside(repository)
        self._look_again = time.monotonic() + _RARELY * (time.monotonic() - started) + _LEAST
        self._commit(state, repository, pause, present)

    def _put_aside(self, repository: Repository | None = None) -> Mapping[str, str] | None:
        """Under the site's lock; with a repository, what the site's files are at that moment is looked at."""
        with self._lock.hold() as state:
            recovery.recover(self._root, state)
            with closing(PendingFile(DurableContents())) as settled:
                settled.settle(self._root, state)
            folding_file.rotate(state)
            return working_tree.look(self._root, repository, self._folder / "git") if repository else None

    def _commit(
        self,
        state: int,
        repository: Repository,
        pause: Callable[[], None],
        present: Mapping[str, str] | None,
    ) -> None:
        found = _aside(state)
        is_aside, head = found is not None, repository.head
        if found is not None and head is not None and repository.pending_file_of(head) == found.id:
            found = None
        entries = [] if found is None else [entry for entry in found.entries if not entry.is_idle]
        line = Line(repository, found.id if found else "")
        is_first = present is not None and not line.covers_files
        if is_first and present is not None:
            line.begin(present, entries, working_tree.earlier_settings(state))
        for entry in entries:
            pause()
            line.add(entry)
        if present is not None:
            line.outside(present, time.time())
        if line.head is not None and line.head != head:
            repository.advance(line.head)
        self._durable.keep({**line.kept, **(present or {})})
        if is_aside:
            folding_file.folded(state)
        if is_first:
            working_tree.forget_earlier_settings(state)
        if line.has_files or present is not None:
            repository.versions.trim(line.present)
            self.trash.trim(frozenset)


def _aside(state: int) -> pending_log.Pending | None:
    """Return the changes put aside, if any.

    Raises StorageError when it cannot be read; it is then set apart, so that the next changes can be folded.
    """
    try:
        return folding_file.aside(state)
    except pending_log.Garbled as fault:
        raise StorageError(
            f"changes that wait to be added to the history cannot be read: {fault}",
            path=f".twinpress/state/{files.FOLDER}/{folding_file.set_apart(state)}",
            hint="the history goes on without them",
        ) from fault


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one folds at a time. Raises StorageBusy after PATIENCE seconds."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(folder / LOCK, flags, 0o600)
    try:
        until = time.monotonic() + PATIENCE
        while not try_lock(lock):
            if time.monotonic() > until:
                raise StorageBusy("another process is busy with the history", hint="wait a little")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(lock)


@contextmanager
def still(site: Path) -> Iterator[None]:
    """Let nobody write to a site, nor fold its history. Raises StorageError after some time, and OSError.

    Both locks are taken in the order in which a fold takes them. Copy what is wanted, before it goes anywhere
    slow.
    """
    folder = site.joinpath(*STATE, files.FOLDER)
    with ExitStack() as held:
        root = os.open(site, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        held.callback(os.close, root)
        if folder.is_dir():
            held.enter_context(_alone(folder))
        held.enter_context(SiteLock(root).hold())
        yield


def _on() -> None:
    """No pause."""
