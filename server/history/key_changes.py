"""Changes of one key that are in effect, and their undoing by that key itself, as a change of its own."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from builder.errors import RevisionMismatch
from builder.store import ChangeNote, ContentStore
from server.history.history import SHORT, History
from server.history.restoring import Permit, Restored, permitted, put
from server.history.revision import Revision
from server.history.undoing import ACT, TRIES, UndoPlan, plan


class NotInEffect(RevisionMismatch):
    """The change is none of the key's, or is undone already."""


class UndoneChanges(Struct, frozen=True):
    """The outcome: what was `chosen`, the `plan`, and what was `done`; nothing where there are conflicts."""

    chosen: Sequence[Revision]
    plan: UndoPlan
    done: Restored


def changes_in_effect(revisions: Sequence[Revision], key: str) -> list[Revision]:
    """Return the changes of a key that nobody has undone, the last first; `revisions` are from the last.

    An undo is none of them, but one that takes an undo back is: it does again what had been undone.
    """
    found: dict[str, Revision] = {}
    undos: set[str] = set()
    for each in reversed(revisions):
        short, is_own = each.id[:SHORT], each.note.key == key
        if each.note.act != ACT:
            found |= {short: each} if is_own else {}
            continue
        about = set(each.note.about.split())
        found = {} if key in about else {name: one for name, one in found.items() if name not in about}
        if is_own and not about.isdisjoint(undos):
            found[short] = each
        undos.add(short)
    return list(reversed(found.values()))


def own_change(revisions: Sequence[Revision], key: str, id: str) -> Revision:
    """Return a key's change, an undo too, by its id or the beginning. Raises NotInEffect."""
    found = [each for each in revisions if each.note.key == key and each.id.startswith(id)]
    in_effect = {each.id for each in changes_in_effect(revisions, key)}
    if len(id) < SHORT or len(found) != 1:
        raise NotInEffect("this key has made no such change", path=id)
    is_undone = _is_undone(revisions, found[0]) if found[0].note.act == ACT else found[0].id not in in_effect
    if is_undone:
        raise NotInEffect("this change is undone already", path=id)
    return found[0]


def _is_undone(revisions: Sequence[Revision], undo: Revision) -> bool:
    return any(each.note.act == ACT and undo.id[:SHORT] in each.note.about.split() for each in revisions)


def undo_own(
    history: History,
    store: ContentStore,
    note: ChangeNote,
    *,
    change: str = "",
    last: int | None = None,
    most: int | None = None,
    permit: Permit = permitted,
    rehearsal: bool = False,
) -> UndoneChanges:
    """Undo one change of the key in `note`, or its `last` ones, or all, as one change, whole or not at all.

    Raises NotInEffect, TooMuchAtOnce where more than `most` bytes would change, RevisionMismatch when
    somebody writes again and again meanwhile, PathConflict, StorageError, and what `permit` raises.
    """
    for tries in range(TRIES):
        history.catch_up()
        revisions = history.revisions()
        if change:
            chosen = [own_change(revisions, note.key, change)]
        else:
            chosen = changes_in_effect(revisions, note.key)[:last]
        about = " ".join(each.id[:SHORT] for each in chosen)
        planned = plan(revisions, about, history.files_at(revisions[0].id) if revisions else {})
        if rehearsal or planned.conflicts or not chosen:
            return UndoneChanges(chosen, planned, _as_planned(planned))
        own = ChangeNote(key=note.key, label=note.label, act=ACT, about=about)
        folders = {"make": planned.make, "drop": planned.drop}
        try:
            done = put(history, store, dict(planned.changes), own, **folders, most=most, permit=permit)
        except RevisionMismatch:
            if tries + 1 == TRIES:
                raise
        else:
            return UndoneChanges(chosen, planned, done)
    raise AssertionError("unreachable")


def _as_planned(planned: UndoPlan) -> Restored:
    """The outcome that a plan would have."""
    if planned.conflicts:
        return Restored((), ())
    gone = tuple(file for file, (_, to) in planned.changes.items() if to is None)
    return Restored(tuple(file for file in planned.changes if file not in gone), gone)
