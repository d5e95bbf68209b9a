"""Rows of what keys wrote and no release has yet: one for each key that wrote to a site.

A write is begun in `begun_writes` before it changes a file, so that no kill of the service has it forgotten:
what was begun and never ended may have been written. A row stays until a release has what it stands for, also
while jobs fail, so that nothing of a key that was disabled or deleted gets to readers without the owner.
"""

from __future__ import annotations

from collections.abc import Sequence

from server.control import base62
from server.control.keys.key_text import KeyKind
from server.control.sqlite.database import ControlDatabase, Transaction

QUIET, LONGEST = 10, 120
"""Seconds without a write by a key, and since the first one, after which a site is published by itself."""
UNENDED = 300
"""Seconds after which a write that was begun has ended, or the process that was at it."""
_ASIDE = -1
"""The job of writes that are not published by themselves any more."""
_ID_LENGTH = 16
_WROTE = """
    INSERT INTO unpublished_writes (site, actor, first_at, last_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (site, actor) DO UPDATE SET last_at = excluded.last_at, job = 0,
        first_at = CASE job WHEN 0 THEN first_at ELSE excluded.first_at END
"""
# Writes of a time that is still to come are those before the clock was set back.
_DUE = """
    SELECT site FROM unpublished_writes WHERE job = 0
        AND NOT EXISTS (SELECT 1 FROM publish_jobs WHERE site = unpublished_writes.site AND state = 'waiting')
    GROUP BY site HAVING MAX(last_at) <= ? OR MIN(first_at) <= ? OR MAX(last_at) > ? ORDER BY MIN(first_at)
"""
_UNENDED = "SELECT id, site, actor, kind FROM begun_writes WHERE begun_at <= ? OR begun_at > ?"
_REVOKED = """
    SELECT keys.label, keys.last_four
    FROM unpublished_writes LEFT JOIN keys ON keys.id = unpublished_writes.actor
    WHERE unpublished_writes.site = ? AND (keys.id IS NULL OR keys.disabled = 1) ORDER BY last_at DESC LIMIT 1
"""
_ONE_OFF_ASIDE = """
    UPDATE unpublished_writes SET job = ?
    WHERE site = ? AND actor IN (SELECT id FROM keys WHERE keys.site = unpublished_writes.site AND kind = ?)
"""
_UNTAKE = """
    UPDATE unpublished_writes SET job = 0 WHERE site = ? AND job IN (
        SELECT number FROM publish_jobs WHERE publish_jobs.site = unpublished_writes.site
        AND by_itself = 1 AND stop = 1 AND (state = 'running' OR ended_at = ?)
    )
"""


def begin(change: Transaction, site: str, actor: str, kind: KeyKind, now: int) -> str:
    """Note that a key is about to write, and return the id under which that ends."""
    id = base62.random(_ID_LENGTH)
    row = (id, site, actor, kind.value, now)
    change.write("INSERT INTO begun_writes (id, site, actor, kind, begun_at) VALUES (?, ?, ?, ?, ?)", row)
    return id


def end(change: Transaction, id: str) -> bool:
    """Forget that a write was begun; False where somebody else has, as it took too long."""
    return bool(change.write("DELETE FROM begun_writes WHERE id = ?", (id,)))


def unended(database: ControlDatabase, now: int) -> Sequence[tuple[str, str, str, KeyKind]]:
    """Return id, site, key and its kind of writes that were begun, and whose end nobody will note."""
    rows = database.read(_UNENDED, (now - UNENDED, now + UNENDED))
    return [(str(id), str(site), str(actor), KeyKind(str(kind))) for id, site, actor, kind in rows]


def wrote(change: Transaction, site: str, actor: str, now: int) -> None:
    """Note that a key has written what is to be published by itself."""
    change.write(_WROTE, (site, actor, now, now))


def due_sites(database: ControlDatabase, now: int) -> Sequence[str]:
    """Return the ids of the sites whose writes are to be published by themselves now."""
    rows = database.read(_DUE, (now - QUIET, now - LONGEST, now + LONGEST))
    return [str(site) for (site,) in rows]


def due_at(database: ControlDatabase, site: str) -> int:
    """Return when the writes to a site are to be published by themselves, 0 where there are none."""
    sql = "SELECT MIN(MAX(last_at) + ?, MIN(first_at) + ?) FROM unpublished_writes WHERE site = ? AND job = 0"
    ((found,),) = database.read(sql, (QUIET, LONGEST, site))
    return int(str(found or 0))


def last_writer(change: Transaction, site: str) -> str:
    """Return the key that wrote last of what no job has taken, "" where there is none."""
    sql = "SELECT actor FROM unpublished_writes WHERE site = ? AND job = 0 ORDER BY last_at DESC LIMIT 1"
    rows = change.read(sql, (site,))
    return str(rows[0][0]) if rows else ""


def take(change: Transaction, site: str, job: int) -> None:
    """Note that the snapshot of a job has all that was written until now."""
    change.write("UPDATE unpublished_writes SET job = ? WHERE site = ?", (job, site))


def put_aside(change: Transaction, site: str) -> None:
    """Have nothing published by itself of what was written until now."""
    take(change, site, _ASIDE)


def put_one_off_aside(change: Transaction, site: str, now: int) -> None:
    """Have what one-off keys wrote published with others' at most; jobs that are stopped took nothing."""
    change.write(_UNTAKE, (site, now))
    change.write(_ONE_OFF_ASIDE, (_ASIDE, site, KeyKind.ONE_OFF.value))


def released(change: Transaction, site: str, job: int) -> None:
    """Forget what the release of a job has."""
    change.write("DELETE FROM unpublished_writes WHERE site = ? AND job = ?", (site, job))


def forget(change: Transaction, site: str) -> None:
    """Forget what keys have written to a site, and are just writing."""
    for table in ("unpublished_writes", "begun_writes"):
        change.write(f"DELETE FROM {table} WHERE site = ?", (site,))  # noqa: S608 - constants


def revoked_writer(database: ControlDatabase, site: str) -> str:
    """Return in words which key wrote to a site and was disabled or deleted since, "" for none."""
    rows = database.read(_REVOKED, (site,))
    if not rows:
        return ""
    label, last_four = rows[0]
    if last_four is None:
        return "a key that wrote to it was deleted"
    return f"the key {label or f'…{last_four}'}, which wrote to it, was disabled"
