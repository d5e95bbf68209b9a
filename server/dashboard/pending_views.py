"""Changes that readers do not have yet, as their owner reads them: with differences, and who made each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from server.authoring.open_site import OpenSite
from server.dashboard.differences import Difference, difference
from server.dashboard.matching_lines import Work
from server.dashboard.revision_views import Names, RevisionView, view
from server.publishing.pending_changes import PendingChange, PendingChanges, PendingSource, pending, texts

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
    found = pending(source, opened.service.whole())
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
