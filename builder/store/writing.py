"""Changes of one page or one category: what is to be checked, and which files it comes down to.

All of it is done with the lock held, on what is on disk at that moment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from builder import categories, paths
from builder.categories import CategoryFault, CategoryRecord
from builder.errors import PageNotFound, PathConflict, RevisionMismatch
from builder.store import change, folders, names, walk
from builder.store.change import Change, Check
from builder.store.keeper import Turn
from builder.store.names import Found
from builder.store.reading import Raw, is_as_read, not_found, read_raw, read_twin
from builder.store.records import Draft, Written


@dataclass(slots=True)
class Condition:
    """The page at `path` has the revision `if_match` (`*`: any), or, with `create_only`, is not there yet."""

    root: int
    path: str
    if_match: str | None
    create_only: bool = False
    _raw: Raw | None = None

    def check(self) -> None:
        """Raise RevisionMismatch unless it holds. Called again, it reads only what may have changed since."""
        if self.if_match is None and not self.create_only:
            return
        if self._raw is not None and is_as_read(self.root, self._raw):
            return
        try:
            self._raw = read_raw(self.root, self.path)
        except PageNotFound:
            self._raw = None
        now = self._raw.revision if self._raw else None
        if self.create_only and now is not None:
            raise RevisionMismatch("the page exists already", path=self.path)
        if self.if_match is not None and (now is None or self.if_match not in {"*", now}):
            raise RevisionMismatch("the page is not as it was read", path=self.path, hint="read it again")


def write_page(turn: Turn, draft: Draft, check: Check) -> Written:
    """Create or replace a page; what it had in another format, or as a twin, goes."""
    root = turn.root
    *parts, stem = draft.path.split("/")
    way = folders.make(root, parts)
    try:
        with walk.folder(root, way.parts) as folder:
            found = names.find(folder, stem)
            _check_free(folder, draft.path, stem, found)
            twin_stays = draft.twin is not None and draft.twin == read_twin(folder, found.twin)[0]
        file = way.file(found.pages.get(draft.format, stem + names.SUFFIXES[draft.format]))
        puts = {file: draft.page}
        removes = [way.file(name) for other, name in found.pages.items() if other != draft.format]
        if draft.twin is not None and not twin_stays:
            puts[way.file(found.twin or stem + paths.TWIN_SUFFIX)] = draft.twin
        elif draft.twin is None and found.twin:
            removes.append(way.file(found.twin))
        change.commit(turn, Change(puts, removes, way.made), check)
    except BaseException:
        folders.remove_empty(root, way.parts, way.existing)
        raise
    return Written(draft.revision, not found.pages, file)


def delete_page(turn: Turn, path: str, check: Check) -> None:
    """Remove a page in all its formats, its twin, and the folders that are empty then."""
    root = turn.root
    *parts, stem = path.split("/")
    try:
        with walk.folder(root, parts) as folder:
            found = names.find(folder, stem)
    except (FileNotFoundError, walk.Blocked):
        raise not_found(path) from None
    if not found.pages:
        raise not_found(path)
    way = folders.spelled(root, parts)
    removes = [way.file(name) for name in found.all]
    change.commit(turn, Change({}, removes, may_go=way.emptied), check)
    folders.remove_empty(root, parts)


def set_category(turn: Turn, path: str, changes: Mapping[str, object]) -> CategoryRecord:
    """Change the category file of a folder, which is made if it is not there."""
    root = turn.root
    parts = path.split("/")
    name, old = _category_file(root, path)
    file = f"{path}/{name}"
    try:
        new = categories.change(old or "", file, changes)
    except CategoryFault as fault:
        raise _unreadable(path, f"`{file}` {fault}") from None
    if new:
        way = folders.make(root, parts)
        try:
            change.commit(turn, Change({way.file(name): new.encode()}, (), way.made))
        except BaseException:
            folders.remove_empty(root, way.parts, way.existing)
            raise
    elif old is not None:
        way = folders.spelled(root, parts)
        change.commit(turn, Change({}, [way.file(name)], may_go=way.emptied))
        folders.remove_empty(root, parts)
    return categories.read(new, file, path)[0]


def _category_file(root: int, path: str) -> tuple[str, str | None]:
    """The name of the folder's category file and its text, None when it has none yet."""
    try:
        with walk.folder(root, path.split("/")) as folder:
            for name in categories.FILES:
                if walk.look(folder, name) is not None:
                    return name, walk.read_file(folder, name, categories.MAX_TEXT)[0].decode()
    except FileNotFoundError:
        return categories.FILES[0], None
    except (walk.TooLarge, UnicodeDecodeError):
        raise _unreadable(path, "the category file is too large, or not valid UTF-8") from None
    return categories.FILES[0], None


def _check_free(folder: int, path: str, stem: str, found: Found) -> None:
    """Nothing else may stand where the page or its twin will be, and no page may differ only in case."""
    for name in found.blocked:
        kind = walk.kind_of(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        raise PathConflict(f"`{name}` is {kind}, not a file", path=path, hint="remove or rename it")
    other = None if found.pages else names.other_spelling(folder, stem)
    if other is not None:
        raise PathConflict(
            f"the file `{other}` differs from it only in case", path=path, hint="choose another name"
        )


def _unreadable(path: str, message: str) -> PathConflict:
    return PathConflict(
        f"the category cannot be changed: {message}", path=path, hint="correct or delete the file"
    )
