"""From what the service knows to what is answered."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

import msgspec

from server.control.plans import Plans
from server.databases.database_structs import DatabaseRecord, RevealedDatabase
from server.hosting.hosting_service import Revealed
from server.hosting.records import LOST, Hosted
from server.hosting.storage import storage
from server.postgres.server import DatabaseServer


def record(row: Hosted, server: DatabaseServer, plans: Plans) -> DatabaseRecord:
    """The database as its owner may see it; the server is where tenants connect to."""
    limits = row.limits(plans)
    status = row.status
    return DatabaseRecord(
        id=row.id,
        name=row.name,
        engine="postgresql",
        version=version(server.version),
        status=status,
        host=server.public_host,
        port=server.public_port,
        database=row.id,
        user=row.id,
        sslmode=server.public_sslmode,
        connection_limit=limits.connections,
        size_bytes=row.size_bytes,
        storage_limit_bytes=limits.storage_bytes,
        storage=storage(row, plans),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        password_rotated_at=None if row.password_rotated_at is None else moment(row.password_rotated_at),
        error=_error(row) if status == "error" else None,
    )


def revealed(found: Revealed, server: DatabaseServer, plans: Plans) -> RevealedDatabase:
    """The same, with the password."""
    made = record(found.row, server, plans)
    return RevealedDatabase(
        **msgspec.structs.asdict(made), password=found.password, connection_uri=uri(made, found.password)
    )


def _error(row: Hosted) -> str:
    """In words for its owner; what the server said is for whoever runs the service."""
    if row.lost:
        return f"it is missing on the server: {LOST}"
    if row.shut_until is not None and row.shut_why == "session":
        return (
            "a statement that PostgreSQL cannot interrupt was ended by force; "
            f"nobody can log in until {moment(row.shut_until)}"
        )
    if row.shut_until is not None and row.shut_why == "settings":
        return (
            "settings that were given to its user, with ALTER ROLE, filled the disk of all; "
            f"nobody can log in until {moment(row.shut_until)}"
        )
    if row.shut_until is not None:
        return (
            f"it has grown far beyond its storage; nobody can log in until {moment(row.shut_until)}, "
            "and then it has to become smaller"
        )
    return "the server refuses a change; it is tried again"


def uri(made: DatabaseRecord, password: str) -> str:
    """The connection URI that libpq and its like take (PostgreSQL documentation, 32.1.1.2)."""
    host = f"[{made.host}]" if ":" in made.host else made.host
    secret = quote(password, safe="")
    return f"postgresql://{made.user}:{secret}@{host}:{made.port}/{made.database}?sslmode={made.sslmode}"


def version(number: int) -> str:
    """`server_version_num` as people write it: 180003 is 18.3."""
    return f"{number // 10000}.{number % 10000}"


def moment(seconds: int) -> str:
    """Seconds since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()
