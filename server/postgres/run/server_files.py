"""The files of the server: find and write them, its certificate and key too.

The folder belongs to Twinpress; what is in `data`, `run` and `tls` to the user as whom the server runs.
"""

from __future__ import annotations

import errno
import os
import ssl
import tempfile
from pathlib import Path

from msgspec import Struct

from server.postgres.errors import EngineError, EngineFull
from server.postgres.run.user import RunAs
from server.postgres.server_settings import ServerSettings

SOCKET_LENGTH = 100
"""Of a socket's path: the operating system takes 107 bytes, and a port has five digits."""


class ServerFiles(Struct, frozen=True):
    """The folder of one server and what is in it."""

    root: Path

    @property
    def data(self) -> Path:
        """The data directory of PostgreSQL."""
        return self.root / "data"

    @property
    def run(self) -> Path:
        """The folder of the Unix socket."""
        return self.root / "run"

    @property
    def tls(self) -> Path:
        """The folder of the certificate and its key."""
        return self.root / "tls"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.root / "server.log"

    @property
    def reserve(self) -> Path:
        """Room for a server whose disk is full."""
        return self.root / "reserve"

    @property
    def programs(self) -> Path:
        """The folder of copied programs."""
        return self.root / "programs"

    @property
    def sockets(self) -> str:
        """The folder of the Unix socket, or nothing where its path would be too long for one."""
        path = self.run / ".s.PGSQL.5432"
        return str(self.run) if len(os.fsencode(path)) <= SOCKET_LENGTH else ""


def make_folder(path: Path, user: RunAs) -> None:
    """A folder for the server's user alone; one that is there becomes it."""
    path.mkdir(0o700, exist_ok=True)
    if user.dropped:
        os.chown(path, user.uid, user.gid, follow_symlinks=False)
    path.chmod(0o700)


def read_file(path: Path) -> str | None:
    """The text of a file of the server's user; None when there is none.

    That user may have put a link there, which root must not follow. Raises EngineError, as for whatever else
    cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"a file of the server cannot be read: {error.strerror}"
        raise EngineError(message, path=str(path), hint="no link may stand there") from error
    with os.fdopen(descriptor, encoding="utf-8") as file:
        return file.read()


def write_file(path: Path, data: bytes, user: RunAs) -> None:
    """The whole file or nothing of it, for the server's user alone.

    That user may have put a link there: it is replaced, never followed. Raises EngineFull where no room is.
    """
    try:
        _replace(path, data, user)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        hint = "make room on its disk"
        raise EngineFull("a file of the server cannot be written", path=str(path), hint=hint) from error


def _replace(path: Path, data: bytes, user: RunAs) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            if user.dropped:
                os.fchown(descriptor, user.uid, user.gid)
        Path(name).rename(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


FILES = ("certificate", "key")


def install_certificate(settings: ServerSettings, place: ServerFiles, user: RunAs) -> bool:
    """Copy both files when they have changed, and say whether they had.

    Raises EngineError when they cannot be read or do not belong together: the old ones stay then.
    """
    if settings.certificate is None or settings.key is None:
        return False
    wanted = {"certificate.pem": _read(settings.certificate), "key.pem": _read(settings.key)}
    make_folder(place.tls, user)
    if all(_held(place.tls / name) == data for name, data in wanted.items()):
        return False
    _check(settings.certificate, settings.key)
    for name, data in wanted.items():
        write_file(place.tls / name, data, user)
    return True


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        message = f"the certificate or its key cannot be read: {error.strerror}"
        raise EngineError(message, path=str(file), hint="name two files in PEM", settings=FILES) from error


def _held(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _check(certificate: Path, key: Path) -> None:
    try:
        # An encrypted key would ask at the terminal; the server could not be started unwatched with one.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, OSError) as error:
        message = f"the certificate and its key {key} cannot be used: {error}"
        hint = "give a chain and the key that belongs to it, both in PEM, the key without a passphrase"
        raise EngineError(message, path=str(certificate), hint=hint, settings=FILES) from error
