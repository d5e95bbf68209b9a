"""Keep, show and restore what changes replaced. No HTTP here."""

from server.history.file_versions import VersionGone
from server.history.history import SHORT, History, TooMuchAtOnce, tidy_path
from server.history.recent_revisions import RecentRevisions
from server.history.restoring import Restored, bytes_at, restore, restore_file
from server.history.revision import Revision, record
from server.history.undoing import (
    Conflict,
    UndoPlan,
    UnknownKey,
    changes_of,
    page_of,
    plan,
    undo,
    undo_revision,
)

__all__ = [
    "SHORT",
    "Conflict",
    "History",
    "RecentRevisions",
    "Restored",
    "Revision",
    "TooMuchAtOnce",
    "UndoPlan",
    "UnknownKey",
    "VersionGone",
    "bytes_at",
    "changes_of",
    "page_of",
    "plan",
    "record",
    "restore",
    "restore_file",
    "tidy_path",
    "undo",
    "undo_revision",
]
