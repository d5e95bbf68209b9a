"""Errors of the PostgreSQL server, and of the programs and folders that it takes to run one.

    TwinpressError
    └── EngineError              the server or its tools cannot be used
        ├── EngineUnavailable    it cannot be reached now; try again
        │   ├── EngineStarting   it runs, and does not take connections yet
        │   └── SessionsLeft     what was to be locked is, and sessions of it go on
        ├── EngineFull           there is no room on its disk
        ├── EngineRefused        it is there, and does not let the administrator in
        ├── EngineMissing        there are no programs to run, or they cannot be run
        └── ToolFailed           pg_dump, pg_restore or psql gave up

No message holds a password.
"""

from __future__ import annotations

from builder.errors import TwinpressError


class EngineError(TwinpressError):
    """The PostgreSQL server cannot be used as it is; trying again does not help.

    `settings` are the fields of Settings that the way out is about: who knows the command line names options.
    """

    def __init__(
        self, message: str, *, path: str = "", hint: str = "", settings: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, path=path, hint=hint)
        self.settings = settings


class EngineUnavailable(EngineError):
    """The server cannot be reached now: it is down, starting, or has no free connection. Try again."""


class EngineStarting(EngineUnavailable):
    """The server was started and is not ready in time: it may read the journal of one that was killed."""


class SessionsLeft(EngineUnavailable):
    """Nobody logs in any more to what was to be locked, and sessions that were asked to end go on."""


class EngineFull(EngineError):
    """There is no room on the server's disk. It goes on when somebody has made some."""


class EngineRefused(EngineError):
    """The server answers, and refuses the administrator: its name, its password or its address."""


class EngineMissing(EngineError):
    """There are no programs of PostgreSQL here, or they cannot be run by the user that should."""


class ToolFailed(EngineError):
    """A program of PostgreSQL ended with an error; the message holds its last words."""
