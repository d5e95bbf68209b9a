"""What the service knows about sites and keys. No HTTP and no terminal: those come on top of it."""

from server.control.database import Database
from server.control.errors import (
    AmbiguousKey,
    BadKey,
    DatabaseBusy,
    DatabaseError,
    DatabaseFull,
    DisabledKey,
    ExpiredKey,
    InvalidLabel,
    KeyNotFound,
    KeyRefused,
    NewerDatabase,
)
from server.control.key_text import REDACT, Kind, kind_of, redacted
from server.control.keys import ONE_OFF_SECONDS, Created, Keys
from server.control.local import local_database
from server.control.records import KeyRecord
from server.control.sites import local_site

__all__ = [
    "ONE_OFF_SECONDS",
    "REDACT",
    "AmbiguousKey",
    "BadKey",
    "Created",
    "Database",
    "DatabaseBusy",
    "DatabaseError",
    "DatabaseFull",
    "DisabledKey",
    "ExpiredKey",
    "InvalidLabel",
    "KeyNotFound",
    "KeyRecord",
    "KeyRefused",
    "Keys",
    "Kind",
    "NewerDatabase",
    "kind_of",
    "local_database",
    "local_site",
    "redacted",
]
