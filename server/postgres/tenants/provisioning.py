"""Tenants' databases on a PostgreSQL server: made, locked, limited, looked at and dropped.

All methods can be called from several threads. All that change something can be called again after a crash
in the middle of them, or twice. They raise EngineUnavailable when the server cannot be reached now, or
somebody stands in the way for too long (call again), and EngineError for what does not mend by itself.

A server belongs to one installation of Twinpress: names and locks know no second one.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

import psycopg
from psycopg import Connection

from server.postgres.errors import EngineError, EngineRefused
from server.postgres.server import DatabaseServer
from server.postgres.sessions import Sessions, explaining
from server.postgres.statements import Row, statement
from server.postgres.tenants import functions, inventory, locks, old_logins, quota, session_limits, template
from server.postgres.tenants.ending_sessions import SETTINGS, Endings, Look, Session
from server.postgres.tenants.inventory import Present, TenantState
from server.postgres.tenants.leadership import CHANGES, READS, Leadership, fence
from server.postgres.tenants.multixacts import Multixacts
from server.postgres.tenants.session_limits import AskedToEnd
from server.postgres.tenants.tenant_settings import DEFAULTS, TenantSettings
from server.postgres.tenants.tenants import Tenants

_CHANGING, _READING = 4, 4
"""Sessions at a time; threads beyond wait for one."""


class Provisioner:
    """The administrator's work on a server for its tenants. `server` may be a function that gives it.

    `owner` is the installation of Twinpress that a server of somebody else's belongs to. What changes
    something `needs_lead`, unless no service is to lead; `leadership` is not gained yet.
    """

    def __init__(
        self,
        server: DatabaseServer | Callable[[], DatabaseServer],
        settings: TenantSettings = DEFAULTS,
        owner: str = "",
        *,
        needs_lead: bool = True,
    ) -> None:
        self._owner = owner
        self.service = secrets.token_hex(4)
        self._server: Callable[[], DatabaseServer] = (
            (lambda: server) if isinstance(server, DatabaseServer) else server
        )
        self._settings = settings
        self.leadership = Leadership(self._server, self.service)
        self._needs_lead = needs_lead
        # Locks have sessions of their own: they may have to wait for a tenant that does not want to go.
        self._changes, self._locks = (
            Sessions(self._server, f"{CHANGES} {self.service}", _CHANGING, self.may_change) for _ in range(2)
        )
        self._reads = Sessions(self._server, f"{READS} {self.service}", _READING)
        self._passwords = inventory.PasswordChecks()
        self._endings = Endings()
        self._locker = locks.Locker(self._endings)
        self._earlier = old_logins.OldLogins(self._reads, self._endings)
        self._standby: Connection[Row] | None = None
        self._enforcing = Lock()
        self._multixacts = Multixacts(settings.most_multixacts)

    def close(self) -> None:
        """Close all sessions; the object is of no use afterwards."""
        self._dismiss_standby()
        self._changes.close()
        self._locks.close()
        self._reads.close()

    def check(self) -> None:
        """See that the server can be reached. Raises EngineUnavailable when it cannot."""
        with self._reads.session() as connection:
            connection.execute("select 1")

    def flush(self) -> None:
        """Have the server write out what is in its journal alone, if the administrator may ask for that."""
        with self._reads.session() as connection:
            inventory.checkpoint(connection)

    def prepare(self) -> None:
        """See that the administrator may do what it must, and make the template database; call it first.

        Raises EngineRefused when rights are missing, or the server is another installation's. For the leader,
        as all that changes something.
        """
        with self._reads.session() as connection:
            if lacking := inventory.lacking_rights(connection):
                user = self._server().user
                raise EngineRefused(
                    f"the administrator `{user}` of the PostgreSQL server lacks {', '.join(lacking)}",
                    hint="run the SQL that the preflight prints",
                )
        template.make_template(self._changes, self._server(), self._settings.extensions, self._owner)

    def create(self, name: str, verifier: str, connections: int, *, login: bool = True) -> None:
        """Make role and database; without `login` they are locked from the beginning."""
        server = self._server()
        copied = template.template_name(server, self._settings.extensions)
        self._tenants.create(copied, name, verifier)
        if login:
            self.unlock({name: connections})
        else:
            self.lock([name])

    def set_password(self, name: str, verifier: str, *, end_sessions: bool = False) -> None:
        """Replace the password: the old one fails from now on. Raises EngineError where no such role is.

        A login that had begun with the old one is ended by `sweep`, when it appears as a session.
        """
        with self._changes.session() as connection:
            kept = [] if end_sessions else old_logins.sessions_of(connection, name)
            password = statement("alter role {} password {verifier}", name, verifier=verifier)
            self._locker.change(connection, name, password)
            self._earlier.watch(connection, name, kept)
        if end_sessions:
            self._earlier.end(name)

    def sweep(self) -> int:
        """End sessions that have come in with a password that was replaced; to be called often."""
        return self._earlier.sweep()

    def set_connections(self, name: str, connections: int) -> None:
        """Set how many sessions a tenant may have; a locked one has none, and is told by `unlock`."""
        with self._changes.session() as connection:
            self._locker.limit_open(connection, name, connections)

    def lock(self, names: Sequence[str]) -> None:
        """Let nobody log in any more, and end all sessions: returns when none is left.

        Names that the server does not have are left out, here and in `unlock`.
        """
        with self._locks.session() as connection:
            self._locker.lock(connection, names)

    def unlock(self, limits: Mapping[str, int]) -> None:
        """Let tenants log in again: `limits` are their connections by name."""
        with self._locks.session() as connection:
            self._locker.unlock(connection, limits)

    def drop(self, name: str) -> None:
        """Remove database and role; may take seconds."""
        self._tenants.drop(name)
        self._passwords.forget(name)

    def withhold(self) -> None:
        """Take functions that cannot be interrupted from tenants that have them, where that is ours to do.

        One that resists keeps no other one waiting. Raises EngineError when there was one.
        """
        if not self._server().superuser:
            return
        with self._reads.session() as connection:
            names = functions.unmarked(connection)
        failed: EngineError | None = None
        for name in names:
            try:
                self._tenants.withhold(name)
            except EngineError as error:
                failed = error
        if failed is not None:
            raise failed

    def found(self) -> Mapping[str, TenantState]:
        """All that the server has in our names."""
        # A limit that is lifted for a moment is none that somebody has changed.
        with self._reads.session() as connection, locks.LIMITS:
            return inventory.found(connection)

    def ask_who_is_alike(self, names: Sequence[str]) -> None:
        """Ask sessions of these to end that have computed for long without a pause."""
        with self._reads.session() as connection:
            self._locker.ask_who_is_alike(connection, names)

    def sessions(self, names: Sequence[str]) -> Sequence[Present]:
        """The sessions of tenants in these databases now."""
        with self._reads.session() as connection:
            return inventory.sessions(connection, names)

    def verify(self, name: str, password: str) -> bool:
        """Return whether the server's password of the tenant is this one, locked or not."""
        with self._reads.session() as connection:
            return self._passwords.verify(connection, self._server(), name, password)

    def fence(self) -> int:
        """End what a dead or deposed leader still has running; returns how many sessions that were.

        For the leader, before anything else.
        """
        with self._reads.session() as connection:
            return fence(connection, self.service)

    def set_full(self, name: str, full: bool) -> None:
        """Take the right to add from a tenant that has used up its room, or give it back.

        It is taken from all sessions: those that there are end.
        """
        if full:
            self.keep_full(name)
            with self._changes.session() as connection:
                self._earlier.watch(connection, name)
            self._earlier.end(name)
        else:
            quota.give_room(self._tenants, self._changes, name)

    def keep_full(self, name: str) -> None:
        """Take the right to add again, which the tenant may have given back to itself; no session ends."""
        quota.take_room(self._tenants, self._changes, name)

    def sizes(self, names: Sequence[str] | None = None) -> Mapping[str, int]:
        """Return the size of each database, in bytes; of all of them, or of these."""
        with self._reads.session() as connection:
            return quota.sizes(connection, names)

    def busy(self) -> frozenset[str]:
        """The databases in which a statement of their tenant runs at this moment."""
        with self._reads.session() as connection:
            return quota.busy(connection)

    def written_anew(self) -> frozenset[str]:
        """The databases in which a table is written anew at this moment, for which it needs room twice."""
        with self._reads.session() as connection:
            return quota.written_anew(connection)

    def catalog_size(self) -> int:
        """The bytes that the settings of all roles take; nobody's limit has them."""
        with self._reads.session() as connection:
            return quota.catalog_size(connection)

    def end_writers(self) -> Sequence[Session]:
        """Ask sessions of tenants that change their role in this moment to end, and give them."""
        with self._reads.session() as connection:
            found = quota.end_writers(connection)
        self._endings.note(found, SETTINGS)
        return found

    def shorten_settings(self) -> Sequence[quota.LongSetting]:
        """Take settings that are too long from tenants, and give them."""
        with self._changes.session() as connection:
            found = quota.long_settings(connection)
            for each in found:
                self._locker.change(connection, each.tenant, each.reset())
        return found

    def enforce_limits(
        self, spare: Sequence[str] = (), room: Mapping[str, int] | None = None
    ) -> Sequence[AskedToEnd]:
        """Ask to end what tenants, those of `spare` apart, do for too long or too much; gives who is new.

        `room` is how many bytes the temporary files of a tenant may have together, by its name.
        """
        with self._standing_by() as connection:
            found = session_limits.enforce(connection, self._settings, self._multixacts, spare, room)
        new = [self._endings.note([each.session], each.why) for each in found]
        return [each for each, is_new in zip(found, new, strict=True) if is_new]

    def asked(self) -> Look:
        """Look which of the sessions that were asked to end have ended, and which are still there."""
        with self._standing_by() as connection:
            connection.execute("select pg_catalog.pg_stat_clear_snapshot()")
            return self._endings.look(connection)

    @contextmanager
    def _standing_by(self) -> Iterator[Connection[Row]]:
        """The session that can look when the table of locks is full."""
        with self._enforcing, explaining(self._server()):
            try:
                if self._standby is None or self._standby.closed:
                    self._standby = self._reads.open("postgres")
                    session_limits.stand_by(self._standby, self._settings)
                yield self._standby
            except psycopg.Error:
                self._dismiss_standby()
                raise

    def _dismiss_standby(self) -> None:
        if self._standby is not None:
            self._standby.close()
        self._standby = None

    def may_change(self) -> bool:
        """Return whether this service may change anything: it leads, or need not. Asks the server."""
        return not self._needs_lead or self.leadership.leads()

    @property
    def _tenants(self) -> Tenants:
        """Of the server as it is now: after a restart, version and port may be others."""
        return Tenants(self._server(), self._changes, self._settings, self._locker)
