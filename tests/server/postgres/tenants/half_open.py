"""A login that is begun, and finished when its maker likes: as PostgreSQL's protocol and SCRAM allow."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import socket
import struct

from server.postgres import scram
from server.postgres.login import _OK, _SASL, _SASL_CONTINUE, _SASL_FINAL, _expect, _mixed, _send
from server.postgres.server import DatabaseServer


class HalfOpen:
    """A login to a tenant's database with a password, up to the server's first answer."""

    def __init__(self, server: DatabaseServer, name: str, password: str) -> None:
        self._password = password
        raw = socket.create_connection((server.public_host, server.public_port), 10)
        self._stream = raw.makefile("rwb")
        raw.close()
        start = f"user\0{name}\0database\0{name}\0\0".encode()
        _send(self._stream, b"", struct.pack("!i", 196608) + start)
        _expect(self._stream, _SASL)
        self._first = f"n=,r={secrets.token_urlsafe(18)}"
        first = f"n,,{self._first}".encode()
        _send(self._stream, b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", len(first)) + first)
        self._answer = _expect(self._stream, _SASL_CONTINUE).decode()

    def finish(self) -> None:
        """Prove the password. Raises OSError when the server does not let it in."""
        said = dict(part.split("=", 1) for part in self._answer.split(","))
        made = scram.keys(self._password, base64.b64decode(said["s"]), int(said["i"]))
        last = f"c=biws,r={said['r']}"
        signed = f"{self._first},{self._answer},{last}".encode()
        proof = _mixed(made.client_key, hmac.digest(made.stored_key, signed, hashlib.sha256))
        _send(self._stream, b"p", f"{last},p={base64.b64encode(proof).decode()}".encode())
        _expect(self._stream, _SASL_FINAL)
        _expect(self._stream, _OK)
        assert self._is_ready()

    def is_in(self) -> bool:
        """Return whether it is a session still: it answers a statement."""
        try:
            _send(self._stream, b"Q", b"select 1\0")
            return self._is_ready()
        except OSError:
            return False

    def _is_ready(self) -> bool:
        """Return whether the server waits for another statement after what it says now; if not, it left."""
        while kind := self._stream.read(1):
            length = struct.unpack("!i", self._stream.read(4))[0]
            self._stream.read(length - 4)
            if kind in b"ZE":
                return kind == b"Z"
        return False

    def close(self) -> None:
        """Leave."""
        self._stream.close()
