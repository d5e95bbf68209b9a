"""Errors of hosted databases.

    TwinpressError
    └── HostingError
        ├── InvalidName            this cannot be a database's name
        ├── NameTaken              the account has a database of this name
        ├── DatabaseLimitReached   the account has as many as its plan allows
        ├── DatabaseNotFound       the account has no such database
        ├── DatabaseBusy           it is being made or removed
        ├── PasswordOutOfSync      its user has changed the password
        ├── AccountSuspended       the account may change nothing now
        ├── IdempotencyInProgress  the first request with this key is not done
        └── IdempotencyKeyReused   the key was sent with another request

No message holds a password.
"""

from __future__ import annotations

from builder.errors import TwinpressError


class HostingError(TwinpressError):
    """Something about a hosted database was refused."""


class InvalidName(HostingError):
    """The text cannot be a database's name."""


class NameTaken(HostingError):
    """Another database of the account has this name; case makes no difference."""


class DatabaseLimitReached(HostingError):
    """The account has as many databases as its plan allows."""


class DatabaseNotFound(HostingError):
    """The account has no database with this id."""


class DatabaseBusy(HostingError):
    """The database is being made or removed, or the server takes long; try again."""


class PasswordOutOfSync(HostingError):
    """The password on the server is not the one that is kept here: its user has changed it."""


class AccountSuspended(HostingError):
    """The account was suspended a moment ago."""


class IdempotencyInProgress(HostingError):
    """The first request with this idempotency key is still being done."""


class IdempotencyKeyReused(HostingError):
    """The idempotency key was sent with another request before."""
