"""Hosted databases in a backup: dump those of a service that runs, and import dumps into a new server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from msgspec import Struct

from server.backup.archive import DATABASES, Archive
from server.control.plans import PLANS
from server.control.sealing import Keyring, password_of
from server.control.sqlite.database import ControlDatabase
from server.control.sqlite.saved_choice import forget, keep, known
from server.hosting import hosted
from server.hosting.dump_database import dump_database, in_use, own_login
from server.hosting.hosted import Hosted
from server.postgres import dump_restore
from server.postgres.errors import EngineError, EngineUnavailable, ToolFailed
from server.postgres.run.binaries import find_tools
from server.postgres.scram import scram_verifier
from server.postgres.server import DatabaseServer
from server.postgres.server_settings import LOOPBACK, ServerSettings
from server.postgres.tenants.provisioning import Provisioner
from server.service.host_settings import HostSettings
from server.service.postgres_server import PLACE, PORT, RunningServer, free_port, reached, running


class ServiceData(Struct, frozen=True):
    """The data folder of a service, opened, and how its PostgreSQL is reached: `dsn` is that of others."""

    folder: Path
    control: ControlDatabase
    keyring: Keyring
    dsn: str
    bin_dir: Path | None

    def password(self, row: Hosted) -> str:
        """The password of a database. Raises SecretError."""
        return self.keyring.open(row.password or "", password_of(row.id))


class Dumps:
    """Dumps databases of a service that runs."""

    def __init__(self, service: ServiceData) -> None:
        self._service = service
        self._server: DatabaseServer | None = None

    def dump(self, id: str, target: Path) -> bool:
        """Write a database to a file; False when it was deleted meanwhile.

        Raises ToolFailed for this one, and EngineError when the server cannot be reached.
        """
        given = self._service
        if in_use(given.control, id) is None:
            return False
        server = self._found()
        return dump_database(given.control, given.keyring, server, given.bin_dir, id=id, target=target)

    def _found(self) -> DatabaseServer:
        given = self._service
        if self._server is None:
            self._server = reached(given.folder, given.control, given.dsn)
        if self._server is None:
            hint = "start the service with `twinpress host`, or copy its whole folder while it is stopped"
            raise EngineUnavailable("the database server does not run, so nothing can be dumped", hint=hint)
        return self._server


def import_dumps(archive: Archive, service: ServiceData, tell: Callable[[str], object]) -> None:
    """Create the databases of a restored service, and import their dumps; then the server is stopped.

    They keep names and passwords. Those without a dump are noted as missing. Raises EngineError and
    SecretError; a server of others has then none of them.
    """
    rows = [row for row in hosted.every(service.control) if row.is_in_use]
    names = {part.id: part.name for part in archive.manifest.of(DATABASES)}
    with_dump = [row for row in rows if row.id in names]
    if with_dump:
        with _server(service) as engine, _led(engine) as provisioner, ExitStack() as undone:
            # A server of our own goes with the folder that it is in.
            _create(provisioner, service, with_dump, undone if service.dsn else None)
            engine.open(provisioner.may_change)
            for row in with_dump:
                tell(row.id)
                _import(archive, names[row.id], service, engine.server, row)
            provisioner.flush()
            undone.pop_all()
    hosted.note_restored(service.control, [row.id for row in rows], {row.id for row in with_dump})


@contextmanager
def _server(service: ServiceData) -> Iterator[RunningServer]:
    """The server that the service will have, for the time of the block."""
    control = service.control
    port, free = known(control, PORT), free_port(LOOPBACK)
    # The databases need not be where they were; at their port the service may run that they are from.
    forget(control, PLACE)
    engine = ServerSettings(port=free, bin_dir=service.bin_dir)
    settings = HostSettings(data=service.folder, dsn=service.dsn, engine=engine)
    with running(settings, control, service.keyring) as found:
        yield found
    if port is not None:
        keep(control, PORT, port)


@contextmanager
def _led(engine: RunningServer) -> Iterator[Provisioner]:
    """Lead on the server, as no service may meanwhile. Raises EngineError."""
    with closing(Provisioner(engine.server, owner=engine.owner)) as provisioner, ExitStack() as ended:
        ended.callback(provisioner.leadership.resign)
        if not provisioner.leadership.try_lead():
            hint = "stop that service, or use a server of its own"
            raise EngineError("a service uses the PostgreSQL server", path=engine.server.place, hint=hint)
        provisioner.fence()
        provisioner.prepare()
        yield provisioner


def _create(
    provisioner: Provisioner, service: ServiceData, rows: Sequence[Hosted], undone: ExitStack | None
) -> None:
    """Create empty databases with the passwords that they had, to be `undone`. Raises EngineError."""
    there = provisioner.found()
    for row in rows:
        if row.id in there:
            hint = "use a server that has none of them, or delete it there"
            raise EngineError(f"the database {row.id} is on the server already", hint=hint)
    for row in rows:
        if undone is not None:
            undone.callback(provisioner.drop, row.id)
        verifier = scram_verifier(service.password(row))
        provisioner.create(row.id, verifier, row.limits(PLANS).connections)


def _import(archive: Archive, name: str, service: ServiceData, server: DatabaseServer, row: Hosted) -> None:
    """Import a dump as the database's own user: what a tenant has put into it gains no more rights."""
    file = service.folder / f"{row.id}.dump"
    archive.extract(archive.part(name), file)
    try:
        programs = find_tools(service.bin_dir, server)
        dump_restore.restore(programs, own_login(service.keyring, server, row), file)
    except ToolFailed as error:
        message = f"the database {row.id} could not be imported: {error.message}"
        raise ToolFailed(message, hint=error.hint) from error
    finally:
        file.unlink()
