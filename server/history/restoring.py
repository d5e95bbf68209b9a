"""Put a page, a file, a folder or the whole site back as it was at a revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from builder.errors import RevisionMismatch, TwinpressError
from builder.store import ChangeNote, ContentStore, Replacement
from builder.store.names import is_text
from server.history.contents import id_of
from server.history.file_versions import VersionGone
from server.history.history import SHORT, History, belongs, find, tidy_path
from server.history.revision import Revision

Permit = Callable[[], None]


def permitted() -> None:
    """Let everything be changed."""


Change = tuple[str | None, str | None]
"""From one content to another, by their ids."""


class Restored(Struct, frozen=True):
    """The outcome of a restore or an undo, by file: `changed` have other bytes now, `removed` are gone.

    `missing` stay as they are, as the bytes that they had then are not kept any more.
    """

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    missing: tuple[str, ...] = ()


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
    change; VersionGone when all that would change has bytes that are not kept any more; RevisionMismatch when
    somebody writes at the same moment, PathConflict, or StorageError; then nothing has changed.
    """
    path = tidy_path(path)
    wanted, then, now = _sides(history, revision)
    files = sorted(file for file in {*then, *now} if not path or belongs(file, path))
    if not files:
        hint = "`twinpress history` lists all changes"
        message = "there is no such page, file or folder, neither now nor in that revision"
        raise TwinpressError(message, path=path, hint=hint)
    changes = {file: (now.get(file), then.get(file)) for file in files if now.get(file) != then.get(file)}
    note = ChangeNote(label=label, act="restore", about=f"{wanted.id[:SHORT]} {path}".strip())
    return _restore(history, store, changes, note, most)


def restore_file(
    history: History,
    store: ContentStore,
    revision: str,
    file: str,
    *,
    label: str = "",
    most: int | None = None,
) -> Restored:
    """The same for one file by its name on disk, and nothing that begins like it."""
    wanted, then, now = _sides(history, revision)
    if file not in then and file not in now:
        raise TwinpressError("there is no such file, neither now nor in that revision", path=file)
    pair = now.get(file), then.get(file)
    note = ChangeNote(label=label, act="restore", about=f"{wanted.id[:SHORT]} {file}")
    return _restore(history, store, {file: pair} if pair[0] != pair[1] else {}, note, most)


def bytes_at(history: History, revision: str, file: str) -> bytes | None:
    """Return a file's bytes after a revision, None where there was none. Raises as `restore_file` does."""
    _, then, _ = _sides(history, revision)
    blob = then.get(file)
    if blob is None:
        return None
    if not is_text(file) and history.gone({blob}):
        raise VersionGone(file)
    return history.contents({blob})[blob]


def _sides(history: History, text: str) -> tuple[Revision, Mapping[str, str], Mapping[str, str]]:
    """The revision that is meant, and the site's files then and now. Raises TwinpressError."""
    history.catch_up()
    revisions = history.revisions()
    wanted = find(revisions, text.removesuffix("^"))
    if text.endswith("^"):
        older = revisions[revisions.index(wanted) + 1 :]
        if not older:
            raise TwinpressError("the history begins with this revision", path=text)
        wanted = older[0]
    return wanted, history.files_at(wanted.id), history.files_at(revisions[0].id)


def _restore(
    history: History, store: ContentStore, changes: dict[str, Change], note: ChangeNote, most: int | None
) -> Restored:
    gone = history.gone({to for file, (_, to) in changes.items() if to and not is_text(file)})
    missing = tuple(file for file, (_, to) in changes.items() if to in gone)
    if missing and len(missing) == len(changes):
        raise VersionGone(missing[0])
    changes = {file: pair for file, pair in changes.items() if file not in missing}
    drop = emptied(file for file, (_, to) in changes.items() if not to)
    return replace(put(history, store, changes, note, drop=drop, most=most), missing=missing)


def put(
    history: History,
    store: ContentStore,
    changes: dict[str, Change],
    note: ChangeNote,
    *,
    make: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    most: int | None = None,
    permit: Permit = permitted,
) -> Restored:
    """Change files from the one content to the other, both by id, as one change.

    Raises TooMuchAtOnce where both have more than `most` bytes, and what `permit` raises.
    """
    known = {new for _, new in changes.values() if new}
    known |= {old for file, (old, _) in changes.items() if old and is_text(file)}
    bytes_of = history.contents(known, most)
    expected = {
        file: None if not old else bytes_of[old] if is_text(file) else _present(store, file, old)
        for file, (old, _) in changes.items()
    }
    wanted = {file: bytes_of[new] if new else None for file, (_, new) in changes.items()}
    if wanted or make or drop:
        store.put_back(Replacement(expected, wanted, make, drop), note=note, permit=permit)
    removed = tuple(file for file, data in wanted.items() if data is None)
    return Restored(tuple(file for file in wanted if file not in removed), removed)


def _present(store: ContentStore, file: str, id: str) -> bytes:
    """The bytes of a file of the site, which the history need not have. Raises RevisionMismatch."""
    with suppress(FileNotFoundError):
        data = store.read_file(file)
        if id_of(data) == id:
            return data
    raise RevisionMismatch("the file was changed just now", path=file, hint="try again")


def emptied(removed: Iterable[str]) -> tuple[str, ...]:
    """The folders that the removal of these files may leave empty, innermost first; `docs` itself stays."""
    found: set[str] = set()
    for file in removed:
        parts = file.split("/")[:-1]
        found |= {"/".join(parts[:end]) for end in range(2, len(parts) + 1)}
    return tuple(sorted(found, key=lambda folder: (-folder.count("/"), folder)))
