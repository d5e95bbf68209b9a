"""Keep, show and restore what changes replaced. No HTTP here."""

from server.history.history import SHORT, History, tidy_path
from server.history.restoring import Restored, restore
from server.history.revision import Revision
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
