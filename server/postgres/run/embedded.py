"""A PostgreSQL server of one's own in a folder: there while it is needed, and the same when it comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from server.postgres.errors import EngineError, EngineFull, EngineMissing, EngineStarting, EngineUnavailable
from server.postgres.preflight import preflight
from server.postgres.remedies import report
from server.postgres.run import binaries, cluster, disk_reserve, pg_hba, postmaster
from server.postgres.run.binaries import PostgresPrograms, forget_others, reachable
from server.postgres.run.postgresql_conf import RESERVED, configuration
from server.postgres.run.processes import check_processes, running
from server.postgres.run.server_files import ServerFiles, install_certificate
from server.postgres.run.server_log import trim
from server.postgres.run.service_locks import ServiceShare, turn
from server.postgres.run.unending_sessions import Computing, kill
from server.postgres.run.user import RunAs, check_way, choose, let_pass
from server.postgres.server import DatabaseServer
from server.postgres.server_settings import LOOPBACK, ServerSettings, checked

RELOADED = 10.0
_IN_FORCE = "SELECT current_setting('max_connections')::int, current_setting('listen_addresses')"


class Engine:
    """A server that runs. Threads and other services may use one on the same folder at the same time."""

    def __init__(
        self,
        place: ServerFiles,
        settings: ServerSettings,
        programs: PostgresPrograms,
        user: RunAs,
        password: str,
    ) -> None:
        self.programs = programs
        """Its programs, among them its own pg_dump."""
        self.user = user
        """As whom it runs."""
        self._place, self._settings, self._text = place, settings, configuration(settings, place, programs)
        self.server = administrated(settings, password, programs.number)

    def in_force(self) -> ServerSettings:
        """The settings as they count: the service that started the server may have chosen otherwise."""
        with self.server.connect() as connection:
            row = connection.execute(_IN_FORCE).fetchone()
        if row is None:
            raise EngineUnavailable("the server does not say how it was started")
        number, addresses = row
        listen = addresses.rpartition(", ")[2]
        return msgspec.structs.replace(self._settings, max_connections=number - RESERVED, listen=listen)

    def open(self, may: Callable[[], bool] = lambda: True) -> bool:
        """Let tenants in, and say so. It holds when this returns, and until the server is started anew.

        They stay out while its disk is full: whoever has filled it would do so again, and end the server.

        `may` is asked when nobody can start the server any more: what one has seen to on one that is dead by
        now does not open the next. Raises EngineUnavailable when it says no.
        """
        with turn(self._place):
            if not may():
                raise EngineUnavailable("the server was restarted, or another service leads now")
            if disk_reserve.is_needed(self._place):
                return False
            self._admit(pg_hba.opened(self._settings))
            return True

    def close_to_tenants(self) -> None:
        """Let no tenant in any more. It holds when this returns; sessions that there are go on."""
        self._admit(pg_hba.closed())

    def ensure(self) -> bool:
        """See that the server runs, and say whether it had to be started. To be called every few seconds.

        One that had to be started is closed to tenants: what it shall obey may have changed meanwhile. Raises
        EngineError when it does not start. It also takes a new certificate, bounds the log, and makes the
        reserve.
        """
        started = running(self._place) is None and self._start_again()
        trim(self._place.log)
        if install_certificate(self._settings, self._place, self.user):
            self._reload()
        disk_reserve.keep(self._place)
        return started

    def end_by_force(self, found: Callable[[], Sequence[Computing]]) -> Sequence[Computing]:
        """End sessions that hear nothing, and give them; the server is started again, closed to tenants.

        `found` names them when nobody can start or open the server any more: it looks once more whether they
        are there, and whether this service may do such things. What is committed stays. All other sessions
        end too. Raises EngineError when the server does not start again.
        """
        with turn(self._place):
            killed = kill(self._place, found())
            if killed:
                postmaster.await_end(self._place)
                self._launch()
            return killed

    def enter(self, *, alone: bool) -> None:
        """Start the server, or adopt the one that runs. To be called within one's turn.

        One that nobody else uses is closed to tenants, and started anew when its settings have changed.
        """
        found = postmaster.await_ready(self._place)
        if found and alone and cluster.configured(self._place) != self._text:
            postmaster.stop(self._place)
            found = None
        if found is None:
            self._start()
        elif found.port != self._settings.port:
            message = f"another service runs the server on port {found.port}, not {self._settings.port}"
            hint = "give the same port to both"
            raise EngineError(message, path=str(self._place.root), hint=hint, settings=("port",))
        elif alone:
            self.close_to_tenants()

    def _start_again(self) -> bool:
        """Start a server that has died; False when another service or thread was quicker."""
        with turn(self._place):
            if postmaster.await_ready(self._place):
                return False
            self._launch()
        return True

    def _start(self) -> None:
        install_certificate(self._settings, self._place, self.user)
        forget_others(self.programs, self._place)
        cluster.configure(self._place, self._text, self.user)
        self._launch()
        with self.server.connect() as connection:
            for problem in report(preflight(self.server)).problems:
                connection.execute("".join(problem.sql).encode())

    def _launch(self) -> None:
        try:
            self._launch_once()
        except EngineFull:
            if not disk_reserve.release(self._place):
                raise
            self._launch_once()

    def _launch_once(self) -> None:
        cluster.admit(self._place, pg_hba.closed(), self.user)
        postmaster.start(self._place, self.programs, self.user, self._settings)

    def _admit(self, text: str) -> None:
        cluster.admit(self._place, text, self.user)
        self._reload()

    def _reload(self) -> None:
        """Have the server read its files, and wait until each new session goes by them."""
        with self.server.connect() as connection:
            before = connection.execute("SELECT pg_conf_load_time(), pg_reload_conf()").fetchone()
            wrong = connection.execute("SELECT error FROM pg_hba_file_rules WHERE error <> ''").fetchall()
        if wrong or before is None:
            message = f"the server does not understand pg_hba.conf: {wrong}"
            raise EngineError(message, path=str(self._place.data))
        deadline, new = time.monotonic() + RELOADED, 0
        # Two: the first may have begun before the server had read all of its files.
        while new < 2:
            with self.server.connect() as connection:
                row = connection.execute("SELECT pg_conf_load_time()").fetchone()
            new += row is not None and row[0] > before[0]
            if time.monotonic() > deadline:
                raise EngineError("the server does not read its files again", path=str(self._place.log))


def administrated(settings: ServerSettings, password: str, version: int) -> DatabaseServer:
    """The server of these settings, as its administrator reaches it."""
    return DatabaseServer(
        host=LOOPBACK,
        port=settings.port,
        user=pg_hba.ADMIN,
        password=password,
        version=version,
        public_host=settings.public_host or settings.listen,
        public_port=settings.port,
        public_sslmode=settings.public_sslmode,
        # Whoever took the port while the server is down could else ask for the password in clear.
        parameters=(("require_auth", "scram-sha-256"),),
    )


def adopted(folder: Path, port: int, password: str) -> DatabaseServer | None:
    """The server that runs in a folder, for a program that does not keep it; None where none runs.

    What tenants are told of it is not known here. Raises EngineError when it does not answer.
    """
    if running(ServerFiles(folder.resolve())) is None:
        return None
    found = administrated(ServerSettings(port=port), password, 0)
    with found.connect() as connection:
        return msgspec.structs.replace(found, version=connection.info.server_version)


@contextmanager
def embedded(
    folder: Path, settings: ServerSettings, password: str, own: Sequence[Path] = ()
) -> Iterator[Engine]:
    """A server in `folder`, which is made when needed and holds nothing else; closed to tenants at first.

    `password` is the administrator's: kept by the caller, and the same at each start. The server is adopted
    when it runs, and stopped at the end unless another service uses it. `own` are folders around it that are
    the caller's alone: when they are closed to all others, the server's user is let through. Raises
    EngineError.
    """
    check_processes()
    checked(settings)
    place = ServerFiles(folder.resolve())
    place.root.mkdir(0o700, exist_ok=True)
    with turn(place):
        engine = _prepared(place, settings, password, own)
        share = ServiceShare(place)
        try:
            engine.enter(alone=share.alone())
        except EngineStarting:
            # It would begin again if it were stopped.
            share.close()
            raise
        except BaseException:
            _leave(place, share)
            raise
    try:
        yield engine
    finally:
        with turn(place):
            _leave(place, share)


def _prepared(place: ServerFiles, settings: ServerSettings, password: str, own: Sequence[Path]) -> Engine:
    user = choose(place.data, settings.run_user)
    for folder in (*own, place.root):
        let_pass(folder, user)
    check_way(place.root, user)
    programs = reachable(binaries.find(settings.bin_dir), user, place)
    if settings.tls and not binaries.knows_tls(programs):
        hint = "install Debian's `postgresql`, and name its folder, such as /usr/lib/postgresql/17/bin"
        message = "these programs were built without TLS, and a certificate is given"
        raise EngineMissing(message, path=str(programs.folder), hint=hint, settings=("bin_dir",))
    cluster.prepare(place, programs, user, password, durable=settings.durable)
    return Engine(place, settings, programs, user, password)


def _leave(place: ServerFiles, share: ServiceShare) -> None:
    """Stop the server, unless another service uses it. To be called within one's turn."""
    try:
        if share.alone():
            postmaster.stop(place)
    finally:
        share.close()
