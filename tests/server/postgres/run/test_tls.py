"""Certificates: who may be reached from elsewhere, and how."""

from __future__ import annotations

import datetime
import socket
import ssl
import stat
import struct
from pathlib import Path

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from server.postgres.errors import EngineError, EngineMissing
from server.postgres.run.embedded import Engine, embedded
from server.postgres.server_settings import ServerSettings, checked
from tests.server.postgres.clusters import DEBIAN, PASSWORD, needs_debian, quick, server_in


def certificate(folder: Path, name: str) -> dict[str, Path]:
    """A certificate that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now, builder = datetime.datetime.now(datetime.UTC), x509.CertificateBuilder()
    builder = builder.subject_name(called).issuer_name(called).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now)
    made = builder.not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
    files = {"certificate": folder / f"{name}.pem", "key": folder / f"{name}.key"}
    files["certificate"].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    files["key"].write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
    files["key"].chmod(0o600)
    return files


def make_tenant(engine: Engine) -> None:
    with engine.server.connect() as connection:
        connection.execute("CREATE ROLE db_t LOGIN PASSWORD 'x'")
        connection.execute("CREATE DATABASE db_t")


def enter(engine: Engine, host: str, sslmode: str) -> psycopg.Connection:
    port = engine.server.public_port
    return psycopg.connect(host=host, port=port, user="db_t", password="x", sslmode=sslmode)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"listen": "192.0.2.1"}, "can be reached by others, and there is no certificate"),
        ({"listen": "0.0.0.0"}, "can be reached by others, and there is no certificate"),
        ({"certificate": Path("c.pem")}, "a certificate is given without its key"),
        ({"key": Path("k.pem")}, "a key is given without its certificate"),
        ({"listen": "0.0.0.0", "certificate": Path("c"), "key": Path("k")}, "tenants cannot connect to"),
        ({"listen": "db.example.com"}, "`db.example.com` is no IP address"),
        ({"port": 0}, "0 is no port"),
        ({"port": 65536}, "65536 is no port"),
    ],
)
def test_settings_that_are_not_safe_or_make_no_sense_are_refused(
    settings: dict[str, object], words: str
) -> None:
    with pytest.raises(EngineError, match=words):
        checked(ServerSettings(**{"port": 5432, **settings}))


@needs_debian
def test_with_a_certificate_tenants_elsewhere_must_use_tls(folder: Path) -> None:
    public = {"listen": "0.0.0.0", "public_host": "db.example.com"}
    settings = quick(**public, **certificate(folder, "first"), bin_dir=DEBIAN)
    with server_in(folder / "postgres", settings) as engine:
        assert (engine.server.public_host, engine.server.public_sslmode) == ("db.example.com", "require")
        make_tenant(engine)
        engine.open()
        for host in ("127.0.0.1", _own_address()):
            with enter(engine, host, "require") as connection:
                row = connection.execute("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                assert row.fetchone() == (True, "TLSv1.3")
        enter(engine, "127.0.0.1", "disable").close()
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry .* no encryption"):
            enter(engine, _own_address(), "disable")
        administrator = engine.server.arguments("postgres", "test") | {"host": _own_address()}
        with pytest.raises(psycopg.OperationalError, match=r"pg_hba\.conf rejects connection"):
            psycopg.connect(**administrator | {"sslmode": "require"})


def _own_address() -> str:
    """An address of this machine that others could use; connections to it come from it."""
    # Nothing is sent: the system only says which address it would send from.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback")
        address: str = probe.getsockname()[0]
    return address


def test_programs_without_tls_are_refused_before_anything_is_made(folder: Path) -> None:
    with pytest.raises(EngineMissing, match="built without TLS") as caught:
        embedded(folder / "postgres", quick(**certificate(folder, "first")), PASSWORD).__enter__()
    assert "/usr/lib/postgresql/" in caught.value.hint
    assert not (folder / "postgres" / "data").exists()


@needs_debian
def test_the_key_is_copied_for_the_user_of_the_server_alone(folder: Path) -> None:
    files = certificate(folder, "first")
    with server_in(folder / "postgres", quick(**files, bin_dir=DEBIAN)) as engine:
        assert engine.server.public_sslmode == "require"
        copy = folder / "postgres" / "tls" / "key.pem"
        assert copy.read_bytes() == files["key"].read_bytes()
        assert (stat.S_IMODE(copy.stat().st_mode), copy.stat().st_uid) == (0o600, engine.user.uid)


@needs_debian
def test_a_renewed_certificate_is_taken_by_the_running_server(folder: Path) -> None:
    files = certificate(folder, "first")
    with server_in(folder / "postgres", quick(**files, bin_dir=DEBIAN)) as engine:
        make_tenant(engine)
        engine.open()
        before = _shown(engine)
        renewed = certificate(folder, "second")
        for name, file in files.items():
            renewed[name].rename(file)
        assert engine.ensure() is False
        assert _shown(engine) != before
        assert _shown(engine) == ssl.PEM_cert_to_DER_cert(files["certificate"].read_text())


def _shown(engine: Engine) -> bytes:
    """The certificate that the server shows: it speaks its own words before TLS begins."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", engine.server.port)) as plain:
        plain.sendall(struct.pack("!ii", 8, 80877103))
        assert plain.recv(1) == b"S"
        with context.wrap_socket(plain) as secure:
            shown = secure.getpeercert(binary_form=True)
            assert shown
            return shown


@needs_debian
def test_a_certificate_that_cannot_be_used_is_refused_and_the_old_one_stays(folder: Path) -> None:
    files = certificate(folder, "first")
    other = certificate(folder, "other")
    with pytest.raises(EngineError, match=r"cannot be used: .*mismatch"):
        embedded(folder / "a", quick(**files | {"key": other["key"]}, bin_dir=DEBIAN), PASSWORD).__enter__()
    with pytest.raises(EngineError, match="cannot be read: No such file"):
        embedded(folder / "b", quick(**files | {"key": folder / "no"}, bin_dir=DEBIAN), PASSWORD).__enter__()
    with server_in(folder / "postgres", quick(**files, bin_dir=DEBIAN)) as engine:
        make_tenant(engine)
        engine.open()
        before = _shown(engine)
        other["key"].rename(files["key"])
        with pytest.raises(EngineError, match="mismatch"):
            engine.ensure()
        assert _shown(engine) == before
