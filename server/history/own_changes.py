"""The changes of one key among all revisions: which of them are undone, and the plan to undo some as one.

A change is named by the id that it was made with, or by the first digits of its revision where it has none.
Revisions come from the last, and without a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from builder.errors import TwinpressError
from server.history.history import SHORT
from server.history.revision import Revision
from server.history.undoing import ACT, Deeds, UndoPlan, plan_deeds, remember

ALL = "all"
"""An undo of all that its key did until then is about this."""


class UnknownChange(TwinpressError):
    """The key has made no such change, or the history has it no more."""


class UndoneAlready(TwinpressError):
    """A change that is undone cannot be undone again."""


class UndoChoice(Struct, frozen=True):
    """The changes to undo: those with these `ids`, or the `last` ones that are not undone, or all such."""

    ids: tuple[str, ...] = ()
    last: int = 0

    @property
    def is_all(self) -> bool:
        """True if all changes are meant."""
        return not self.ids and not self.last


def change_id(revision: Revision) -> str:
    """Return the id of the change that a revision is."""
    return revision.note.id or revision.id[:SHORT]


class _Undone(Struct):
    """All that later revisions have undone: changes by id, and by key all of its changes, or some files."""

    ids: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    files: dict[str, set[str]] = field(default_factory=dict)

    def has(self, revision: Revision) -> bool:
        """Return whether a revision is among it."""
        if not self.ids.isdisjoint((change_id(revision), revision.id[:SHORT])):
            return True
        key = revision.note.key
        if revision.note.act == ACT or not key:
            return False
        return key in self.keys or {each.file for each in revision.files} <= self.files.get(key, set())

    def add(self, undo: Revision) -> None:
        """Add all that an undo has undone."""
        note = undo.note
        if note.key and note.about == ALL:
            self.keys.add(note.key)
        elif note.key:
            self.ids.update(note.about.split())
        else:  # the owner's, of one revision or of what a key did to these files
            self.ids.add(note.about)
            self.files.setdefault(note.about, set()).update(each.file for each in undo.files)


def undone_among(revisions: Iterable[Revision]) -> frozenset[str]:
    """Return the ids of those revisions that are undone; an undo that is undone itself has undone nothing."""
    known, found = _Undone(), set[str]()
    for each in revisions:
        if known.has(each):
            found.add(each.id)
        elif each.note.act == ACT:
            known.add(each)
    return frozenset(found)


def chosen(revisions: Sequence[Revision], key: str, choice: UndoChoice) -> list[Revision]:
    """Return the key's changes that are meant, from the last.

    Raises UnknownChange for an id that is not one of the key's, UndoneAlready.
    """
    own = [each for each in revisions if each.note.key == key]
    undone = undone_among(revisions)
    if choice.ids:
        return _named(own, choice.ids, undone)
    found = [each for each in own if each.id not in undone and each.note.act != ACT]
    return found if choice.is_all else found[: choice.last]


def _named(own: Iterable[Revision], ids: Iterable[str], undone: frozenset[str]) -> list[Revision]:
    wanted = dict.fromkeys(each.lower() for each in ids)
    found = [each for each in own if not wanted.keys().isdisjoint(_names(each))]
    known = {name for each in found for name in _names(each)}
    for name in wanted:
        if name not in known:
            hint = "the history lists those that can be undone"
            raise UnknownChange("your key has made no such change", path=name, hint=hint)
    for each in found:
        if each.id in undone:
            hint = "to make it again, undo its undo"
            raise UndoneAlready("the change is undone already", path=change_id(each), hint=hint)
    return found


def _names(revision: Revision) -> tuple[str, ...]:
    return change_id(revision), revision.id[:SHORT], revision.id


def plan_undo(revisions: Sequence[Revision], changes: Iterable[Revision], now: Mapping[str, str]) -> UndoPlan:
    """Plan to undo some of a key's changes as one; what others did to the same files since is a conflict.

    So it is where they gave a file the very bytes again that the key gave it. What they have undone is not.
    """
    own, deeds, undone = {each.id: each.note.key for each in changes}, Deeds(), undone_among(revisions)
    for each in reversed(revisions):
        if each.id in own:
            remember(deeds, each)
        elif each.note.key not in own.values() and each.note.act != ACT and each.id not in undone:
            for span in (deeds.spans.get(one.file) for one in each.files):
                if span is not None:
                    span.is_whole = False
    return plan_deeds(deeds, now)


def last_to_change(revisions: Iterable[Revision], file: str, changes: Iterable[Revision]) -> Revision | None:
    """Return the last revision that changed a file and is none of the `changes`, None where there is none."""
    ids = {each.id for each in changes}
    found = (each for each in revisions if each.id not in ids)
    return next((each for each in found if any(one.file == file for one in each.files)), None)
