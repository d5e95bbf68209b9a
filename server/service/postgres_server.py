"""The PostgreSQL that the service uses: one that it runs by itself, or one that others run.

A service that is started without the variable that it had yesterday would find none of its databases, and
tell another server what was meant for the first. So their place is kept in the control database.
"""

from __future__ import annotations

import errno
import logging
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from server.control import base62
from server.control.sealing import Keyring, open_keyring, setting
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import chosen, keep, known
from server.hosting.end_by_force import End
from server.postgres.errors import EngineError
from server.postgres.external import as_found, external
from server.postgres.preflight import preflight
from server.postgres.remedies import report
from server.postgres.run.embedded import adopted, embedded
from server.postgres.server import DatabaseServer
from server.postgres.server_settings import ServerSettings
from server.postgres.tenants.template import check_owner
from server.process.interrupts import breakable
from server.service.host_settings import DSN, HostSettings

OWN = "own"
PLACE, _FOLDER = "engine:place", "engine:folder"
_MARK_LENGTH = 16


def _settle(control: ControlDatabase, place: str) -> None:
    """Keep that they are at this place: OWN, or the address of a server.

    Raises EngineError when there are some already, and they are not there. A server may have another address
    than before.
    """
    before = known(control, PLACE)
    if before is not None and before != place and OWN in {before, place} and _any(control):
        if place == OWN:
            raise _unknown(before)
        message = f"the databases of this data folder are on its own PostgreSQL, not on {place}"
        raise EngineError(message, hint=f"start without {DSN}, or use another data folder")
    if before != place:
        keep(control, PLACE, place)


def _elsewhere(control: ControlDatabase) -> str | None:
    """The address of the server that somebody else runs; None when the service runs its own."""
    place = known(control, PLACE)
    return None if place == OWN else place


def _unknown(place: str) -> EngineError:
    """Nobody has said how that server is reached: the string holds a password, and is not kept."""
    message = f"the databases of this data folder are on the PostgreSQL server {place}"
    return EngineError(message, hint=f"put its connection string into {DSN}")


def folder_mark(control: ControlDatabase) -> str:
    """Return a mark that tells the data folder from all others; it is no secret."""
    return chosen(control, _FOLDER, lambda: base62.random(_MARK_LENGTH))


def _any(control: ControlDatabase) -> bool:
    return bool(control.read("SELECT 1 FROM databases LIMIT 1"))


OPTIONS: Mapping[str, str] = {
    "port": "--db-port",
    "listen": "--db-listen",
    "public_host": "--db-host",
    "certificate": "--db-cert",
    "key": "--db-key",
    "max_connections": "--db-connections",
    "bin_dir": "--db-bin-dir",
    "run_user": "--db-user",
}
"""How an operator chooses what a setting is, by the setting."""


@contextmanager
def named() -> Iterator[None]:
    """Within it, and in functions that it decorates, the way out of an EngineError names the options."""
    try:
        yield
    except EngineError as error:
        if not error.settings:
            raise
        options = ", ".join(OPTIONS[each] for each in error.settings)
        raise type(error)(error.message, path=error.path, hint=f"{error.hint} ({options})") from error


FOLDER = "postgres"
PORT, PASSWORD = "engine:port", "sealed:engine"
_LENGTH = 40
_LOG = logging.getLogger("twinpress.host")
_PORTS, _TRIES = range(10_000, 30_000), 100
"""Below those that Linux gives to connections that go out (32768 to 60999)."""


class RunningServer(Struct, frozen=True):
    """A server that is there. `ensure` starts it again when it has died, closed to tenants.

    `open` lets tenants in, if what it is given says yes when nobody can start the server any more; it says
    whether it has, which it has not while the disk is full.
    """

    server: DatabaseServer
    owner: str
    """What a server of somebody else's is marked with; "" for one of our own."""
    open: Callable[[Callable[[], bool]], bool]
    ensure: Callable[[], object]
    end_by_force: End | None = None
    """Ends sessions that hear nothing; nobody may do that to a server of somebody else's."""


@contextmanager
def running(settings: HostSettings, control: ControlDatabase, keyring: Keyring) -> Iterator[RunningServer]:
    """The server, ready for its administrator; one of our own is not open to tenants yet.

    Raises EngineError.
    """
    if settings.dsn:
        server, owner = prepared(settings.dsn, settings.engine.public_host), folder_mark(control)
        with breakable(), server.connect() as connection:
            check_owner(connection, server, owner)
        _settle(control, server.place)
        yield RunningServer(server, owner, lambda _may: True, _nothing)
        return
    with named(), _own(settings, control, keyring) as made:
        yield made


@contextmanager
def _own(settings: HostSettings, control: ControlDatabase, keyring: Keyring) -> Iterator[RunningServer]:
    _settle(control, OWN)
    port = settings.engine.port or int(chosen(control, PORT, lambda: str(free_port(settings.engine.listen))))
    with embedded(
        settings.data / FOLDER,
        msgspec.structs.replace(settings.engine, port=port),
        _password(control, keyring),
    ) as engine:
        # Other programs look for it there, and so does the next start.
        keep(control, PORT, str(port))
        _tell_overruled(engine.in_force(), settings.engine)
        ensure = named()(engine.ensure)
        yield RunningServer(engine.server, "", engine.open, ensure, engine.end_by_force)


def _tell_overruled(there: ServerSettings, wanted: ServerSettings) -> None:
    for name in ("max_connections", "listen"):
        counts, does_not = getattr(there, name), getattr(wanted, name)
        if counts != does_not:
            said = "PostgreSQL runs already, for another service: its %s %s counts, and not %s"
            _LOG.warning(said, OPTIONS[name], counts, does_not)


def reached(data: Path, control: ControlDatabase, dsn: str) -> DatabaseServer | None:
    """The server where it runs already, for a program that is no service; None where it does not.

    Raises EngineError when it is another's, and refuses, or nobody has said how it is reached.
    """
    if dsn:
        return prepared(dsn)
    if place := _elsewhere(control):
        raise _unknown(place)
    port = known(control, PORT)
    if port is None:
        return None
    return adopted(data / FOLDER, int(port), _password(control, open_keyring(control, data)))


def prepared(dsn: str, public_host: str = "") -> DatabaseServer:
    """The server that others run, as it was found. Raises EngineError unless its operator has prepared it."""
    named = external(dsn, public_host=public_host)
    with breakable():  # it may be waited for as long as the network does not answer
        facts = preflight(named)
    problems = report(facts).problems
    if problems:
        raise EngineError(
            f"the PostgreSQL server is not prepared: {problems[0].message}",
            path=named.place,
            hint="`twinpress db preflight` prints the SQL that its operator has to run",
        )
    return as_found(named, facts)


def _password(control: ControlDatabase, keyring: Keyring) -> str:
    """The administrator's, made at the first start and sealed before the server learns it."""
    sealed = chosen(control, PASSWORD, lambda: keyring.seal(base62.random(_LENGTH), setting(PASSWORD)))
    return keyring.open(sealed, setting(PASSWORD))


def free_port(listen: str) -> int:
    """One that nobody uses now, and that no connection going out will get while the server is down."""
    for _ in range(_TRIES):
        port = _PORTS.start + secrets.randbelow(len(_PORTS))
        with socket.socket(socket.AF_INET6 if ":" in listen else socket.AF_INET) as probe:
            try:
                probe.bind((listen, port))
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    continue
                message = f"PostgreSQL cannot listen here: {error.strerror or error}"
                hint = "choose an address of this machine"
                raise EngineError(message, path=listen, hint=hint, settings=("listen",)) from error
            return port
    raise EngineError("no free port was found for PostgreSQL", hint="name one", settings=("port",))


def _nothing() -> None:
    """Others start that server."""
