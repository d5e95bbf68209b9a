"""Changes of a site as its owner reads them: who, when, what, and the difference of each file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from builder.errors import StorageError
from builder.paths import TWIN_SUFFIX
from server.authoring.open_site import OpenSite
from server.dashboard.differences import Difference, difference
from server.dashboard.matching_lines import Work
from server.dashboard.site_visit import DASHBOARD
from server.history import History, Revision, page_of
from server.history.restoring import Change
from server.publishing.pending_changes import PendingChange, PendingChanges, PendingSource, pending, texts

LOOKED_AT = 2_000
"""Changes in which the last writers of pages are looked for."""
MOST_SIGNS = 200_000
"""Of longer files, no difference is shown."""
MOST_FILES = 500
"""Files that are shown of one change, or of what one key wrote."""
MOST_BYTES, MOST_ROWS = 8 * 1024 * 1024, 4_000
"""Of all of them together, after which no differences are shown: a key may write gigabytes in an hour."""
PUT_BACK = 64 * 1024 * 1024
"""Bytes that are put back at a time: all of them are held in memory."""
Names = Mapping[str, str]
"""What keys of the site are called, by their ids."""


class RevisionView(Struct, frozen=True):
    """One change. `who` is the id of a key, or names somebody else; `key` tells which of both."""

    id: str
    when: int
    key: str
    who: str
    what: str
    pages: tuple[str, ...]


class FileView(Struct, frozen=True):
    """A changed file: its page, what became of it, and how; no difference for what is no text or too long."""

    file: str
    page: str
    act: str
    change: Difference | None


class LastChanges(Struct, frozen=True):
    """The last changes, from new to old; `fault` says why the newest of them are missing, if they are."""

    all: Sequence[RevisionView]
    fault: str = ""


def recent(history: History, names: Names, most: int, path: str = "") -> LastChanges:
    """List the last changes, of one page among the last LOOKED_AT of the site. Raises StorageError."""
    fault = brought_in(history)
    return LastChanges([view(each, names) for each in history.revisions(path, most, LOOKED_AT)], fault)


def brought_in(history: History) -> str:
    """Bring the newest changes into the history; return why they are missing, if they are."""
    try:
        history.bring_in()
    except StorageError as error:
        return error.message
    return ""


def view(revision: Revision, names: Names) -> RevisionView:
    """A change as a line of a list."""
    note = revision.note
    pages = tuple(dict.fromkeys(page_of(each.file) for each in revision.files))
    return RevisionView(
        revision.id, int(revision.time), note.key, _who(revision, names), _what(revision), pages
    )


def file_views(history: History, changes: Mapping[str, Change]) -> Sequence[FileView]:
    """Show what became of each file, from one content to another; of the first MOST_FILES."""
    differences = _Differences(history)
    return [
        FileView(file, page_of(file), _act(pair), differences.of(pair))
        for file, pair in sorted(changes.items())[:MOST_FILES]
    ]


class _Differences:
    """The differences of the files of one page, as many as it may have."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._work = Work()
        self._bytes, self._rows = MOST_BYTES, MOST_ROWS

    def of(self, change: Change) -> Difference | None:
        """The difference between two contents; None where that is no text, or too much."""
        if self._bytes <= 0 or self._rows <= 0:
            return None
        blobs = self._history.contents({blob for blob in change if blob})
        self._bytes -= sum(map(len, blobs.values()))
        old, new = (blobs[one] if one else b"" for one in change)
        found = _difference(old, new, self._work)
        self._rows -= len(found.lines) if found else 0
        return found


def changes_in(revision: Revision, path: str = "") -> Mapping[str, Change]:
    """Give the files of a revision, of one page if it is named."""
    files = (each for each in revision.files if not path or page_of(each.file) == path)
    return {each.file: (each.old, each.new) for each in files}


def _act(change: Change) -> str:
    old, new = change
    return "created" if old is None else "deleted" if new is None else "changed"


def _difference(old: bytes, new: bytes, work: Work) -> Difference | None:
    try:
        one, other = old.decode(), new.decode()
    except UnicodeDecodeError:
        return None
    return difference(one, other, work) if len(one) + len(other) <= MOST_SIGNS else None


def _who(revision: Revision, names: Names) -> str:
    note = revision.note
    if note.key:
        return names.get(note.key) or (f"key {note.label}" if note.label else "a deleted key")
    if note.label == DASHBOARD:
        return "you"
    if note.act in {"begin", "import"}:
        return "Twinpress"
    return "outside of Twinpress" if revision.outside else note.label or "the command line"


def _what(revision: Revision) -> str:
    note = revision.note
    if note.act == "begin":
        return "the files as they began" if note.about else "the site as it began"
    if note.act:
        known = {
            "undo": "undid what a key wrote",
            "restore": "restored",
            "import": note.about,
            "change": note.about,
        }
        return known.get(note.act, note.act)
    if not revision.files:
        return "folders"
    acts = list(dict.fromkeys(map(_act, _foremost(revision))))
    return acts[0] if len(acts) == 1 else "changed"


def _foremost(revision: Revision) -> Iterable[Change]:
    """The pages of a change, or its twins where there are no pages."""
    pages = [each for each in revision.files if not each.file.endswith(TWIN_SUFFIX)]
    return [(each.old, each.new) for each in pages or revision.files]


MOST_SHOWN = 100
"""Changes that are shown; of the first MOST_COMPARED with their differences."""
MOST_COMPARED = 40


class ChangedFileView(Struct, frozen=True):
    """A file of a change by its name, and its difference; None for what is no text, or is not compared."""

    file: str
    change: Difference | None


class ChangeView(Struct, frozen=True):
    """A change, who made it (None where nobody knows), and its files."""

    about: PendingChange
    by: RevisionView | None
    files: Sequence[ChangedFileView]

    @property
    def added(self) -> int:
        """Count the lines that came."""
        return sum(each.change.added for each in self.files if each.change)

    @property
    def removed(self) -> int:
        """Count the lines that went."""
        return sum(each.change.removed for each in self.files if each.change)


class PendingView(Struct, frozen=True):
    """All that is pending, and those changes of it that are shown."""

    found: PendingChanges
    shown: Sequence[ChangeView]


def pending_view(opened: OpenSite, source: PendingSource, names: Names) -> PendingView:
    """Look at a site. Raises StorageError and DamagedRelease."""
    found = pending(source, opened.service.view.whole())
    return PendingView(found, list(_views(source, found, names)))


def _views(source: PendingSource, found: PendingChanges, names: Names) -> Iterator[ChangeView]:
    work = Work()
    for number, each in enumerate(islice(found.changes, MOST_SHOWN)):
        compared = found.live > 0 and number < MOST_COMPARED
        files = [*_files(source, each, work)] if compared else []
        yield ChangeView(each, view(each.revision, names) if each.revision else None, files)


def _files(source: PendingSource, change: PendingChange, work: Work) -> Iterator[ChangedFileView]:
    for each in texts(source, change):
        known = each.before is not None and each.after is not None
        changed = difference(each.before or "", each.after or "", work) if known else None
        yield ChangedFileView(each.file or each.former, changed)
