"""The sink that writes a folder; what an earlier build of ours wrote and this one did not is removed."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from builder.output import manifest
from builder.output.manifest import MANIFEST, Record
from builder.output.writer import Writer, open_tree, refusing
from builder.output.written_files import Left, WrittenFiles, content_digest
from builder.store import state_of
from builder.store.walk import Blocked
from builder.theme import FOLDER

_NAMED = (FOLDER, f"{FOLDER}/search")
"""Folders of files that are named by their content."""
_HASHED = re.compile(r"/[a-z0-9]+\.[0-9a-f]{8,10}\.[a-z]+\Z")
LEFT_OVER = 3600.0
"""Seconds after which no other build is still at work on a file, where builds cannot lock each other out."""


def _quietly() -> None:
    """Nobody is told."""


class FolderOutput:
    """Writes into a folder; unchanged files are left alone, so that their times stay.

    Files that no build wrote are never changed, and nothing outside of the folder is, whatever lies in it.
    Of several builds into the same folder one writes, the others wait; `waiting` is called when this one
    has to.

    Two lists tell what earlier builds wrote: the manifest in the folder, which may have come with it from
    anybody, and the person's own record. Only what is on both is removed, or not written again where it seems
    to be right. What is on the manifest alone may be written over by a file of the same path; else it is
    `left`, and stays on the manifest.
    """

    def __init__(self, folder: Path, waiting: Callable[[], None] = _quietly) -> None:
        self.folder: Path = folder.absolute()
        self._waiting = waiting
        self._is_held = self.is_another = False
        self._is_locked: bool | None = None
        self._let_go: Callable[[], object] = _quietly
        self._old: frozenset[str] = frozenset()
        self._listed: frozenset[str] = frozenset()
        self.left: tuple[str, ...] = ()
        self._new: set[str] = set()
        self._record: Record | None = None
        self.ledger = WrittenFiles()
        self._as_left: set[str] | None = None
        self.keeps = True

    @property
    def writer(self) -> Writer:
        """The writer for pages where they are rendered."""
        return self._writer

    @property
    def fault(self) -> str:
        """The reason why no list of files can be kept, if any: the next build then removes none of them."""
        return self._record.fault if self._record else ""

    def hold(self, site: Path) -> bool:
        """Let no other build write into the folder, if none does now."""
        if not self._is_held:
            self._tree = open_tree(self.folder, site)
            self._let_go = self._tree.close
            self._is_locked, self._is_held = self._tree.lock(wait=False), True
        return self._is_locked is True

    def _open(self, site: Path) -> None:
        """Hold the folder, whoever has to be waited for.

        Where another one stands in its place by now, or none, that is taken.
        """
        if self._is_held and not self._tree.is_at(self.folder):
            self.close()
            self.is_another = True
        if not self.hold(site) and self._is_locked is False:
            self._waiting()
            self._is_locked = self._tree.lock(wait=True)

    def changed(self, written: WrittenFiles) -> list[str]:
        """List the files that are not as an earlier build has `written` them, as far as their states tell."""
        return [*written.old.keys() - self._tree.as_left(written)]

    def saw(self, changed: frozenset[str]) -> None:
        """Take note that all files but these are as the earlier build has left them."""
        if self.is_another:
            return
        self._as_left = set(self.ledger.old.keys() - changed) & self._old

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        """Check the folder, make way for what this build is about to write, and write down what that is.

        Waits for another build into it.
        """
        self._open(site)
        self._listed = on_disk = manifest.read(self._tree, self.folder)
        self._record = record = Record(self.folder, self._tree.inode)
        self._old = self._listed & record.files
        if self._old and record.is_open:
            self._old |= self._left_over()
        places = frozenset(planned)
        if not places <= self._old:  # else the earlier build has had all of them beside each other
            self._make_way(places)
        known = self._old | self._listed
        self._check(places, places - known, Writer(self.folder, site, known, self._tree))
        mine = known | places
        self._writer = Writer(self.folder, site, mine, self._tree)
        with refusing(self.folder):
            self._tree.sweep()
        record.begin(self._old | places)
        if mine != on_disk:
            self._writer.write(MANIFEST, manifest.encode(mine))

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Write one file, unless the very bytes are there already."""
        before = self.ledger.left(path) if path in self._old else None
        self.note_written(path, key, self._writer.write(path, data, before))

    def note_written(self, path: str, key: bytes, left: Left | None) -> None:
        """Take note of a file that the writer has written."""
        self._new.add(path)
        if self._as_left:
            self._as_left.discard(path)
        self.ledger.note_written(path, key, left)

    def copy(self, path: str, file: str, source: BinaryIO, key: bytes = b"") -> None:
        """Copy one file of the site."""
        self.note_written(path, key, self._writer.copy(path, source))

    def has_all(self, paths: Sequence[str], key: bytes) -> bool:
        """Return whether a build wrote these files under this key, and nobody has touched them since."""
        if self.ledger.leave_all(paths, key, self._seen()):
            self._new.update(paths)
            return True
        return all(self.ledger.is_under(path, key) and self.stays(path, key) for path in paths)

    def stays(self, path: str, key: bytes) -> bool:
        """Return whether a build wrote the file, and nobody has touched it since; `key` is its new one."""
        if path not in self._old:
            return False  # whoever removed the list of what builds wrote wants all of it anew
        if path in self._seen():
            self.ledger.leave(path, key)
            self._new.add(path)
            return True
        return self._is_as_left(path, key)

    def _seen(self) -> set[str]:
        """The files of the earlier build that are as it has left them, as their states alone tell."""
        if self._as_left is None:
            self._as_left = self._tree.as_left(self.ledger) & self._old
        return self._as_left

    def _is_as_left(self, path: str, key: bytes) -> bool:
        """Return the same of a file whose state alone does not tell."""
        try:
            found = self._tree.look(path)
            there = found is not None and self.ledger.stays(path, key, state_of(found), self._tree.bytes_of)
        except (OSError, Blocked):
            with refusing(self.folder, path):
                raise
        if there:
            self._new.add(path)
        return there

    def under(self, key: bytes) -> list[str]:
        """The paths of all that the earlier build wrote under this key."""
        return self.ledger.under(key)

    def is_as_left(self, site: Path, written: WrittenFiles) -> bool:
        """Return whether the folder is as the earlier build has left it that has `written` these files."""
        tree = open_tree(self.folder, site)
        try:
            if tree.lock(wait=False) is False:
                return False
            record, own = Record(self.folder, tree.inode), written.old.keys()
            is_whole = not record.fault and not record.is_open and record.files == own
            if not is_whole or manifest.read(tree, self.folder) != own:
                return False
            unsure = own - tree.as_left(written)
            return all(written.is_left(path, tree.look(path), tree.bytes_of) for path in unsure)
        except (OSError, Blocked):
            return False
        finally:
            tree.close()

    def read(self, path: str, key: bytes) -> bytes:
        """Return what this build has left at a path with this key; empty where it is another by now."""
        entry = self.ledger.now(path)
        if entry is None or entry.key != key:
            return b""
        try:
            data = (self.folder / path).read_bytes()
        except OSError:
            return b""
        return data if content_digest(data) == entry.left.content else b""

    def finish(self) -> None:
        """Remove what only an earlier build wrote, and folders that are empty by it; find what is `left`."""
        self._remove(self._old - self._new)
        strange = self._listed - self._old - self._new
        self.left = tuple(path for path in sorted(strange) if self._stands(path))
        assert self._record  # noqa: S101 - it has begun
        files = sorted(self._new)  # in the order of both lists, to which it is quick then
        self._record.finish(files)
        self._writer.write(MANIFEST, manifest.encode([*files, *self.left]))
        self.close()

    def close(self) -> None:
        """Let another build have the folder, whether this one was finished or not."""
        self._let_go()
        self._is_held, self._is_locked = False, None

    def _stands(self, path: str) -> bool:
        try:
            found = self._tree.look(path)
            return found is not None and not stat.S_ISDIR(found.st_mode)
        except (OSError, Blocked):
            return False  # something else stands in the way to it, so it is not there

    def _left_over(self) -> set[str]:
        """List the files of a build that was ended before it could record them.

        Among it may be parts of pages that this build hides.
        """
        with refusing(self.folder):
            found = (f"{folder}/{name}" for folder in _NAMED for name in self._tree.names(folder))
            strange = (path for path in found if path not in self._listed and _HASHED.search(path))
            return {path for path in strange if self._is_locked or self._is_old(path)}

    def _is_old(self, path: str) -> bool:
        found = self._tree.look(path)
        return found is not None and found.st_mtime < time.time() - LEFT_OVER

    def _make_way(self, planned: frozenset[str]) -> None:
        """Remove files of an earlier build where a folder must be now, and the other way round."""
        gone = self._old & _folders(planned)
        if files := _folders(self._old) & planned:
            gone |= {path for path in self._old if not files.isdisjoint(_folders((path,)))}
        if gone:
            self._remove(gone)
            self._old -= gone
            self._listed -= gone

    def _check(self, planned: frozenset[str], new: frozenset[str], writer: Writer) -> None:
        """Find out what is in the way, before anything is written; `new` are places of no earlier build."""
        there = {folder for folder in sorted(_parents(planned)) if self._is_there(folder)}
        for path in sorted(new):
            if path.rpartition("/")[0] in there:
                writer.refuse_foreign(path)

    def _is_there(self, folder: str) -> bool:
        with refusing(self.folder, folder):
            return self._tree.check(folder)

    def _remove(self, paths: Iterable[str]) -> None:
        for path in sorted(paths, reverse=True):
            with refusing(self.folder, path):
                self._tree.remove(path)


def _folders(paths: Iterable[str]) -> set[str]:
    """All folders above files."""
    found: set[str] = set()
    new = _parents(paths) - {""}
    while new:
        found |= new
        new = _parents(new) - found - {""}
    return found


def _parents(paths: Iterable[str]) -> set[str]:
    return {path.rpartition("/")[0] for path in paths}
