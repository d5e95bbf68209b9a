"""A receiver of webhooks: a server with TLS on this machine, and an authority that has signed for it."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec import Struct, field

HOST = "localhost"
FINE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Received(Struct, frozen=True):
    """A request as it came: its first line, headers by their names in small letters, and its body."""

    line: str
    headers: dict[str, str]
    body: bytes


Respond = Callable[[ssl.SSLSocket], None]


class Receiver(Struct):
    """A receiver at a port, and what has come to it."""

    port: int
    authority: Path
    received: list[Received] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of a webhook here."""
        return f"https://{HOST}:{self.port}/hooks/docs?from=quay"


def answering(data: bytes) -> Respond:
    """A response with these bytes."""
    return lambda opened: opened.sendall(data)


@contextmanager
def receiver(folder: Path, respond: Respond) -> Iterator[Receiver]:
    """Receive calls for the time of the block; each is answered by `respond`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(folder))
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        found = Receiver(listener.getsockname()[1], folder / "certificate.pem")
        thread = threading.Thread(target=_serve, args=(listener, context, found, respond), daemon=True)
        thread.start()
        yield found
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)


def _serve(listener: socket.socket, context: ssl.SSLContext, found: Receiver, respond: Respond) -> None:
    while True:
        try:
            plain, _ = listener.accept()
        except OSError:
            return
        with suppress(OSError), plain, context.wrap_socket(plain, server_side=True) as opened:
            found.received.append(_read(opened))
            respond(opened)


def _read(opened: ssl.SSLSocket) -> Received:
    data = b""
    while b"\r\n\r\n" not in data:
        data += opened.recv(4096)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers["content-length"]):
        body += opened.recv(4096)
    return Received(first, headers, body)


def certificate(folder: Path, host: str = HOST) -> tuple[Path, Path]:
    """A certificate for a host that has signed for itself, and its key, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [
                    x509.DNSName(host),
                    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
                ]
            ),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    form = serialization.PrivateFormat.PKCS8
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return files
