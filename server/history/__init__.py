"""Keep, show and restore what changes replaced. No HTTP here."""

from server.history.changes import Revision
from server.history.history import SHORT, History, tidy_path
from server.history.restoring import Restored, restore
from server.history.undoing import Conflict, UnknownKey, undo

__all__ = [
    "SHORT",
    "Conflict",
    "History",
    "Restored",
    "Revision",
    "UnknownKey",
    "restore",
    "tidy_path",
    "undo",
]
