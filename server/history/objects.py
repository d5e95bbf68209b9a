"""The repository of the history, `.twinpress/state/history/git`: bare, private, and written by nobody else.

All revisions are one line of commits on one branch. The record of a change is JSON in the last line of its
commit's message.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo, serialize_graftpoints

from builder.errors import StorageError
from server.history.commits import record_of, revision_of
from server.history.damage import DamagedHistory, LostBytes, telling
from server.history.file_versions import KEPT_BYTES, TRASH, FileVersions
from server.history.removal import remove
from server.history.revision import Revision
from server.process.disk import sync_folder

GIT, NEW = "git", "git.new"
PRIVATE = "0600"
"""For this user's eyes only: what git writes there has this mode."""
UNBORN = "unborn"
"""A file in a repository that never had a revision; without it, one that has none has lost them."""
BRANCH = Ref(b"refs/heads/main")
_ELSEWHERE = (".git", "commondir", "objects/info/alternates")
"""By these, a repository says that parts of it are in another one. Ours has none."""
_INCLUDE = re.compile(rb"\[\s*include", re.IGNORECASE)
"""Has git read another file with the configuration, which may be one without an end."""
_Object = TypeVar("_Object", Blob, Tree, Commit)
_AT_ONCE = 8 * 1024 * 1024
"""Bytes of objects that are gathered in memory before they are written."""
_PACKS = 40
_SMALL = 4 * 1024 * 1024


class Repository:
    """The open repository; see `opened`. What it cannot read, or misses, is raised as Damaged."""

    def __init__(self, repo: Repo, git: Path) -> None:
        self._repo = repo
        self._git = git
        self.versions = FileVersions(git / "objects", KEPT_BYTES)
        self._waiting: dict[ObjectID, ShaFile] = {}
        self._bytes = 0
        self._unled: list[Path] = []

    @property
    def head(self) -> str | None:
        """The id of the last revision."""
        with telling(self._git):
            return self._repo.refs[BRANCH].decode() if BRANCH in self._repo.refs else None

    def add(self, thing: ShaFile) -> ObjectID:
        """Take in an object, unless it is there; `flush` writes it."""
        if thing.id in self._waiting or self._is_packed(thing.id):
            return thing.id
        self._waiting[thing.id] = thing
        self._bytes += thing.raw_length()
        if self._bytes > _AT_ONCE:
            self.flush()
        return thing.id

    def _is_packed(self, name: ObjectID) -> bool:
        with telling(self._git):
            return self._repo.object_store.contains_packed(name)

    def flush(self) -> None:
        """Write what was added, durably."""
        self.versions.flush()
        if self._waiting:
            there = set(self._packs())
            try:
                with telling(self._git):
                    self._repo.object_store.add_objects([(thing, None) for thing in self._waiting.values()])
            finally:
                self._unled += set(self._packs()) - there
            self._waiting, self._bytes = {}, 0

    def advance(self, revision: str) -> None:
        """Make this the last revision: durable, and from here on seen by everybody."""
        self.flush()
        with telling(self._git):
            sync_folder(self._git / "objects/pack")
            self._repo.refs.set_if_equals(BRANCH, None, ObjectID(revision.encode()))
            sync_folder(self._git / "refs/heads")
            (self._git / UNBORN).unlink(missing_ok=True)
        self._unled = []

    def withdraw(self) -> None:
        """Remove what was added since the last revision: no other is to lead to it, and it takes room."""
        self._waiting, self._bytes = {}, 0
        while self._unled:
            pack = self._unled.pop()
            pack.with_suffix(".idx").unlink(missing_ok=True)
            pack.unlink(missing_ok=True)

    def _packs(self) -> Iterator[Path]:
        return self._git.glob("objects/pack/pack-*.pack")

    def join(self, parents: dict[ObjectID, list[ObjectID]]) -> None:
        """Have some revisions follow others than those that they name, which are lost; durable."""
        if not parents:
            return
        info = self._git / "info"
        info.mkdir(exist_ok=True)
        (info / "grafts").write_bytes(serialize_graftpoints(parents) + b"\n")
        sync_folder(info)

    def blob(self, name: str) -> bytes:
        """The bytes of a file's content. Raises Lost when they are not kept any more."""
        kept = self.versions.read(name)
        if kept is not None:
            return kept
        data: bytes = self._get(Blob, ObjectID(name.encode())).data
        return data

    def tree(self, name: ObjectID) -> Tree:
        """A folder."""
        return self._get(Tree, name)

    def tree_of(self, revision: str) -> ObjectID:
        """The id of the site's folder as it was after a revision."""
        tree: ObjectID = self.commit(revision).tree
        return tree

    def pending_file_of(self, revision: str) -> str:
        """Return the file of pending changes that a revision came from."""
        commit = self.commit(revision)
        with telling(self._git):
            return str(record_of(commit).get("journal", ""))

    def covers_files(self, revision: str) -> bool:
        """Return whether the files of a revision are the whole site, and not only its pages."""
        commit = self.commit(revision)
        with telling(self._git):
            return bool(record_of(commit).get("covers_files", False))

    def revisions(self) -> Iterator[Revision]:
        """All revisions, the last one first."""
        name = self.head
        while name is not None:
            commit = self.commit(name)
            with telling(self._git):
                revision = revision_of(name, commit)
                parents = self._repo.get_parents(ObjectID(name.encode()), commit)
            yield revision
            name = parents[0].decode() if parents else None

    def commit(self, name: str) -> Commit:
        """A revision as git has it."""
        return self._get(Commit, ObjectID(name.encode()))

    def check(self) -> None:
        """Read everything that can be read; Damaged is raised at what cannot."""
        with telling(self._git):
            for pack in self._repo.object_store.packs:
                pack.index.check()
                pack.check_length_and_checksum()
                pack.data.check()

    def tidy(self) -> None:
        """Put small packs together when there are many, so that reading stays quick."""
        with telling(self._git):
            small = [p for p in self._repo.object_store.packs if _size(Path(p.data.path)) < _SMALL]
            if len(small) < _PACKS:
                return
            objects = {thing.id: thing for pack in small for thing in pack.iterobjects()}
            made = self._repo.object_store.add_objects([(thing, None) for thing in objects.values()])
            sync_folder(self._git / "objects/pack")
            for pack in small:
                if made is None or pack.name() != made.name():
                    path = Path(pack.data.path)
                    pack.close()
                    path.with_suffix(".idx").unlink()
                    path.unlink()

    def is_lost(self) -> bool:
        """Return whether there were revisions, and the branch that leads to them is gone."""
        if self.head is not None or (self._git / UNBORN).exists():
            return False
        return any(self._git.glob("objects/pack/*.pack"))

    def _get(self, kind: type[_Object], name: ObjectID) -> _Object:
        """Return an object that was added, or is in the repository."""
        with telling(self._git):
            try:
                found = self._waiting.get(name) or self._repo.object_store[name]
            except KeyError:
                if kind is Blob:
                    raise LostBytes from None
                raise
            if not isinstance(found, kind):
                raise ValueError(name)  # noqa: TRY004 - the repository is damaged
            return found


@contextmanager
def opened(folder: Path) -> Iterator[Repository]:
    """The repository in the history's folder; made if it is not there.

    Raises Damaged when it cannot be read, StorageError behind a link, OSError when the system refuses.
    """
    git = folder / GIT
    if git.is_symlink() or folder.is_symlink():
        raise StorageError("the history is behind a symbolic link", path=str(git), hint="remove the link")
    if not git.exists():
        make(folder).rename(git)
        sync_folder(folder)
    with within(git) as repository:
        if repository.is_lost():
            raise DamagedHistory("its branch is lost", git)
        yield repository


@contextmanager
def within(git: Path) -> Iterator[Repository]:
    """The repository in the folder `git`, whatever its name is. Raises Damaged or OSError."""
    with telling(git):
        _check_own(git)
        repo = Repo(str(git))
        repo.object_store.fsync_object_files = True
    try:
        yield Repository(repo, git)
    finally:
        with suppress(BufferError):  # an error that is on its way may still hold on to a file
            repo.close()


def _check_own(git: Path) -> None:
    """Raises Damaged where git would be led elsewhere, which a site from somebody may try."""
    leads = next((name for name in _ELSEWHERE if os.path.lexists(git / name)), None)
    if leads is None and _INCLUDE.search((git / "config").read_bytes()):
        leads = "config"
    if leads is not None:
        raise DamagedHistory(f"`{leads}` leads to another place", git)


def make(folder: Path) -> Path:
    """An empty repository, under another name, so that a killed process leaves no half of it."""
    draft = folder / NEW
    remove(draft)
    draft.mkdir(parents=True, mode=0o700)
    Repo.init_bare(draft, default_branch=b"main", shared_repository=PRIVATE).close()
    (draft / UNBORN).touch()
    for path in draft.iterdir():
        if path.is_file():
            path.chmod(0o600)
    return draft


def sweep(folder: Path) -> None:
    """Remove what a killed process has left; for whoever holds the history's own lock."""
    git = folder / GIT
    for left in (*git.glob("*.lock"), *git.glob("refs/heads/*.lock"), *git.glob("objects/pack/*.lock")):
        left.unlink()
    for left in git.glob("objects/pack/tmp*.pack"):
        left.unlink()
    for versions in (git / "objects", folder / TRASH):
        FileVersions(versions, 0).sweep()


def _size(path: Path) -> int:
    return path.stat().st_size
