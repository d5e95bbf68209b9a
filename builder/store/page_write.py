"""Changes of one page or one category: what is to be checked, and which files it comes down to.

All of it is done with the lock held, on what is on disk at that moment.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.category import record
from builder.category.record import CategoryRecord
from builder.errors import PageNotFound, PathConflict, RevisionMismatch
from builder.store import folders, names, transaction, walk
from builder.store.keeper import Turn
from builder.store.page_reader import RawPage, is_as_read, not_found, read_raw
from builder.store.records import Draft, Written
from builder.store.transaction import Change
from builder.store.write_plan import plan


class ExpectedRevision(Struct):
    """The page at `path` has the revision `if_match` (`*`: any), or, with `create_only`, is not there yet."""

    root: int
    path: str
    if_match: str | None
    create_only: bool = False
    _raw: RawPage | None = None

    @property
    def is_any(self) -> bool:
        """True if the page may have any, or not be there: who wants that insists on the change."""
        return self.if_match is None and not self.create_only

    def check(self) -> None:
        """Raise RevisionMismatch unless it holds. Called again, it reads only what may have changed since."""
        if self.is_any:
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


def write_page(turn: Turn, draft: Draft, expected: ExpectedRevision, most: int | None = None) -> Written:
    """Create or replace a page; what it had in another format, or as a twin, goes.

    Raises PageLimitReached for a new one when the site has `most` pages.
    """
    root = turn.root
    way = folders.make(root, draft.path.split("/")[:-1])
    try:
        made = plan(root, way, draft, most)
        wanted = Change(made.puts, made.written.removed, way.made, insists=expected.is_any)
        transaction.commit(turn, wanted, expected.check)
    except BaseException:
        folders.remove_empty(root, way.parts, way.existing)
        raise
    return made.written


def rehearse_page(root: int, draft: Draft, most: int | None = None) -> Written:
    """Return what `write_page` would, or raise as it does; changes nothing, and needs no lock."""
    return plan(root, folders.find(root, draft.path.split("/")[:-1]), draft, most).written


def delete_page(turn: Turn, path: str, expected: ExpectedRevision) -> None:
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
    change = Change({}, removes, may_go=way.emptied, insists=expected.is_any)
    transaction.commit(turn, change, expected.check)
    folders.remove_empty(root, parts)


def set_category(turn: Turn, path: str, changes: Mapping[str, object]) -> CategoryRecord:
    """Change the category file of a folder, which is made if it is not there.

    Raises RevisionMismatch when somebody saves it in this moment.
    """
    from builder.category import file as categories  # noqa: PLC0415 - most changes need nothing that reads YAML

    root = turn.root
    parts = path.split("/")
    name, old = _category_file(root, path)
    file = f"{path}/{name}"
    try:
        new = categories.change(old or "", file, changes)
    except categories.CategoryFault as fault:
        raise _unreadable(path, f"`{file}` {fault}") from None
    known = None if old is None else old.encode()
    if new:
        way = folders.make(root, parts)
        file = way.file(name)
        try:
            transaction.commit(turn, Change({file: new.encode()}, (), way.made, over={file: known}))
        except BaseException:
            folders.remove_empty(root, way.parts, way.existing)
            raise
    elif old is not None:
        way = folders.spelled(root, parts)
        file = way.file(name)
        transaction.commit(turn, Change({}, [file], may_go=way.emptied, over={file: known}))
        folders.remove_empty(root, parts)
    return categories.read(new, file, path)[0]


def delete_category(turn: Turn, path: str) -> None:
    """Remove the category files of a folder, and the folder if it is empty then.

    Raises PageNotFound when there is none, RevisionMismatch when somebody saves one in this moment.
    """
    root, parts = turn.root, path.split("/")
    found = _category_files(root, path)
    way = folders.spelled(root, parts)
    over: dict[str, bytes | None] = {way.file(name): data for name, data in found.items()}
    transaction.commit(turn, Change({}, [*over], may_go=way.emptied, over=over))
    folders.remove_empty(root, parts)


def read_category(root: int, path: str) -> CategoryRecord:
    """Return what is said of a folder. Raises PageNotFound when nothing is, PathConflict."""
    from builder.category import file as categories  # noqa: PLC0415 - as above

    name, data = next(iter(_category_files(root, path).items()))
    return categories.read(data.decode(errors="replace"), f"{path}/{name}", path)[0]


def _category_files(root: int, path: str) -> dict[str, bytes]:
    """The category files of a folder by their names, the one that counts first."""
    found: dict[str, bytes] = {}
    try:
        with walk.folder(root, path.split("/")) as folder:
            there = [name for name in record.FILES if walk.look(folder, name) is not None]
            found = {name: walk.read_file(folder, name, record.MAX_TEXT)[0] for name in there}
    except (FileNotFoundError, walk.Blocked):
        pass
    except walk.TooLarge:
        raise _unreadable(path, "the category file is too large") from None
    if not found:
        raise PageNotFound("nothing is said of this folder", path=path)
    return found


def _category_file(root: int, path: str) -> tuple[str, str | None]:
    """The name of the folder's category file and its text, None when it has none yet."""
    try:
        with walk.folder(root, path.split("/")) as folder:
            for name in record.FILES:
                if walk.look(folder, name) is not None:
                    return name, walk.read_file(folder, name, record.MAX_TEXT)[0].decode()
    except FileNotFoundError:
        return record.FILES[0], None
    except (walk.TooLarge, UnicodeDecodeError):
        raise _unreadable(path, "the category file is too large, or not valid UTF-8") from None
    return record.FILES[0], None


def _unreadable(path: str, message: str) -> PathConflict:
    return PathConflict(
        f"the category cannot be changed: {message}", path=path, hint="correct or delete the file"
    )
