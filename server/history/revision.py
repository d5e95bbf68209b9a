"""Values that describe one change: as it is pending, and as the history has it."""

from __future__ import annotations

from msgspec import Struct

from builder.store import ChangeNote, FileChange, KeptBytes
from server.control.keys import key_text
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


def redacted(note: ChangeNote) -> ChangeNote:
    """The note without the text of a key, should somebody have put one into a label."""
    return ChangeNote(*(key_text.redacted(text) for text in (note.key, note.label, note.act, note.about)))
