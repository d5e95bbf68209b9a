"""Bring pending changes, and what was changed outside, into the repository: away from any writer's path.

The file of pending changes is put aside under the site's lock and read without it. The branch moves once, and
only then is the file removed; whoever finds it again sees by its ID whether the branch has moved already.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from dulwich.objects import Blob

from builder.errors import StorageError
from builder.store import Note, change
from builder.store.lock import SiteLock, state_folder
from server.history import journal, objects, pending, snapshot
from server.history.entries import Blobs, Entry, Revision
from server.history.forest import Forest
from server.history.journal import Journal
from server.history.objects import Repository

LOCK = "lock"
BEGIN = "begin"
"""What the first revision does; it lists no files, as it would have to list all."""
PATIENCE = 30.0
"""Seconds to wait for another process that folds."""
_PAUSE = 0.02
_RARELY, _LEAST = 100, 5.0
"""Looks for changes made outside are apart so many times what one takes, and so many seconds."""


class Folder:
    """Folds the changes of the site whose folder is open as `root`; `folder` is the history's own."""

    def __init__(self, root: int, folder: Path) -> None:
        self._root = root
        self._folder = folder
        self._lock = SiteLock(root)
        self._look_again = 0.0

    def hurry(self) -> None:
        """Wait for no other writer any more, as the program ends."""
        self._lock.patience = 0.0

    def fold(self, pause: Callable[[], None]) -> None:
        """Fold pending changes; `pause` is called between them. Raises OSError or StorageError.

        What was changed outside is only looked for now and then, as that takes longer in a large site.
        """
        with self._ready() as (state, repository):
            if repository.head is None or time.monotonic() > self._look_again:
                self._all(state, repository, pause)
            else:
                self._put_aside()
                self._commit(state, repository, pause, None)

    def catch_up(self) -> None:
        """Fold pending changes and what was changed outside; then the last revision is the site as it is.

        Raises OSError or StorageError.
        """
        with self._ready() as (state, repository):
            self._all(state, repository, _on)

    @contextmanager
    def _ready(self) -> Iterator[tuple[int, Repository]]:
        """Nobody else folds, and nothing is left from those that were killed while they did."""
        with state_folder(self._root) as state:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with _alone(self._folder):
                objects.sweep(self._folder)
                with objects.opened(self._folder) as repository:
                    self._commit(state, repository, _on, None)
                    yield state, repository
                    repository.tidy()

    def _all(self, state: int, repository: Repository, pause: Callable[[], None]) -> None:
        # Once without the lock, so that there is little to read while writers wait.
        snapshot.look(self._root, repository, self._folder / "git")
        started = time.monotonic()
        present = self._put_aside(repository)
        self._look_again = time.monotonic() + _RARELY * (time.monotonic() - started) + _LEAST
        self._commit(state, repository, pause, present)

    def _put_aside(self, repository: Repository | None = None) -> Mapping[str, str] | None:
        """Under the site's lock; with a repository, what the site's files are at that moment is looked at."""
        with self._lock.hold() as state:
            change.recover(self._root, state)
            with closing(Journal()) as settled:
                settled.settle(self._root, state)
            journal.rotate(state)
            return snapshot.look(self._root, repository, self._folder / "git") if repository else None

    def _commit(
        self,
        state: int,
        repository: Repository,
        pause: Callable[[], None],
        present: Mapping[str, str] | None,
    ) -> None:
        data = journal.aside(state)
        found = None if data is None else _parsed(state, data)
        head = repository.head
        if found is not None and head is not None and repository.journal_of(head) == found.id:
            found = None
        entries = [] if found is None else [entry for entry in found.entries if not entry.is_idle]
        line = _Line(repository, found.id if found else "")
        if head is None and present is not None:
            line.begin(present, entries)
        for entry in entries:
            pause()
            line.add(entry)
        if present is not None:
            line.outside(present, time.time())
        if line.head is not None and line.head != head:
            repository.advance(line.head)
        if data is not None:
            journal.folded(state)


class _Line:
    """Adds revisions behind the last one; `head` is the newest."""

    def __init__(self, repository: Repository, source: str) -> None:
        self._repository = repository
        self._source = source
        self.head = repository.head
        self._forest = Forest(repository, repository.tree_of(self.head) if self.head else None)

    def begin(self, present: Mapping[str, str], entries: list[Entry]) -> None:
        """The first revision: the site as it was before these changes, which `present` has already."""
        first = dict(present)
        for entry in reversed(entries):
            for each in entry.files:
                first.pop(each.file, None)
                if each.old is not None:
                    first[each.file] = self._blob(each.old)
        for file, blob in first.items():
            self._forest.put(file, blob)
        when = entries[0].time if entries else time.time()
        self._append(Revision("", when, Note(act=BEGIN), (), (), (), outside=True))

    def add(self, entry: Entry) -> None:
        """A change, and before it what had been changed outside in its files."""
        files = [Blobs(each.file, self._maybe(each.old), self._maybe(each.new)) for each in entry.files]
        self._found({each.file: each.old for each in files}, entry.time)
        for each in files:
            self._forest.put(each.file, each.new)
        self._append(
            Revision("", entry.time, entry.note, tuple(files), entry.made, entry.gone, outside=False)
        )

    def outside(self, present: Mapping[str, str], when: float) -> None:
        """What is different now without a change of Twinpress's own."""
        known = self._forest.files()
        self._found({file: present.get(file) for file in sorted({*known, *present})}, when)

    def _found(self, now: Mapping[str, str | None], when: float) -> None:
        files = [Blobs(file, self._forest.get(file), blob) for file, blob in now.items()]
        changed = tuple(each for each in files if each.old != each.new)
        for each in changed:
            self._forest.put(each.file, each.new)
        if changed:
            self._append(Revision("", when, Note(), changed, (), (), outside=True))

    def _append(self, revision: Revision) -> None:
        commit = objects.commit_of(revision, self._forest.write(), self.head, self._source)
        self.head = self._repository.add(commit).decode()

    def _maybe(self, data: bytes | None) -> str | None:
        return None if data is None else self._blob(data)

    def _blob(self, data: bytes) -> str:
        return self._repository.add(Blob.from_string(data)).decode()


def _parsed(state: int, data: bytes) -> pending.Pending:
    """Raises StorageError; the file is then set apart, so that the next changes can be folded."""
    try:
        return pending.parse(data)
    except pending.Garbled as fault:
        raise StorageError(
            f"changes that were to come into the history cannot be read: {fault}",
            path=f".twinpress/state/{journal.FOLDER}/{journal.set_apart(state)}",
            hint="the history goes on without them",
        ) from fault


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one folds at a time. Raises StorageError after PATIENCE seconds."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(folder / LOCK, flags, 0o600)
    try:
        until = time.monotonic() + PATIENCE
        while not _locked(lock):
            if time.monotonic() > until:
                raise StorageError("another process is busy with the history", hint="wait a little")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(lock)


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _on() -> None:
    """No pause."""
