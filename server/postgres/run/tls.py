"""The certificate and its key: looked at, and copied to where the server's user can read them.

A layer below `embedded`, which starts the server: it knows files alone.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from server.postgres.errors import EngineError
from server.postgres.run.server_files import ServerFiles, make_folder, write_file
from server.postgres.run.user import RunAs
from server.postgres.server_settings import ServerSettings

FILES = ("certificate", "key")


def install(settings: ServerSettings, place: ServerFiles, user: RunAs) -> bool:
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
