"""The login of PostgreSQL's protocol, as far as the question whether a password is right.

libpq would not do: it reports a wrong password in the server's language and without a code, and it computes
for as long as a tenant's own verifier says, which may be a quarter of an hour.

PostgreSQL looks at the password before it asks whether the role may log in, and how many sessions there are.
So the question has an answer for tenants that are locked, and the login is given up before it takes effect.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import socket
import ssl
import struct
from io import BufferedIOBase

from server.postgres import scram
from server.postgres.errors import EngineError, EngineRefused, EngineUnavailable
from server.postgres.server import PATIENCE, DatabaseServer

_VERSION, _TLS = 196608, 80877103
_OK, _SASL, _SASL_CONTINUE, _SASL_FINAL = 0, 10, 11, 12
_WRONG = "28P01"


def password_is_right(server: DatabaseServer, name: str, password: str) -> bool:
    """Return whether a tenant's login gets past the password; raises EngineError when none does.

    The identity of the server is not proven by its certificate, but by SCRAM itself: only who has the
    verifier can sign the exchange, and nobody learns the password from it.
    """
    place = server.place
    try:
        with _connected(server) as raw, _encrypted(raw, server) as wire, wire.makefile("rwb") as stream:
            return _exchange(stream, name, password)
    except OSError as error:
        message = f"the PostgreSQL server cannot be reached: {error}"
        raise EngineUnavailable(message, path=place, hint="check that it runs, and try again") from error
    except _Refusal as refusal:
        raise refusal.explained(place) from None


class _Refusal(Exception):
    """An error of the server: its SQLSTATE, and its words."""

    def __init__(self, state: str, words: str) -> None:
        super().__init__(words)
        self.state, self.words = state, words

    def explained(self, place: str) -> EngineError:
        if self.state.startswith(("57P", "53", "08")):
            return EngineUnavailable(f"the PostgreSQL server refuses logins now: {self.words}", path=place)
        hint = "check that pg_hba.conf asks tenants for a password with the method scram-sha-256"
        return EngineRefused(f"the PostgreSQL server refuses the login: {self.words}", path=place, hint=hint)


def _connected(server: DatabaseServer) -> socket.socket:
    if not server.host.startswith("/"):
        return socket.create_connection((server.host, server.port), PATIENCE)
    local = socket.socket(socket.AF_UNIX)
    local.settimeout(PATIENCE)
    local.connect(f"{server.host}/.s.PGSQL.{server.port}")
    return local


def _encrypted(raw: socket.socket, server: DatabaseServer) -> socket.socket:
    if server.sslmode == "disable" or server.host.startswith("/"):
        return raw
    raw.sendall(struct.pack("!ii", 8, _TLS))
    if raw.recv(1) != b"S":
        return raw
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(raw, server_hostname=server.host)


def _exchange(stream: BufferedIOBase, name: str, password: str) -> bool:
    start = struct.pack("!i", _VERSION) + f"user\0{name}\0database\0{name}\0\0".encode()
    _send(stream, b"", start)
    _expect(stream, _SASL)
    nonce = secrets.token_urlsafe(18)
    first = f"n=,r={nonce}"
    opening = b"SCRAM-SHA-256\0" + struct.pack("!i", len(first) + 3) + f"n,,{first}".encode()
    _send(stream, b"p", opening)
    answer = _expect(stream, _SASL_CONTINUE).decode()
    said = dict(part.split("=", 1) for part in answer.split(","))
    if not said["r"].startswith(nonce) or int(said["i"]) > scram.MOST_ITERATIONS:
        return False
    made = scram.keys(password, base64.b64decode(said["s"]), int(said["i"]))
    last = f"c=biws,r={said['r']}"
    signed = f"{first},{answer},{last}".encode()
    proof = _mixed(made.client_key, hmac.digest(made.stored_key, signed, hashlib.sha256))
    _send(stream, b"p", f"{last},p={base64.b64encode(proof).decode()}".encode())
    try:
        final = _expect(stream, _SASL_FINAL)
    except _Refusal as refusal:
        if refusal.state == _WRONG:
            return False
        raise
    return final == b"v=" + base64.b64encode(hmac.digest(made.server_key, signed, hashlib.sha256))


def _mixed(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _send(stream: BufferedIOBase, kind: bytes, body: bytes) -> None:
    stream.write(kind + struct.pack("!i", len(body) + 4) + body)
    stream.flush()


def _expect(stream: BufferedIOBase, wanted: int) -> bytes:
    """The body of the next message, which must be this one of authentication."""
    head = stream.read(5)
    if len(head) < 5:
        raise ConnectionError("the server closed the connection")
    kind, length = struct.unpack("!ci", head)
    body = stream.read(length - 4)
    if kind == b"E":
        fields = {part[:1]: part[1:].decode(errors="replace") for part in body.split(b"\0") if part}
        raise _Refusal(fields.get(b"C", ""), fields.get(b"M", ""))
    code = struct.unpack("!i", body[:4])[0] if kind == b"R" else None
    if code != wanted:
        raise _Refusal("", f"it asks for another way to prove a password ({code})")
    return body[4:]
