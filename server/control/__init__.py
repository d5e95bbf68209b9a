"""Sites, keys and accounts, as the service keeps them. No HTTP and no terminal: those come on top of it."""

from builder.redaction import REDACT, redacted
from server.control.errors import (
    AmbiguousKey,
    BadKey,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
    DisabledKey,
    ExpiredKey,
    InvalidLabel,
    KeyNotFound,
    KeyRefused,
    NewerDatabase,
)
from server.control.keys.key_record import KeyRecord
from server.control.keys.key_text import KeyKind, kind_of
from server.control.keys.site_keys import ONE_OFF_SECONDS, Created, SiteKeys
from server.control.sites import local_site
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.local_database import local_database

__all__ = [
    "ONE_OFF_SECONDS",
    "REDACT",
    "AmbiguousKey",
    "BadKey",
    "ControlDatabase",
    "Created",
    "DatabaseError",
    "DatabaseFull",
    "DatabaseLocked",
    "DisabledKey",
    "ExpiredKey",
    "InvalidLabel",
    "KeyKind",
    "KeyNotFound",
    "KeyRecord",
    "KeyRefused",
    "NewerDatabase",
    "SiteKeys",
    "kind_of",
    "local_database",
    "local_site",
    "redacted",
]
