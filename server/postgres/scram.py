"""SCRAM-SHA-256 (RFC 5802, RFC 7677): verifiers of passwords as PostgreSQL keeps them.

They are computed here, so that the server never sees a password that is set, nor writes it into a log. A
verifier is no password: nobody can log in with it, and for a random password it is not worth a search.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os

from msgspec import Struct

ITERATIONS = 4096
MOST_ITERATIONS = 100_000
"""A tenant may set a verifier of its own with two thousand million iterations: that is minutes of work."""


class Verifier(Struct, frozen=True):
    """The parts of a verifier; the text of PostgreSQL is `SCRAM-SHA-256$iterations:salt$stored:server`."""

    iterations: int
    salt: bytes
    stored_key: bytes
    server_key: bytes


class ScramKeys(Struct, frozen=True):
    """The keys that both sides of a login derive from a password, a salt and a number of iterations."""

    client_key: bytes
    stored_key: bytes
    server_key: bytes


def keys(password: str, salt: bytes, iterations: int) -> ScramKeys:
    """The keys of a password; takes about 2 ms for 4096 iterations."""
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    return ScramKeys(client_key, hashlib.sha256(client_key).digest(), server_key)


def scram_verifier(password: str, *, salt: bytes | None = None, iterations: int = ITERATIONS) -> str:
    """The verifier that PostgreSQL is given in place of the password, with a new salt unless one is named."""
    salt = os.urandom(16) if salt is None else salt
    made = keys(password, salt, iterations)
    return f"SCRAM-SHA-256${iterations}:{_text(salt)}${_text(made.stored_key)}:{_text(made.server_key)}"


def verifier_matches(password: str, verifier: str) -> bool:
    """Return whether the password is the one of the verifier.

    False too for a verifier of another kind, with which no login over SCRAM succeeds, and for one with more
    than `MOST_ITERATIONS`, which no verifier of ours has.
    """
    known = parsed(verifier)
    if known is None or not 0 < known.iterations <= MOST_ITERATIONS:
        return False
    made = keys(password, known.salt, known.iterations)
    return hmac.compare_digest(made.stored_key, known.stored_key) and hmac.compare_digest(
        made.server_key, known.server_key
    )


def parsed(verifier: str) -> Verifier | None:
    """The parts of a verifier's text; None when it is none of SCRAM-SHA-256."""
    try:
        kind, work, made = verifier.split("$")
        iterations, salt = work.split(":")
        stored, server = made.split(":")
        decoded = [base64.b64decode(part, validate=True) for part in (salt, stored, server)]
        return Verifier(int(iterations), *decoded) if kind == "SCRAM-SHA-256" else None
    except (ValueError, binascii.Error):
        return None


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
