"""Make and remove a tenant's role and database. Each step finds out what is done already."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from psycopg import Connection, sql
from psycopg.errors import Diagnostic

from server.postgres.server import DatabaseServer
from server.postgres.sessions import Sessions, explaining
from server.postgres.statements import Row, script, statement
from server.postgres.tenants import functions
from server.postgres.tenants.inventory import INVALID
from server.postgres.tenants.locks import LIMITS, Locker
from server.postgres.tenants.tenant_settings import HARD, TenantSettings

_NOTHING = "nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls nologin"
_ROLE = "select 1 from pg_catalog.pg_roles where rolname = %s"
_DATABASE = "select datconnlimit from pg_catalog.pg_database where datname = %s"
_OWNER = "select pg_catalog.pg_get_userbyid(nspowner) from pg_catalog.pg_namespace where nspname = 'public'"
_MAY_SET = "select pg_catalog.has_parameter_privilege(%s, 'SET')"
_ACTS_FOR = "select pg_catalog.pg_has_role(%s, 'USAGE') and pg_catalog.pg_has_role(%s, %s)"

_WAITING = re.compile(r"(\d+)\D*ProcSignalBarrier")
"""In `still waiting for backend with PID 4711 to accept ProcSignalBarrier`."""

_GRANTED_IN = """
select distinct d.datname::text from pg_catalog.pg_shdepend s
join pg_catalog.pg_database d on d.oid = s.dbid join pg_catalog.pg_roles r on r.oid = s.refobjid
where s.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass and r.rolname = %s"""


class Tenants:
    """Makes and removes tenants of a server, and enters their databases."""

    def __init__(
        self, server: DatabaseServer, sessions: Sessions, settings: TenantSettings, locker: Locker
    ) -> None:
        self.locker = locker
        self._server = server
        self._sessions = sessions
        self._settings = settings

    def create(self, template: str, name: str, verifier: str) -> None:
        """Make what is missing. A new role cannot log in yet."""
        with self._sessions.session() as connection:
            new = [] if _one(connection, _ROLE, name) else [statement(f"create role {{}} {_NOTHING}", name)]
            self.locker.change(connection, name, *new, *self._role(connection, name, verifier))
            if _one(connection, _DATABASE, name) == INVALID:
                connection.execute(statement("drop database {}", name))
            is_new = _one(connection, _DATABASE, name) is None
            if is_new:
                # Until its rights are taken from everybody, nobody is to come in; `unlock` sets the limit.
                connection.execute(
                    statement("create database {} template {} connection limit 0", name, template)
                )
            marked = [functions.mark(name)] if is_new and self._server.superuser else []
            script(connection, [*_rights(name), *marked])
        with self.inside(name) as inner:
            if _one(inner, _OWNER) not in {name, None}:
                self.locker.insist(inner, [name], lambda: self._hand_over(inner, name))

    def withhold(self, name: str) -> None:
        """Take functions from a tenant whose database was made before they were known to be endless."""
        with self.inside(name) as inner:
            self.locker.insist(inner, [name], lambda: functions.withhold(inner))
            inner.execute(functions.mark(name))

    def drop(self, name: str) -> None:
        """Remove database and role, and what other tenants have granted to the role.

        The server may write a checkpoint first, so this takes no session that others wait for.
        """
        with closing(self._sessions.open("postgres")) as connection, explaining(self._server):
            self.locker.lock(connection, [name])
            with self._asking_who_holds_up(connection):
                connection.execute(statement("drop database if exists {} with (force)", name))
            granting = [other for (other,) in connection.execute(_GRANTED_IN, [name])]
        for other in granting:
            self._disown(other, name)
        with self._sessions.session() as connection:
            connection.execute(statement("drop role if exists {}", name))

    @contextmanager
    def inside(self, name: str) -> Iterator[Connection[Row]]:
        """A session in a tenant's database, also when its limit of connections lets nobody in."""
        with closing(self._enter(name)) as connection, explaining(self._server):
            yield connection

    @contextmanager
    def acting_for(self, inner: Connection[Any], *names: str) -> Iterator[None]:
        """A transaction in which the administrator has the rights of tenants, as a superuser always has."""
        option, how = (" with set true, inherit true", "SET") if self._server.major >= 16 else ("", "MEMBER")
        with inner.transaction():
            lent = [name for name in names if not _one(inner, _ACTS_FOR, name, name, how)]
            script(inner, [statement("grant {} to current_user" + option, name) for name in lent])
            yield
            script(inner, [statement("revoke {} from current_user", name) for name in lent])

    def _enter(self, name: str) -> Connection[Row]:
        """Limits of a database hold for all but superusers, and are looked at when a session begins."""
        if self._server.superuser:
            return self._sessions.open(name)
        with self._sessions.session() as connection, LIMITS:
            limit = _one(connection, _DATABASE, name)
            connection.execute(statement("alter database {} connection limit -1", name))
            try:
                return self._sessions.open(name)
            finally:
                connection.execute(statement("alter database {} connection limit {limit}", name, limit=limit))

    def _hand_over(self, inner: Connection[Any], name: str) -> None:
        with self.acting_for(inner, name):
            inner.execute(statement("alter schema public owner to {}", name))

    @contextmanager
    def _asking_who_holds_up(self, connection: Connection[Any]) -> Iterator[None]:
        """Ask those to end for whom the server waits in this session: each process has to close its files.

        The server names them every five seconds, for its log, and here for us.
        """

        def ask(said: Diagnostic) -> None:
            if named := _WAITING.search(said.message_primary or ""):
                with self._sessions.session() as other:
                    self.locker.ask_who_holds_up(other, int(named[1]))

        connection.execute("set client_min_messages = 'log'")
        connection.add_notice_handler(ask)
        yield

    def _disown(self, other: str, name: str) -> None:
        """A tenant may grant rights to another one's role, which could then not be dropped."""

        def disown() -> None:
            with self.acting_for(inner, other, name):
                inner.execute(statement("drop owned by {}", name))

        with self.inside(other) as inner:
            self.locker.insist(inner, [other], disown)

    def _role(self, connection: Connection[Any], name: str, verifier: str) -> list[sql.Composed]:
        chosen = self._settings
        settings = {
            "statement_timeout": f"{chosen.statement_seconds}s",
            "idle_in_transaction_session_timeout": f"{chosen.idle_in_transaction_seconds}s",
        }
        values = (f"{chosen.temp_file_bytes // 1024}kB", "panic", "panic")
        hard = dict(zip(HARD, values, strict=True))
        settings |= {key: value for key, value in hard.items() if _one(connection, _MAY_SET, key)}
        password = statement("alter role {} password {verifier}", name, verifier=verifier)
        return [password] + [
            statement("alter role {} set {} = {value}", name, key, value=value)
            for key, value in settings.items()
        ]


def _rights(name: str) -> list[sql.Composed]:
    return [
        statement("revoke all on database {} from public", name),
        statement("grant connect, create, temporary on database {} to {}", name, name),
    ]


def _one(connection: Connection[Any], query: Any, *parameters: str) -> Any:
    """The one value that a query gives; None when it finds nothing."""
    row = connection.execute(query, parameters).fetchone()
    return row[0] if row else None
