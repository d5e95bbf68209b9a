"""Wishes to publish sites, as rows: at most one waits and one runs for each site, whichever process asks.

Whoever runs one holds the lock of its site as well, which the system lets go when its process is killed: at a
row that runs without a lock nobody works any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from builder.errors import TwinpressError
from server.control import audit, unpublished_writes
from server.control.audit import By, Event
from server.control.errors import SiteNotFound
from server.control.sqlite.database import ControlDatabase, Row, Transaction, record_of
from server.struct_types import prepare

State = Literal["waiting", "running", "done", "failed"]
MOST_ATTEMPTS = 2
"""How often a job is begun: what ended the service twice is given up."""
GIVEN_UP = "the service has ended twice while this was published"
_KEPT = 50
"""Jobs of a site that are kept when they have ended."""


class JobNotFound(TwinpressError):
    """The site has no such job, or not any more."""


class PublishJob(Struct, frozen=True):
    """A wish to publish a site. Times are whole seconds since 1970, UTC.

    `release` is the number of the release that has come of it, `said` why none has. One that nobody has asked
    for, after writes by keys, is there `by_itself`. It failed `tries` times for what may be over soon, and
    waits until `due_at`, 0 for a job that is due.
    """

    number: int
    site: str
    actor: str
    state: State
    despite_errors: bool
    stop: bool
    attempts: int
    asked_at: int
    started_at: int | None
    ended_at: int | None
    release: int | None
    said: str
    by_itself: bool = False
    tries: int = 0
    due_at: int = 0

    @property
    def is_under_way(self) -> bool:
        """Return whether it has yet to end."""
        return self.state in {"waiting", "running"}

    @property
    def is_put_off(self) -> bool:
        """Return whether it has failed, and waits to be tried again."""
        return self.state == "waiting" and self.due_at > 0

    @property
    def was_stopped(self) -> bool:
        """Return whether it has ended without a release because somebody wanted that."""
        return self.state == "failed" and self.stop


class SiteJob(Struct, frozen=True):
    """A job with the names of its site and of the site's owner."""

    job: PublishJob
    site_name: str
    account: str
    email: str


class JobCounts(Struct, frozen=True):
    """The numbers of jobs of the service that wait, run, and have failed since some time."""

    waiting: int = 0
    running: int = 0
    failed: int = 0


prepare(PublishJob)
_SELECT = f"SELECT {', '.join(PublishJob.__struct_fields__)} FROM publish_jobs"  # noqa: S608 - constants alone
_INSERT = "INSERT INTO publish_jobs (site, actor, state, despite_errors, asked_at) VALUES (?, ?, ?, ?, ?)"
_OF_JOB = ", ".join(f"publish_jobs.{name}" for name in PublishJob.__struct_fields__)
_OF_SERVICE = f"""
    SELECT sites.name, accounts.id, accounts.email, {_OF_JOB}
    FROM publish_jobs JOIN sites ON sites.id = publish_jobs.site JOIN accounts ON accounts.id = sites.account
    WHERE state IN ('waiting', 'running') OR (state = 'failed' AND stop = 0 AND ended_at >= ?)
    ORDER BY number DESC
"""  # noqa: S608 - constants alone
_STOP_WAITING = """
    UPDATE publish_jobs SET state = 'failed', stop = 1, ended_at = ?, said = ?
    WHERE site = ? AND number = ? AND state = 'waiting'
"""
_STOP_RUNNING = "UPDATE publish_jobs SET stop = 1 WHERE site = ? AND number = ? AND state = 'running'"
_ASK_AGAIN = """
    UPDATE publish_jobs SET actor = ?, despite_errors = ?, by_itself = 0, due_at = 0
    WHERE site = ? AND state = 'waiting'
"""
_PUT_OFF = """
    UPDATE publish_jobs SET state = 'waiting', attempts = 0, tries = tries + 1, due_at = ?, said = ?
    WHERE number = ? AND state = 'running' AND stop = 0 AND NOT EXISTS (
        SELECT 1 FROM publish_jobs AS other WHERE other.site = publish_jobs.site AND other.state = 'waiting'
    )
"""
_STOP_ALL = """
    UPDATE publish_jobs SET stop = 1, ended_at = CASE state WHEN 'waiting' THEN ? END,
        said = CASE state WHEN 'waiting' THEN ? ELSE '' END,
        state = CASE state WHEN 'waiting' THEN 'failed' ELSE state END
    WHERE site = ? AND state IN ('waiting', 'running') AND by_itself >= ?
"""
_UNDER_WAY = f"""
    SELECT {_OF_JOB} FROM publish_jobs JOIN sites ON sites.id = publish_jobs.site WHERE state = ?
        AND (due_at <= ? OR due_at > ?)
    ORDER BY (
        SELECT COUNT(*) FROM publish_jobs AS other JOIN sites AS its ON its.id = other.site
        WHERE other.state = 'running' AND its.account = sites.account
    ), number
"""  # noqa: S608 - constants alone
_ALIKE = """
    SELECT by_itself, state, stop, said FROM publish_jobs
    WHERE site = ? AND number < ? AND ended_at IS NOT NULL ORDER BY number DESC LIMIT 1
"""
_ACCOUNT_OF = """
    SELECT sites.account FROM sites JOIN accounts ON accounts.id = sites.account
    WHERE sites.id = ? AND sites.delete_at IS NULL AND NOT accounts.suspended
"""
_INSERT_ITSELF = """
    INSERT INTO publish_jobs (site, actor, state, asked_at, by_itself) VALUES (?, ?, 'waiting', ?, 1)
"""
PAUSES = (30, 120, 600, 3600)
"""Seconds until a site is published by itself again, after each failure that may be over soon."""


class PublishJobs:
    """The jobs in a database. `clock` gives the seconds since 1970. Safe to use from several threads."""

    def __init__(self, database: ControlDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def ask(self, site: str, by: By, *, despite_errors: bool = False) -> PublishJob:
        """Have a site published; where a job of the site waits already, it is that one.

        Raises SiteNotFound, also for a site that is to be deleted.
        """
        with self._database.change() as change:
            by.check()
            found = change.read("SELECT account FROM sites WHERE id = ? AND delete_at IS NULL", (site,))
            if not found:
                raise SiteNotFound("there is no such site here", hint="look at the list of your sites")
            waiting = self._waiting(change, site, by, despite_errors)
            audit.note(change, Event(self._now(), str(found[0][0]), by.actor, "site.publish", site))
            return waiting

    def written(self) -> Sequence[str]:
        """The ids of the sites whose writes by keys are to be published by themselves now."""
        return unpublished_writes.due_sites(self._database, self._now())

    def ask_by_itself(self, site: str, *, online: bool) -> bool:
        """Have the writes of a site published, unless it is not `online`, so that its owner is to publish it.

        False where another process was quicker, or there is nobody for whom it would be.
        """
        with self._database.change() as change:
            actor, found = unpublished_writes.last_writer(change, site), change.read(_ACCOUNT_OF, (site,))
            if not actor:
                return False
            if not (found and online):
                unpublished_writes.put_aside(change, site)
                return False
            if not change.read("SELECT 1 FROM publish_jobs WHERE site = ? AND state = 'waiting'", (site,)):
                change.write(_INSERT_ITSELF, (site, actor, self._now()))
                audit.note(change, Event(self._now(), str(found[0][0]), actor, "site.publish", site))
            return True

    def why_it_waits(self, job: PublishJob) -> str:
        """Return why a job that is there by itself is its owner's to publish, "" where it is not."""
        if not job.by_itself:
            return ""
        revoked = unpublished_writes.revoked_writer(self._database, job.site)
        return f"{revoked}: look at the changes, and publish the site yourself" if revoked else ""

    def get(self, site: str, number: int) -> PublishJob:
        """The job of this site with this number. Raises JobNotFound."""
        return _one(self._database.read(f"{_SELECT} WHERE site = ? AND number = ?", (site, number)))

    def last(self, site: str) -> PublishJob | None:
        """The job of a site that was asked for last, if there is any."""
        rows = self._database.read(f"{_SELECT} WHERE site = ? ORDER BY number DESC LIMIT 1", (site,))
        return _job(rows[0]) if rows else None

    def under_way(self, state: State) -> Sequence[PublishJob]:
        """All jobs that run, or that wait and are due: the oldest first, those of busy accounts last."""
        now = self._now()
        return [_job(row) for row in self._database.read(_UNDER_WAY, (state, now, now + max(PAUSES)))]

    def of_service(self, since: int, most: int) -> Mapping[State, Sequence[SiteJob]]:
        """Return the last jobs of all sites by state: those under way, and those that failed since then."""
        found: dict[State, list[SiteJob]] = {"running": [], "waiting": [], "failed": []}
        for name, account, email, *row in self._database.read(_OF_SERVICE, (since,)):
            one = SiteJob(_job(tuple(row)), str(name), str(account), str(email))
            if len(found[one.job.state]) < most:
                found[one.job.state].append(one)
        return found

    def counts(self, since: int) -> JobCounts:
        """Count the jobs of all sites that are under way, and those that failed since then."""
        sql = (
            "SELECT state, COUNT(*) FROM publish_jobs WHERE state IN ('waiting', 'running')"
            " OR (state = 'failed' AND stop = 0 AND ended_at >= ?) GROUP BY state"
        )
        return JobCounts(
            **{str(state): int(count or 0) for state, count in self._database.read(sql, (since,))}
        )

    def begin(self, number: int) -> PublishJob | None:
        """Take a job that waits as one's own; None where somebody else has, or it is gone.

        Only for who holds the lock of its site.
        """
        sql = "UPDATE publish_jobs SET state = 'running', started_at = ?, attempts = attempts + 1, due_at = 0"
        with self._database.change() as change:
            if not change.write(f"{sql} WHERE number = ? AND state = 'waiting'", (self._now(), number)):
                return None
            begun = _one(change.read(f"{_SELECT} WHERE number = ?", (number,)))
            unpublished_writes.take(change, begun.site, number)
            return begun

    def done(self, number: int, release: int) -> None:
        """Note that a release has come of a job."""
        self._end(number, "done", release, "")

    def failed(self, number: int, said: str) -> None:
        """Note why no release has come of a job."""
        self._end(number, "failed", None, said)

    def put_off(self, job: PublishJob, said: str) -> bool:
        """Have a job tried again after a while that has failed for what may be over by then.

        False where that is not done: somebody asks for it, or wants it stopped, or it was tried often enough.
        """
        if not job.by_itself or job.tries >= len(PAUSES):
            return False
        due = self._now() + PAUSES[job.tries]
        with self._database.change() as change:
            return bool(change.write(_PUT_OFF, (due, said, job.number)))

    def resume(self, job: PublishJob) -> bool:
        """Have a job begun again whose process has ended; False where it is given up, as that was so before.

        Only for who holds the lock of its site.
        """
        if job.attempts >= MOST_ATTEMPTS:
            self.failed(job.number, GIVEN_UP)
            return False
        with self._database.change() as change:
            same = (job.number, job.attempts)
            waits = "SELECT 1 FROM publish_jobs WHERE site = ? AND state = 'waiting'"
            if change.read(waits, (job.site,)):  # whoever asked meanwhile gets the same site
                change.write("DELETE FROM publish_jobs WHERE number = ? AND attempts = ?", same)
                return True
            again = "UPDATE publish_jobs SET state = 'waiting' WHERE number = ? AND attempts = ?"
            change.write(again, same)
            return True

    def stop(self, site: str, number: int, by: By) -> None:
        """Have a job end without a release; one that only waits has ended with it."""
        with self._database.change() as change:
            by.check()
            now = self._now()
            change.write(_STOP_WAITING, (now, "it was stopped", site, number))
            change.write(_STOP_RUNNING, (site, number))

    def has_failed_alike(self, job: PublishJob, said: str) -> bool:
        """Return whether the job before was there by itself, too, and has failed for the same reason."""
        rows = self._database.read(_ALIKE, (job.site, job.number))
        return bool(rows) and tuple(rows[0]) == (1, "failed", 0, said)

    def _waiting(self, change: Transaction, site: str, by: By, despite_errors: bool) -> PublishJob:
        if not change.write(_ASK_AGAIN, (by.actor, int(despite_errors), site)):
            row = (site, by.actor, "waiting", int(despite_errors), self._now())
            change.write(_INSERT, row)
        return _one(change.read(f"{_SELECT} WHERE site = ? AND state = 'waiting'", (site,)))

    def _end(self, number: int, state: State, release: int | None, said: str) -> None:
        sql = (
            "UPDATE publish_jobs SET state = ?, ended_at = ?, release = ?, said = ?"
            " WHERE number = ? AND state IN ('waiting', 'running')"
        )
        of_site = "SELECT number FROM publish_jobs WHERE ended_at IS NOT NULL AND site ="
        site = "(SELECT site FROM publish_jobs WHERE number = ?)"
        with self._database.change() as change:
            change.write(sql, (state, self._now(), release, said, number))
            if release is not None:
                for (of,) in change.read("SELECT site FROM publish_jobs WHERE number = ?", (number,)):
                    unpublished_writes.released(change, str(of), number)
            ended = change.read(f"{of_site} {site} ORDER BY number DESC", (number,))
            for old in ended[_KEPT:]:
                change.write("DELETE FROM publish_jobs WHERE number = ?", old)

    def _now(self) -> int:
        return int(self._clock())


def stop_all(change: Transaction, site: str, now: int, said: str, *, by_itself: bool = False) -> None:
    """Have all jobs of a site end without a release, or only those that are there by themselves."""
    change.write(_STOP_ALL, (now, said, site, int(by_itself)))


def _one(rows: Sequence[Row]) -> PublishJob:
    if not rows:
        raise JobNotFound("there is no such job", hint="look at the releases of the site")
    return _job(rows[0])


def _job(row: Row) -> PublishJob:
    return record_of(PublishJob, row)
