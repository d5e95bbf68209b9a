"""Take back everything that one key did, or one change, as one change."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from msgspec import Struct, field

from builder import paths
from builder.errors import RevisionMismatch, TwinpressError
from builder.store import ChangeNote, ContentStore
from builder.store.names import is_content
from builder.store.restore import stem_of
from server.history.history import SHORT, History, find
from server.history.restoring import Change, Restored, put
from server.history.revision import Revision
from server.history.revision_line import BEGIN


class PresentFiles:
    """The files of the site as they are, with the ids of their contents; `going` are those that will go."""

    def __init__(self, now: Mapping[str, str], going: Container[str]) -> None:
        self._now = now
        self._going = going
        self._pages: dict[str, list[str]] = {}
        self._folders: dict[str, dict[str, str]] = {}
        for file in now:
            if _is_page(file):
                self._pages.setdefault(paths.fold(page_of(file)), []).append(file)
            for folder in _parents(file):
                self._folders.setdefault(paths.fold(folder), {}).setdefault(folder, file)

    def in_the_way(self, page: str, wanted: Mapping[str, Change]) -> list[str]:
        """Files that cannot stand beside what is wanted of a page.

        The same page in another format or in other case, what is in a folder that differs from the page's
        only in case, and a twin that would be left alone.
        """
        if any(to and _is_page(file) for file, (_, to) in wanted.items()):
            return [*self._same(page, wanted), *self._beside(page)]
        if any(to for _, to in wanted.values()):
            return self._beside(page)
        return self._orphan(page, wanted)

    def has_room(self, folder: str) -> bool:
        """Return whether no other folder differs from this one, or from one that it is in, only in case."""
        return not self._beside(f"{folder}/")

    def _same(self, page: str, wanted: Mapping[str, Change]) -> list[str]:
        found = self._pages.get(paths.fold(page), [])
        return sorted(file for file in found if file not in wanted and file not in self._going)

    def _beside(self, page: str) -> list[str]:
        for folder in _parents(page):
            spelled = self._folders.get(paths.fold(folder), {})
            if spelled and folder not in spelled:
                return sorted(spelled.values())
        return []

    def _orphan(self, page: str, wanted: Mapping[str, Change]) -> list[str]:
        twin = page + paths.TWIN_SUFFIX
        files = [page + suffix for suffix in paths.PAGE_SUFFIXES]
        goes = any(file in self._now for file in files if file in wanted)
        stays = any(file in self._now for file in files if file not in wanted)
        return [twin] if goes and not stays and twin in self._now and twin not in wanted else []


def page_of(file: str) -> str:
    """Return the page that a file belongs to, by its path on disk, or the file itself."""
    return (stem_of(file) if is_content(file) else None) or file


def _is_page(file: str) -> bool:
    return is_content(file) and stem_of(file) is not None and not file.endswith(paths.TWIN_SUFFIX)


def _parents(file: str) -> list[str]:
    parts = file.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


ACT = "undo"
TRIES = 3
"""How often an undo is begun when somebody writes at the same moment."""


class UnknownKey(TwinpressError):
    """No key of this id or label has changed anything."""


class Conflict(Struct, frozen=True):
    """A page that cannot be taken back, as somebody else changed or made these files after the key did."""

    path: str
    files: tuple[str, ...]


class Span(Struct):
    """The changes of a key to one file, first to last; not `whole` when others came between."""

    first: str | None
    last: str | None
    is_whole: bool = True


class Deeds(Struct):
    """All that changes did: to files by name, and to folders, as (was it there before, is it there after)."""

    spans: dict[str, Span] = field(default_factory=dict)
    folders: dict[str, tuple[bool, bool]] = field(default_factory=dict)


class UndoPlan(Struct, frozen=True):
    """The changes that an undo would make, by file, from one content to another; and those it leaves."""

    changes: Mapping[str, Change]
    conflicts: tuple[Conflict, ...]
    make: tuple[str, ...]
    drop: tuple[str, ...]


def key_of(revisions: Iterable[Revision], text: str) -> str:
    """The id of the key that is meant by an id or a label. Raises UnknownKey or TwinpressError."""
    notes = {each.note.key: each.note.label for each in revisions if each.note.key}
    if text in notes:
        return text
    found = sorted(key for key, label in notes.items() if label == text)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(found)
        raise TwinpressError("more than one key has this label", path=text, hint=f"name one by its id: {ids}")
    hint = "`twinpress history` shows who changed what"
    raise UnknownKey("no key of this name has changed anything here", path=text, hint=hint)


def plan(revisions: Iterable[Revision], key: str, now: Mapping[str, str], page: str = "") -> UndoPlan:
    """Plan how to undo the key's changes, of one page if it is named.

    In the place of a key may be the beginning of a revision's id (SHORT characters): then that alone is
    undone. `revisions` are from the last, `now` is the site.
    """
    deeds = _deeds(revisions, key)
    if page:
        deeds = Deeds({file: span for file, span in deeds.spans.items() if page_of(file) == page})
    return plan_deeds(deeds, now)


def plan_deeds(deeds: Deeds, now: Mapping[str, str]) -> UndoPlan:
    """Plan how to undo deeds in the site as it is `now`."""
    pages: dict[str, list[str]] = {}
    for file in deeds.spans:
        pages.setdefault(page_of(file), []).append(file)
    site = PresentFiles(now, {file for file, span in deeds.spans.items() if _goes(span, now.get(file))})
    changes: dict[str, Change] = {}
    conflicts: list[Conflict] = []
    for path, files in sorted(pages.items()):
        wanted = {
            file: (now.get(file), deeds.spans[file].first)
            for file in sorted(files)
            if now.get(file) != deeds.spans[file].first
        }
        others = [file for file in wanted if not _is_own(deeds.spans[file], now.get(file))]
        others += site.in_the_way(path, wanted)
        if others:
            conflicts.append(Conflict(path, tuple(others)))
        else:
            changes |= wanted
    make, drop = _folders(deeds.folders)
    make = tuple(filter(site.has_room, make))
    return UndoPlan(changes, tuple(conflicts), make, drop)


def undo(
    history: History,
    store: ContentStore,
    key: str,
    *,
    leave_conflicts: bool = False,
    page: str = "",
    label: str = "",
    most: int | None = None,
) -> tuple[Restored, UndoPlan]:
    """Take back what the key with this id or label did, to all or to one `page`, and say what that was.

    `label` says who does so, in the history. With a conflict nothing is changed, or, with `leave_conflicts`,
    all but the pages in question. The undo is kept in the history, too. Raises UnknownKey when the key did
    nothing here, TooMuchAtOnce where more than `most` bytes would change, RevisionMismatch when somebody
    writes again and again meanwhile, PathConflict, or StorageError; then nothing has changed.
    """

    def planned() -> tuple[str, UndoPlan]:
        revisions, now = _history_now(history)
        name = key_of(revisions, key)
        return name, plan(revisions, name, now, page)

    return _undo(history, store, planned, label, leave_conflicts=leave_conflicts, most=most)


def undo_revision(
    history: History, store: ContentStore, revision: str, *, leave_conflicts: bool = False
) -> tuple[Restored, UndoPlan]:
    """Take back one change, whoever made it; what was changed since is a conflict. Raises as `undo`.

    Raises TwinpressError when there is no such revision.
    """

    def planned() -> tuple[str, UndoPlan]:
        revisions, now = _history_now(history)
        found = find(revisions, revision)
        if found.note.act == BEGIN:
            raise TwinpressError("the history begins with this revision", path=revision)
        name = found.id[:SHORT]
        return name, plan(revisions, name, now)

    return _undo(history, store, planned, "", leave_conflicts=leave_conflicts, most=None)


def _history_now(history: History) -> tuple[list[Revision], Mapping[str, str]]:
    """The revisions, from the last, and the site's files as they are."""
    history.catch_up()
    revisions = history.revisions()
    return revisions, history.files_at(revisions[0].id)


def _undo(
    history: History,
    store: ContentStore,
    planned: Callable[[], tuple[str, UndoPlan]],
    label: str,
    *,
    leave_conflicts: bool,
    most: int | None,
) -> tuple[Restored, UndoPlan]:
    """Do what is planned; when somebody has saved meanwhile, that is a conflict in the next plan."""
    tries = TRIES
    while True:
        name, found = planned()
        if found.conflicts and not leave_conflicts:
            return Restored((), ()), found
        note = ChangeNote(label=label, act=ACT, about=name)
        tries -= 1
        try:
            done = put(history, store, dict(found.changes), note, make=found.make, drop=found.drop, most=most)
        except RevisionMismatch:
            if not tries:
                raise
        else:
            return done, found


def changes_of(revisions: Iterable[Revision], key: str) -> Mapping[str, Change]:
    """Give each file before the key's first change and after its last one; `revisions` from the last."""
    return {file: (span.first, span.last) for file, span in _deeds(revisions, key).spans.items()}


def _deeds(revisions: Iterable[Revision], key: str) -> Deeds:
    deeds = Deeds()
    for each in reversed(list(revisions)):
        if each.note.act == ACT and each.note.about == key:
            _forget(deeds, each)
        elif key in (each.note.key, each.id[:SHORT]):
            remember(deeds, each)
    return deeds


def remember(deeds: Deeds, revision: Revision) -> None:
    """Add what a revision did, which comes after those that are in the deeds."""
    for each in revision.files:
        span = deeds.spans.setdefault(each.file, Span(each.old, each.old))
        span.is_whole = span.is_whole and span.last == each.old
        span.last = each.new
    for folder in revision.made:
        deeds.folders[folder] = (deeds.folders.get(folder, (False, False))[0], True)
    for folder in revision.gone:
        deeds.folders[folder] = (deeds.folders.get(folder, (True, True))[0], False)


def _forget(deeds: Deeds, undone: Revision) -> None:
    """Remove what was undone already from the deeds."""
    for each in undone.files:
        deeds.spans.pop(each.file, None)
    for folder in (*undone.made, *undone.gone):
        deeds.folders.pop(folder, None)


def _is_own(span: Span, now: str | None) -> bool:
    return span.is_whole and span.last == now


def _goes(span: Span, now: str | None) -> bool:
    """Return whether taking it back removes the file."""
    return span.first is None and _is_own(span, now)


def _folders(folders: Mapping[str, tuple[bool, bool]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those to make, outermost first, and those to remove if they are empty, innermost first."""
    make = sorted(folder for folder, states in folders.items() if states == (True, False))
    drop = sorted(folder for folder, states in folders.items() if states == (False, True))
    return tuple(make), tuple(drop[::-1])
