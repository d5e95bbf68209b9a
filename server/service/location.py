"""The location of a data folder's databases: on the PostgreSQL that the service runs, or on somebody else's.

A service that is started without the variable that it had yesterday would find none of them, and tell
another server what was meant for the first.
"""

from __future__ import annotations

from server.control import base62
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import chosen, keep, known
from server.postgres.errors import EngineError
from server.service.host_settings import DSN

OWN = "own"
_PLACE, _FOLDER = "engine:place", "engine:folder"
_LENGTH = 16


def settle(database: ControlDatabase, place: str) -> None:
    """Keep that they are at this place: OWN, or the address of a server.

    Raises EngineError when there are some already, and they are not there. A server may have another address
    than before.
    """
    before = known(database, _PLACE)
    if before is not None and before != place and OWN in {before, place} and _any(database):
        if place == OWN:
            raise unknown(before)
        message = f"the databases of this data folder are on its own PostgreSQL, not on {place}"
        raise EngineError(message, hint=f"start without {DSN}, or use another data folder")
    if before != place:
        keep(database, _PLACE, place)


def elsewhere(database: ControlDatabase) -> str | None:
    """The address of the server that somebody else runs; None when the service runs its own."""
    place = known(database, _PLACE)
    return None if place == OWN else place


def unknown(place: str) -> EngineError:
    """Nobody has said how that server is reached: the string holds a password, and is not kept."""
    message = f"the databases of this data folder are on the PostgreSQL server {place}"
    return EngineError(message, hint=f"put its connection string into {DSN}")


def folder(database: ControlDatabase) -> str:
    """What tells the data folder apart from all others; it is no secret."""
    return chosen(database, _FOLDER, lambda: base62.random(_LENGTH))


def _any(database: ControlDatabase) -> bool:
    return bool(database.read("SELECT 1 FROM databases LIMIT 1"))
