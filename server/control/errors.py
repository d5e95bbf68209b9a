"""What can go wrong with keys and with the database that holds them.

    TwinpressError
    ├── DatabaseError        the database cannot be used
    │   ├── DatabaseBusy     another program holds it; try again
    │   ├── DatabaseFull     no room on the disk
    │   └── NewerDatabase    a newer Twinpress has changed it
    ├── KeyRefused           a key that opens nothing
    │   ├── BadKey           no key, unknown or deleted
    │   ├── ExpiredKey       its time is over
    │   └── DisabledKey      its owner has disabled it
    ├── KeyNotFound          no key has this id, label or ending
    ├── AmbiguousKey         several keys have it
    └── InvalidLabel         the text cannot be a label, or holds a key

No message holds the text of a key.
"""

from __future__ import annotations

from builder.errors import TwinpressError


class DatabaseError(TwinpressError):
    """The database cannot be used: broken, unreadable, or not a database."""


class DatabaseBusy(DatabaseError):
    """Another program holds the database for longer than a writer waits."""


class DatabaseFull(DatabaseError):
    """There is no room for the change; nothing of it was made."""


class NewerDatabase(DatabaseError):
    """The database has migrations that this program does not know."""


class KeyRefused(TwinpressError):
    """The key opens nothing; the subclass says why."""


class BadKey(KeyRefused):
    """No key of ours, or one that was deleted."""


class ExpiredKey(KeyRefused):
    """A one-off key outside of its hour."""


class DisabledKey(KeyRefused):
    """A key that its owner has disabled."""


class KeyNotFound(TwinpressError):
    """No key of the site has this id, label or ending."""


class AmbiguousKey(TwinpressError):
    """Several keys of the site have this label or ending; the hint names their ids."""


class InvalidLabel(TwinpressError):
    """The text is too long for a label, or holds a key or characters that cannot be shown."""
