"""Mend a damaged repository: what can still be read goes on in a new one, and the damaged one is set aside.

Nothing is deleted. The new repository is made whole under another name before the two change places. In the
same way the history is begun anew from a later revision, when an owner wants no older ones any more.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.pack import pack_object_header

from builder.errors import StorageError
from builder.store.atomic_rename import Unsupported, exchange
from builder.store.names import is_text
from server.history import objects
from server.history.commits import record_of, revision_of
from server.history.damage import DamagedHistory, LostBytes
from server.history.objects import GIT, Repository
from server.history.removal import remove
from server.history.revision import Revision
from server.process.disk import sync_folder

_KINDS = (Commit, Tree, Blob)
_BEGIN = b"\x78\x9c"
_CHUNK = 1 << 16


def objects_in(pack: Path) -> Iterator[ShaFile]:
    """The objects of a pack that are whole. Raises OSError."""
    data = memoryview(whole := pack.read_bytes())
    place = whole.find(_BEGIN)
    while place >= 0:
        found = _unpacked(data, place)
        kind = None if found is None else _kind(whole, place, len(found[0]))
        if found is None or kind is None:
            place += 1
        else:
            yield kind.from_string(found[0])
            place = found[1]
        place = whole.find(_BEGIN, place)


def _unpacked(data: memoryview, place: int) -> tuple[bytes, int] | None:
    """Unpack the data at a place; return it and its end, or None when it is broken."""
    unpack, parts = zlib.decompressobj(), list[bytes]()
    try:
        while not unpack.eof and place < len(data):
            parts.append(unpack.decompress(data[place : place + _CHUNK]))
            place += _CHUNK
    except zlib.error:
        return None
    return (b"".join(parts), min(place, len(data)) - len(unpack.unused_data)) if unpack.eof else None


def _kind(data: bytes, place: int, size: int) -> type[Commit | Tree | Blob] | None:
    """Return the kind of object of that size that the head before a place announces."""
    for kind in _KINDS:
        head = bytes(pack_object_header(kind.type_num, None, size, DEFAULT_OBJECT_FORMAT))
        if data[max(place - len(head), 0) : place] == head:
            return kind
    return None


APART, MENDED, FORGOTTEN = "damaged-", "git.mended", "forgotten-"
_Commits = Mapping[ObjectID, Commit]


def is_sound(folder: Path) -> bool:
    """Return whether all of the repository can be read, but for bytes of files that were lost before."""
    try:
        with objects.opened(folder) as repository:
            repository.check()
            trees = _Trees(repository)
            return all(trees.are_whole(repository.tree_of(each.id)) for each in repository.revisions())
    except DamagedHistory:
        return False


def mend(folder: Path, aside: str) -> str:
    """Mend the repository in the history's folder, and say so; for whoever holds the history's lock.

    `aside` is the ID of the pending changes that are being folded: they are still there, so what was made
    from them is left out. Raises OSError, or StorageError when there is not enough room.
    """
    _check_room(folder)
    try:
        known = _rebuilt(objects.make(folder), folder / GIT, aside)
    except BaseException:
        remove(folder / objects.NEW)
        raise
    _take_versions(folder / GIT / "objects", folder / objects.NEW / "objects")
    (folder / objects.NEW).rename(folder / MENDED)
    name = f"{APART}{secrets.token_hex(4)}"
    (folder / GIT).rename(folder / name)
    settle(folder)
    kept = (
        f"{known} of its changes could be read and go on"
        if known
        else "nothing of it can be read, and it starts again"
    )
    return f"{kept}; the damaged history is kept in {folder / name}"


def begin_later(folder: Path, since: float) -> int:
    """Keep the revisions since a time, and the last one in any case; gives the number of those that went.

    For whoever holds the history's lock. Raises OSError, or StorageError when there is not enough room, which
    is as much as is kept.
    """
    with objects.opened(folder) as old:
        every = list(old.revisions())
        kept = list(takewhile(lambda each: each.time >= since, every)) or every[:1]
        if len(kept) == len(every):
            return 0
        try:
            _copy_revisions(old, kept, objects.make(folder))
        except BaseException:
            remove(folder / objects.NEW)
            raise
    _take_versions(folder / GIT / "objects", folder / objects.NEW / "objects")
    _exchange(folder, f"{FORGOTTEN}{secrets.token_hex(4)}")
    return len(every) - len(kept)


def _exchange(folder: Path, name: str) -> None:
    """Have the new repository take the place of the other, which is removed, at one moment if that can be."""
    (folder / objects.NEW).rename(folder / name)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        exchange(place, name, GIT)
    except Unsupported:
        (folder / name).rename(folder / MENDED)
        (folder / GIT).rename(folder / name)
    finally:
        os.close(place)
    sync_folder(folder)
    settle(folder)


def _copy_revisions(old: Repository, kept: list[Revision], draft: Path) -> None:
    with objects.within(draft) as new:
        seen: set[ObjectID] = set()
        for each in kept:
            commit = old.commit(each.id)
            _copy_folder(old, new, commit.tree, seen)
            for file in each.files:
                if file.old is not None and is_text(file.file):
                    _copy_blob(old, new, ObjectID(file.old.encode()), seen)
            new.add(commit)
        new.flush()
        new.join({ObjectID(kept[-1].id.encode()): []})
        new.advance(kept[0].id)


def _copy_folder(old: Repository, new: Repository, top: ObjectID, seen: set[ObjectID]) -> None:
    waiting = [("", top)]
    while waiting:
        place, name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        tree = old.tree(name)
        new.add(tree)
        for item in tree.iteritems():
            file = place + os.fsdecode(item.path)
            if stat.S_ISDIR(item.mode):
                waiting.append((f"{file}/", item.sha))
            elif is_text(file):
                _copy_blob(old, new, item.sha, seen)


def _copy_blob(old: Repository, new: Repository, name: ObjectID, seen: set[ObjectID]) -> None:
    if name not in seen:
        seen.add(name)
        with suppress(LostBytes):  # damage took it before
            new.add(Blob.from_string(old.blob(name.decode())))


def _take_versions(old: Path, new: Path) -> None:
    """Have former bytes of files in the new repository, too; whoever reads one sees whether it is whole."""
    for path in old.glob("??/*"):
        target = new / path.parent.name / path.name
        target.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            target.hardlink_to(path)
        except OSError:  # a file system without links
            shutil.copy2(path, target)


def settle(folder: Path) -> None:
    """Finish what a process began that was killed while it mended."""
    if (folder / MENDED).exists() and not (folder / GIT).exists():
        (folder / MENDED).rename(folder / GIT)
    for left in folder.glob(f"{FORGOTTEN}*"):
        remove(left)


def line(commits: _Commits) -> list[ObjectID]:
    """The revisions from the last one on. Where some are lost, those before them follow.

    Ends that are joined to others are left out: killed processes have left them.
    """
    parents = {parent for commit in commits.values() for parent in commit.parents}
    ends = sorted(commits.keys() - parents, key=lambda name: _time(commits[name]), reverse=True)
    found: dict[ObjectID, None] = {}
    seen: set[ObjectID] = set()
    for end in ends:
        name: ObjectID | None = end
        part: list[ObjectID] = []
        while name is not None and name in commits and name not in seen:
            part.append(name)
            name = next(iter(commits[name].parents), None)
        seen.update(part)
        if name not in seen:
            found.update(dict.fromkeys(part))
    return list(found)


def _rebuilt(draft: Path, old: Path, aside: str) -> int:
    """Fill the new repository with what is readable in the old one; gives the number of revisions."""
    commits: dict[ObjectID, Commit] = {}
    with objects.within(draft) as repository:
        for pack in sorted(old.glob("objects/pack/*.pack")):
            for thing in objects_in(pack):
                repository.add(thing)
                if isinstance(thing, Commit) and _is_revision(thing):
                    commits[thing.id] = thing
        repository.flush()
        trees = _Trees(repository)
        found = [name for name in line(commits) if trees.are_whole(commits[name].tree)]
        while found and aside and record_of(commits[found[0]]).get("journal") == aside:
            del found[0]
        if found:
            repository.join(_joints(commits, found))
            repository.advance(found[0].decode())
    return len(found)


def _joints(commits: _Commits, found: list[ObjectID]) -> dict[ObjectID, list[ObjectID]]:
    """Return the revisions that follow others than before."""
    older = [*([name] for name in found[1:]), []]
    pairs = dict(zip(found, older, strict=True))
    return {name: parents for name, parents in pairs.items() if commits[name].parents != parents}


def _is_revision(commit: ShaFile) -> bool:
    try:
        revision_of("", commit)  # type: ignore[arg-type]
    except (LookupError, TypeError, ValueError):
        return False
    return True


class _Trees:
    """The folders that can be read with all in them; each is read once, as most revisions share most."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: dict[ObjectID, bool] = {}

    def are_whole(self, tree: ObjectID) -> bool:
        if tree not in self._known:
            self._known[tree] = False
            with suppress(DamagedHistory):
                items = self._repository.tree(tree).iteritems()
                inner = [sha for _, mode, sha in items if stat.S_ISDIR(mode)]
                self._known[tree] = all(map(self.are_whole, inner))
        return self._known[tree]


def _time(commit: Commit) -> float:
    return float(str(record_of(commit)["time"]))


def _check_room(folder: Path) -> None:
    """A disk that is filled up by this could not take the pages either."""
    git = folder / GIT
    need = 2 * _size(git)
    if shutil.disk_usage(folder).free < need:
        raise StorageError(
            f"the history is damaged, and repairing it needs {need >> 20} MiB of room on the disk",
            path=str(git),
            hint="make room and try again",
        )


def _size(folder: Path) -> int:
    """The bytes of all files in a folder, however deep; none where it is a file itself."""
    waiting, size = [folder] if folder.is_dir() else [], 0
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    size += entry.stat(follow_symlinks=False).st_size
    return size
