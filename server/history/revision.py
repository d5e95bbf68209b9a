"""Values that describe one change: as it is pending, and as the history has it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from builder import redaction
from builder.store import ChangeNote, FileChange, KeptBytes
from server.history.contents import id_of


class HistoryEntry(Struct, frozen=True):
    """A change that was made, with the bytes of its files; `gone` are the folders that it removed.

    `time` is in seconds since the epoch.
    """

    time: float
    note: ChangeNote
    files: tuple[FileChange, ...]
    made: tuple[str, ...]
    gone: tuple[str, ...]

    @property
    def is_idle(self) -> bool:
        """True if everything is as it was before."""
        return not (self.made or self.gone) and all(is_same(file.old, file.new) for file in self.files)


def is_same(one: bytes | KeptBytes | None, other: bytes | KeptBytes | None) -> bool:
    """Return whether two contents of a file are the same, or both none."""
    if isinstance(one, KeptBytes) or isinstance(other, KeptBytes):
        return one is not None and other is not None and id_of(one) == id_of(other)
    return one == other


class Blobs(Struct, frozen=True):
    """A file of a change by the ids of its contents, 40 hexadecimal digits; None where there is no file."""

    file: str
    old: str | None
    new: str | None

    @property
    def change(self) -> Literal["added", "removed", "changed"]:
        """The change of the file in a word."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "changed"


class Revision(Struct, frozen=True):
    """A change as the history has it: the site's files after it bear its `id`, 40 hexadecimal digits.

    `outside` tells changes found in the files, such as an editor's saves, from those made by Twinpress.
    """

    id: str
    time: float
    note: ChangeNote
    files: tuple[Blobs, ...]
    made: tuple[str, ...]
    gone: tuple[str, ...]
    outside: bool


def record(revision: Revision, zone: tzinfo | None = None) -> dict[str, object]:
    """A change for other programs, with the time of a zone, or else of this machine."""
    note = revision.note
    return {
        "revision": revision.id,
        "time": datetime.fromtimestamp(revision.time, UTC).astimezone(zone).isoformat(timespec="seconds"),
        "key": note.key or None,
        "label": note.label or None,
        "act": note.act or ("outside" if revision.outside else "change"),
        "about": note.about or None,
        "files": [
            {"file": os.fsencode(each.file).decode("utf-8", "backslashreplace"), "change": each.change}
            for each in revision.files
        ],
    }


def redacted(note: ChangeNote) -> ChangeNote:
    """The note without the text of a key, should somebody have put one into a label."""
    texts = (note.key, note.label, note.act, note.about)
    return replace(ChangeNote(*(redaction.redacted(text) for text in texts)), id=note.id)
