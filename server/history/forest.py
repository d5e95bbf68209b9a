"""The site's folders as git has them, changed file by file; only what changes is read and written."""

from __future__ import annotations

import os

from dulwich.objects import ObjectID, Tree
from msgspec import Struct, field

from server.history.objects import Repository

_FILE, _FOLDER = 0o100644, 0o040000


class _Folder(Struct):
    """`entries` are modes and ids by name; a folder that was entered is in `inner`, too, and counts there."""

    entries: dict[bytes, tuple[int, ObjectID]] = field(default_factory=dict)
    inner: dict[bytes, _Folder] = field(default_factory=dict)
    is_changed: bool = False


class Forest:
    """All files by name, relative to the site, with the ids of their contents."""

    def __init__(self, repository: Repository, tree: ObjectID | None) -> None:
        self._repository = repository
        self._top = self._read(tree) if tree else _Folder(is_changed=True)

    def get(self, file: str) -> str | None:
        """The id of a file's content, None where there is no file."""
        *parts, name = map(os.fsencode, file.split("/"))
        folder = self._top
        for part in parts:
            found = self._enter(folder, part)
            if found is None:
                return None
            folder = found
        mode, blob = folder.entries.get(name, (_FOLDER, ObjectID(b"")))
        return None if mode == _FOLDER else blob.decode()

    def put(self, file: str, blob: str | None) -> None:
        """Give a file another content, or take it away. What else stands at a folder's name goes."""
        *parts, name = map(os.fsencode, file.split("/"))
        folder = self._top
        for part in parts:
            folder.is_changed = True
            found = self._enter(folder, part)
            if found is None:
                found = folder.inner[part] = _Folder(is_changed=True)
                folder.entries[part] = (_FOLDER, ObjectID(b""))
            folder = found
        folder.is_changed = True
        folder.inner.pop(name, None)
        if blob is None:
            folder.entries.pop(name, None)
        else:
            folder.entries[name] = (_FILE, ObjectID(blob.encode()))

    def files(self) -> dict[str, str]:
        """All files with the ids of their contents."""
        found: dict[str, str] = {}
        self._gather(self._top, "", found)
        return found

    def write(self) -> ObjectID:
        """Add what has changed to the repository; gives the id of the whole."""
        return self._write(self._top)

    def _write(self, folder: _Folder) -> ObjectID:
        tree = Tree()
        for name, inner in list(folder.inner.items()):
            if inner.is_changed:
                folder.entries[name] = (_FOLDER, self._write(inner))
                if not inner.entries:
                    del folder.entries[name], folder.inner[name]
        for name, (mode, known) in folder.entries.items():
            tree.add(name, mode, known)
        folder.is_changed = False
        return self._repository.add(tree)

    def _enter(self, folder: _Folder, name: bytes) -> _Folder | None:
        if name in folder.inner:
            return folder.inner[name]
        mode, known = folder.entries.get(name, (_FILE, ObjectID(b"")))
        if mode != _FOLDER:
            return None
        folder.inner[name] = self._read(known)
        return folder.inner[name]

    def _read(self, name: ObjectID) -> _Folder:
        return _Folder({item.path: (item.mode, item.sha) for item in self._repository.tree(name).items()})

    def _gather(self, folder: _Folder, place: str, found: dict[str, str]) -> None:
        for name, (mode, known) in sorted(folder.entries.items()):
            path = place + os.fsdecode(name)
            inner = self._enter(folder, name) if mode == _FOLDER else None
            if inner is not None:
                self._gather(inner, f"{path}/", found)
            elif mode == _FILE:
                found[path] = known.decode()
