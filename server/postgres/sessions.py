"""Sessions of the administrator, kept for the next use, for several threads at once."""

from __future__ import annotations

import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import Connection
from psycopg.pq import TransactionStatus

from server.postgres.errors import EngineUnavailable
from server.postgres.server import DatabaseServer
from server.postgres.statements import Row, explained, open_session

PATIENCE = 30
"""Seconds that a thread waits for another one to give its session back."""


class Sessions:
    """At most `size` sessions in the maintenance database, and those that are opened for one use elsewhere.

    A session that died with its server is replaced by a new one; what was running in it raises
    EngineUnavailable. All are named `application`. A new one is used only while `may` says so: whoever has
    ended the sessions of this service, because it leads in its place, is not to meet others of it later.
    """

    def __init__(
        self,
        server: Callable[[], DatabaseServer],
        application: str,
        size: int,
        may: Callable[[], bool] = lambda: True,
    ) -> None:
        self._server = server
        self._may = may
        self._application = application
        self._slots = threading.BoundedSemaphore(size)
        self._idle: list[Connection[Row]] = []
        self._closed = False

    @contextmanager
    def session(self) -> Iterator[Connection[Row]]:
        """A session for the `with` block, in which errors of psycopg become those of `errors`."""
        if not self._slots.acquire(timeout=PATIENCE):
            message = "all sessions of the administrator have been in use for too long"
            raise EngineUnavailable(
                message, hint="try again; see whether the PostgreSQL server is overloaded"
            )
        try:
            server = self._server()
            connection = self._reused() or self.open("postgres")
            try:
                with explaining(server):
                    yield connection
            finally:
                self._give_back(connection)
        finally:
            self._slots.release()

    def open(self, database: str) -> Connection[Row]:
        """A session in another database, which the caller closes."""
        connection = open_session(self._server(), database, self._application)
        if not self._may():
            connection.close()
            raise EngineUnavailable("another service leads now", hint="try again")
        return connection

    def close(self) -> None:
        """Close the sessions that nobody uses, and each of the others when it is given back."""
        self._closed = True
        while connection := self._take():
            connection.close()

    def _reused(self) -> Connection[Row] | None:
        while connection := self._take():
            if _is_quiet(connection):
                return connection
            connection.close()
        return None

    def _take(self) -> Connection[Row] | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _give_back(self, connection: Connection[Row]) -> None:
        idle = connection.info.transaction_status == TransactionStatus.IDLE
        if idle and not connection.closed and not self._closed:
            self._idle.append(connection)
        else:
            connection.close()


@contextmanager
def explaining(server: DatabaseServer) -> Iterator[None]:
    """Let errors of psycopg leave the block as errors of `errors`."""
    try:
        yield
    except psycopg.Error as error:
        # The text of psycopg's error may quote the statement, and with it a verifier.
        raise explained(error, server) from None


def _is_quiet(connection: Connection[Row]) -> bool:
    """Return whether nothing has come since the last answer: a server that stops speaks, or hangs up."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return not poll.poll(0)
