"""The repository of the history, `.twinpress/state/history/git`: bare, private, and written by nobody else.

All revisions are one line of commits on one branch. The record of a change is JSON in the last line of its
commit's message.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from dulwich.errors import NotGitRepository
from dulwich.file import FileLocked
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from builder.errors import StorageError
from builder.store import Note
from server.history.entries import Blobs, Revision

BRANCH = Ref(b"refs/heads/main")
_Object = TypeVar("_Object", Blob, Tree, Commit)
_AT_ONCE = 8 * 1024 * 1024
"""Bytes of objects that are gathered in memory before they are written."""
_PACKS = 40
_SMALL = 4 * 1024 * 1024
_DAMAGED = (KeyError, ValueError, AssertionError, NotGitRepository, zlib.error, FileLocked, EOFError)


class Repository:
    """The open repository; see `opened`."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._waiting: dict[ObjectID, ShaFile] = {}
        self._bytes = 0

    @property
    def head(self) -> str | None:
        """The id of the last revision."""
        return self._repo.refs[BRANCH].decode() if BRANCH in self._repo.refs else None

    def add(self, thing: ShaFile) -> ObjectID:
        """Take in an object; `flush` writes it."""
        if thing.id in self._waiting:
            return thing.id
        self._waiting[thing.id] = thing
        self._bytes += thing.raw_length()
        if self._bytes > _AT_ONCE:
            self.flush()
        return thing.id

    def flush(self) -> None:
        """Write what was added, durably."""
        if self._waiting:
            self._repo.object_store.add_objects([(thing, None) for thing in self._waiting.values()])
            self._waiting, self._bytes = {}, 0

    def advance(self, revision: str) -> None:
        """Make this the last revision: durable, and from here on seen by everybody."""
        self.flush()
        _sync(Path(self._repo.path) / "objects/pack")
        self._repo.refs.set_if_equals(BRANCH, None, ObjectID(revision.encode()))
        _sync(Path(self._repo.path) / "refs/heads")

    def blob(self, name: str) -> bytes:
        """The bytes of a file's content."""
        data: bytes = self._get(Blob, ObjectID(name.encode())).data
        return data

    def tree(self, name: ObjectID) -> Tree:
        """A folder."""
        return self._get(Tree, name)

    def tree_of(self, revision: str) -> ObjectID:
        """The id of the site's folder as it was after a revision."""
        tree: ObjectID = self._commit(revision).tree
        return tree

    def journal_of(self, revision: str) -> str:
        """Which file of pending changes a revision came from."""
        return str(_record(self._commit(revision)).get("journal", ""))

    def revisions(self) -> Iterator[Revision]:
        """All revisions, the last one first."""
        name = self.head
        while name is not None:
            commit = self._commit(name)
            yield _revision(name, commit)
            name = commit.parents[0].decode() if commit.parents else None

    def tidy(self) -> None:
        """Put small packs together when there are many, so that reading stays quick."""
        packs = [pack for pack in self._repo.object_store.packs if len(pack.data) >= 0]
        small = [pack for pack in packs if _size(Path(pack.data.path)) < _SMALL]
        if len(small) < _PACKS:
            return
        objects = {thing.id: thing for pack in small for thing in pack.iterobjects()}
        made = self._repo.object_store.add_objects([(thing, None) for thing in objects.values()])
        _sync(Path(self._repo.path) / "objects/pack")
        for pack in small:
            if made is None or pack.name() != made.name():
                path = Path(pack.data.path)
                pack.close()
                path.with_suffix(".idx").unlink()
                path.unlink()

    def _commit(self, name: str) -> Commit:
        return self._get(Commit, ObjectID(name.encode()))

    def _get(self, kind: type[_Object], name: ObjectID) -> _Object:
        """What was added, or is in the repository. Raises KeyError, or ValueError for another kind."""
        found = self._waiting.get(name) or self._repo.object_store[name]
        if not isinstance(found, kind):
            raise ValueError(name)  # noqa: TRY004 - the repository is damaged
        return found


@contextmanager
def opened(folder: Path) -> Iterator[Repository]:
    """The repository in the history's folder; made if it is not there.

    Raises StorageError when it cannot be read, OSError when the system refuses.
    """
    git = folder / "git"
    try:
        if git.is_symlink() or folder.is_symlink():
            raise StorageError("the history is behind a symbolic link", path=str(git), hint="remove the link")
        if not (git / "HEAD").exists():
            _make(git)
        with Repo(str(git)) as repo:
            repo.object_store.fsync_object_files = True
            try:
                yield Repository(repo)
            finally:
                repo.object_store.close()
    except _DAMAGED as error:
        raise StorageError(
            f"the history cannot be read: {type(error).__name__}: {error}",
            path=str(git),
            hint="move this folder out of the site; a new history begins with the next change",
        ) from error


def sweep(folder: Path) -> None:
    """Remove what a killed process has left; for whoever holds the history's own lock."""
    git = folder / "git"
    for left in (*git.glob("*.lock"), *git.glob("refs/heads/*.lock"), *git.glob("objects/pack/*.lock")):
        left.unlink()
    for left in git.glob("objects/pack/tmp*.pack"):
        left.unlink()


def commit_of(revision: Revision, tree: ObjectID, parent: str | None, journal: str) -> Commit:
    """A revision as a commit; its own id is not looked at."""
    note = revision.note
    record = {
        "time": revision.time,
        "note": [note.key, note.label, note.act, note.about],
        "files": [[each.file, each.old, each.new] for each in revision.files],
        "made": revision.made,
        "gone": revision.gone,
        "outside": revision.outside,
        "journal": journal,
    }
    commit = Commit()
    commit.tree = tree
    commit.parents = [ObjectID(parent.encode())] if parent else []
    commit.author = commit.committer = _author(note)
    commit.author_time = commit.commit_time = int(revision.time)
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = f"{_subject(revision)}\n\n{json.dumps(record)}\n".encode("utf-8", "surrogateescape")
    return commit


def _subject(revision: Revision) -> str:
    if revision.note.act:
        return f"{revision.note.act} {revision.note.about}".strip()
    names = [each.file for each in revision.files[:3]]
    return ("changed outside: " if revision.outside else "change ") + (", ".join(names) or "folders")


def _author(note: Note) -> bytes:
    """As git wants it: no angle brackets and no line ends."""
    said = "".join(letter for letter in f"{note.label} {note.key}" if letter.isprintable())
    name = said.replace("<", "").replace(">", "").strip() or "Twinpress"
    return f"{name} <>".encode()


def _record(commit: Commit) -> dict[str, object]:
    found = json.loads(commit.message.rstrip(b"\n").rpartition(b"\n")[2])
    if not isinstance(found, dict):
        raise ValueError("a commit without record")  # noqa: TRY004 - the repository is damaged
    return found


def _revision(name: str, commit: Commit) -> Revision:
    record: dict[str, list[str]] = _record(commit)  # type: ignore[assignment]  # a wrong shape raises here
    return Revision(
        id=name,
        time=float(record["time"]),  # type: ignore[arg-type]
        note=Note(*record["note"]),
        files=tuple(Blobs(*each) for each in record["files"]),
        made=tuple(record["made"]),
        gone=tuple(record["gone"]),
        outside=bool(record["outside"]),
    )


def _make(git: Path) -> None:
    """Made under another name, so that a killed process leaves no half of it."""
    draft = git.with_name("git.new")
    _remove(draft)
    draft.mkdir(parents=True, mode=0o700)
    Repo.init_bare(draft, default_branch=b"main").close()
    draft.rename(git)
    _sync(git.parent)


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    with suppress(FileNotFoundError):
        folder.rmdir()


def _size(path: Path) -> int:
    return path.stat().st_size


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
