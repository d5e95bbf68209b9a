"""Compare what the server has with what it shall have: what somebody changed there behind our back.

A database that is lost is told, never made again: it would be empty, and look as if nothing had happened.
What is there in our name and in no row is told too, and never dropped.

Apart from the service that has it look, which is of a higher layer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from server.control.sqlite.database import ControlDatabase
from server.hosting import hosted
from server.hosting.hosted import LOST, Hosted
from server.postgres.tenants.inventory import INVALID, TenantState
from server.postgres.tenants.provisioning import Provisioner


class Orphan(Struct, frozen=True):
    """A database or a role that nobody has."""

    name: str
    seen_at: int
    """When it was seen first, in seconds since 1970."""


def known_orphans(control: ControlDatabase) -> tuple[Orphan, ...]:
    """Those of the last comparison, by name."""
    rows = control.read("SELECT name, seen_at FROM orphans ORDER BY name")
    return tuple(Orphan(str(name), int(at or 0)) for name, at in rows)


def keep_orphans(control: ControlDatabase, names: Iterable[str], now: int) -> frozenset[str]:
    """These are there now, and no others; gives those that were not there before."""
    found, before = frozenset(names), frozenset(each.name for each in known_orphans(control))
    if found == before:
        return frozenset()
    with control.change() as change:
        for name in before - found:
            change.write("DELETE FROM orphans WHERE name = ?", (name,))
        for name in found - before:
            change.write("INSERT INTO orphans (name, seen_at) VALUES (?, ?)", (name, now))
    return found - before


_LOG = logging.getLogger("twinpress.hosting")


class Comparison(Struct, frozen=True):
    """The differences found: ids whose lock or limit is wrong, lost, back, or of nobody."""

    wrongly_limited: tuple[str, ...]
    lost: tuple[str, ...]
    back: tuple[str, ...]
    orphans: tuple[str, ...]


def compare(
    before: Iterable[Hosted], found: Mapping[str, TenantState], after: Iterable[Hosted]
) -> Comparison:
    """The rows before and after the look at the server: what changed meanwhile is judged the next time."""
    then, now = ({row.id: row for row in every} for every in (before, after))
    still = [row for row in now.values() if row.is_in_use and then.get(row.id) == row]
    gone = {row.id for row in still if not _is_whole(found.get(row.id))}
    return Comparison(
        wrongly_limited=tuple(
            row.id for row in still if row.id not in gone and _is_wrongly_limited(row, found[row.id])
        ),
        lost=tuple(row.id for row in still if row.id in gone and not row.lost),
        back=tuple(row.id for row in still if row.id not in gone and row.lost),
        orphans=tuple(sorted(found.keys() - then.keys() - now.keys())),
    )


def _is_whole(found: TenantState | None) -> bool:
    return found is not None and found.database and found.role and found.database_limit != INVALID


def _is_wrongly_limited(row: Hosted, found: TenantState) -> bool:
    """Return whether it is open and shall be locked, or the other way round, or has another limit."""
    if row.applied != row.generation or row.is_late:
        return False
    if row.is_locked:
        return found.login or found.database_limit != 0
    return not found.login or {found.role_limit, found.database_limit} != {row.connection_limit}


class Comparer(Struct, frozen=True):
    """Compares regularly, and has wrong locks and limits put right."""

    control: ControlDatabase
    provisioner: Provisioner
    clock: Callable[[], float]

    def run(self) -> Comparison:
        """Look once. Raises EngineError and DatabaseError."""
        before = hosted.every(self.control)
        result = compare(before, self.provisioner.found(), hosted.every(self.control))
        for id in result.wrongly_limited:
            said = "the right to connect to the database %s was changed on the server; it is restored"
            _LOG.warning(said, id)
            self.control.write("UPDATE databases SET obeyed_suspensions = -1 WHERE id = ?", (id,))
        for id in result.lost:
            _LOG.error("the database %s is missing on the server: %s", id, LOST)
            hosted.note_lost(self.control, id, True)
        for id in result.back:
            _LOG.warning("the database %s is on the server again", id)
            hosted.note_lost(self.control, id, False)
        for name in keep_orphans(self.control, result.orphans, int(self.clock())):
            _LOG.warning("%s is on the server, and no account has it; it is left alone", name)
        return result
