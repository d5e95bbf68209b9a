"""Put a page, a folder or the whole site back as it was at a revision."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from builder.errors import TwinpressError
from builder.store import ChangeNote, ContentStore, Replacement
from server.history.history import SHORT, History, belongs, find, tidy_path


class Restored(Struct, frozen=True):
    """The outcome of a restore or an undo, by file: `changed` have other bytes now, `removed` are gone."""

    changed: tuple[str, ...]
    removed: tuple[str, ...]


def restore(
    history: History,
    store: ContentStore,
    revision: str,
    path: str = "",
    *,
    label: str = "",
    most: int | None = None,
) -> Restored:
    """Put the files of `path`, or all of the site's, back as they were after the revision.

    `label` says who does so, in the history.

    A `^` behind the revision stands for the one before it. What this replaces is kept in the history, too.
    Raises TwinpressError when there is no such revision or path, or more than `most` bytes of text would
    change; RevisionMismatch when somebody writes at the same moment, PathConflict, or StorageError; then
    nothing has changed.
    """
    path = tidy_path(path)
    history.catch_up()
    revisions = history.revisions()
    wanted = find(revisions, revision.removesuffix("^"))
    if revision.endswith("^"):
        older = revisions[revisions.index(wanted) + 1 :]
        if not older:
            raise TwinpressError("the history begins with this revision", path=revision)
        wanted = older[0]
    then, now = history.files_at(wanted.id), history.files_at(revisions[0].id)
    files = sorted(file for file in {*then, *now} if not path or belongs(file, path))
    if not files:
        hint = "`twinpress history` lists all changes"
        message = "there is no such page or folder, neither now nor in that revision"
        raise TwinpressError(message, path=path, hint=hint)
    changes = {file: (now.get(file), then.get(file)) for file in files if now.get(file) != then.get(file)}
    note = ChangeNote(label=label, act="restore", about=f"{wanted.id[:SHORT]} {path}".strip())
    gone = (file for file, to in changes.items() if not to[1])
    return put(history, store, changes, note, drop=emptied(gone), most=most)


def put(
    history: History,
    store: ContentStore,
    changes: dict[str, tuple[str | None, str | None]],
    note: ChangeNote,
    *,
    make: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    most: int | None = None,
) -> Restored:
    """Change files from the one content to the other, both by id, as one change.

    Raises TooMuchAtOnce where both have more than `most` bytes.
    """
    bytes_of = history.contents({blob for pair in changes.values() for blob in pair if blob}, most)
    expected = {file: bytes_of[old] if old else None for file, (old, _) in changes.items()}
    wanted = {file: bytes_of[new] if new else None for file, (_, new) in changes.items()}
    if wanted or make or drop:
        store.put_back(Replacement(expected, wanted, make, drop), note=note)
    removed = tuple(file for file, data in wanted.items() if data is None)
    return Restored(tuple(file for file in wanted if file not in removed), removed)


def emptied(removed: Iterable[str]) -> tuple[str, ...]:
    """The folders that the removal of these files may leave empty, innermost first; `docs` itself stays."""
    found: set[str] = set()
    for file in removed:
        parts = file.split("/")[:-1]
        found |= {"/".join(parts[:end]) for end in range(2, len(parts) + 1)}
    return tuple(sorted(found, key=lambda folder: (-folder.count("/"), folder)))
