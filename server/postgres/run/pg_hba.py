"""The rules for connecting: `pg_hba.conf`, in its two states."""

from __future__ import annotations

from collections.abc import Sequence

from server.postgres.server_settings import ServerSettings

ADMIN = "twinpress"
"""The superuser of a server that Twinpress runs."""

HEAD = "# Twinpress writes this file: what is changed here is lost.\n"
LOCAL = ("127.0.0.1/32", "::1/128")


def closed() -> str:
    """The administrator alone, with its password."""
    return HEAD + _lines([f"local all {ADMIN}", *(f"host all {ADMIN} {each}" for each in LOCAL)])


def opened(settings: ServerSettings) -> str:
    """Tenants too, each to the database of its own name; from elsewhere by TLS alone."""
    places = [f"host samerole all {each}" for each in LOCAL]
    if settings.tls:
        places.append("hostssl samerole all all")
    return closed() + f"host all {ADMIN} all reject\n" + _lines(places)


def _lines(places: Sequence[str]) -> str:
    return "".join(f"{place} scram-sha-256\n" for place in places)
