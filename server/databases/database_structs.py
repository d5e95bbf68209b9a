"""Bodies on the wire, as typed structs; the OpenAPI document and the reference are made of them too."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from server.hosting.database_name import PATTERN
from server.hosting.hosted import Status
from server.hosting.storage import Storage

DatabaseId = Annotated[
    str,
    Meta(
        description="Names the database, and never changes.",
        extra_json_schema={"pattern": "^db_[a-z2-7]{16}$"},
    ),
]
Time = Annotated[str, Meta(description="ISO 8601 in UTC.", extra_json_schema={"format": "date-time"})]


class DatabaseRecord(Struct, frozen=True):
    """A database, without its password."""

    id: DatabaseId
    name: Annotated[str, Meta(description="The name that its owner gave it; unique in the account.")]
    engine: Annotated[Literal["postgresql"], Meta(description="The kind of database.")]
    version: Annotated[str, Meta(description="The version of the server.")]
    status: Annotated[
        Status,
        Meta(
            description="`creating` until it is there; `disabled` while the account is suspended; `deleting` "
            "until it is gone; `error` when the server refuses something, which is tried again."
        ),
    ]
    host: Annotated[str, Meta(description="Where to connect to.")]
    port: Annotated[int, Meta(description="The port there.")]
    database: Annotated[str, Meta(description="The database's name on the server.")]
    user: Annotated[str, Meta(description="The user to connect as.")]
    sslmode: Annotated[str, Meta(description="How the connection is secured, in libpq's words.")]
    connection_limit: Annotated[int, Meta(description="How many connections there may be at a time.")]
    size_bytes: Annotated[int | None, Meta(description="Its size when last looked at, null before.")]
    storage_limit_bytes: Annotated[int, Meta(description="How large it may become.")]
    storage: Annotated[
        Storage,
        Meta(
            description="`warning` from 80 % of the limit. `full` at the limit, until below 95 %: nothing "
            "can be created, and sessions begin read-only. `SET TRANSACTION READ WRITE` lets rows be deleted."
        ),
    ]
    created_at: Time
    updated_at: Time
    password_rotated_at: Annotated[
        str | None,
        Meta(
            description="When the password was last rotated, null when it never was.",
            extra_json_schema={"format": "date-time"},
        ),
    ]
    error: Annotated[str | None, Meta(description="Why its status is `error`, null when it is another.")]


class DatabaseList(Struct, frozen=True):
    """Databases of the account, from old to new."""

    databases: Annotated[list[DatabaseRecord], Meta(description="One page of the list.")]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `cursor` for the next page; null when there is none.")
    ]


class RevealedDatabase(DatabaseRecord, frozen=True):
    """A database with its current password: keep it secret."""

    password: Annotated[str, Meta(description="The password that works now.")]
    connection_uri: Annotated[str, Meta(description="All that a client needs to connect, as one URI.")]


class CreateDatabase(Struct, frozen=True, forbid_unknown_fields=True):
    """The request for a new database."""

    name: Annotated[
        str | None,
        Meta(
            description="1 to 63 letters, digits, `-` and `_`, beginning with a letter, and not like an id. "
            "Without it, its id.",
            extra_json_schema={"pattern": PATTERN},
        ),
    ] = None


class RotatePassword(Struct, frozen=True, forbid_unknown_fields=True):
    """The request for a new password."""

    terminate_sessions: Annotated[
        bool,
        Meta(description="Whether sessions that are open end, too. New ones need the new password anyway."),
    ] = False
