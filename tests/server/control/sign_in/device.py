"""A device with passkeys, in software: it signs as WebAuthn says (P-256, no attestation)."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import bytes_to_base64url

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


@dataclass
class Device:
    """One device with one passkey. `count` is how often it has signed; for ever 0: it does not count."""

    origin: str
    host: str
    flags: int = PRESENT | VERIFIED
    count: int = 0
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def name(self) -> str:
        """The id of its passkey."""
        return bytes_to_base64url(self.id)

    def make(self, asked: str) -> dict[str, Any]:
        """Its answer to who wants it to have a passkey."""
        data = self._client("webauthn.create", asked)
        credential = b"\0" * 16 + len(self.id).to_bytes(2) + self.id + cbor2.dumps(self._public())
        attested = {"fmt": "none", "attStmt": {}, "authData": self._head(ATTESTED) + credential}
        return self._answer(clientDataJSON=data, attestationObject=cbor2.dumps(attested))

    def sign(self, asked: str) -> dict[str, Any]:
        """Its answer to who wants it to sign."""
        data, head = self._client("webauthn.get", asked), self._head()
        signed = self.key.sign(head + hashlib.sha256(data).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=data, authenticatorData=head, signature=signed)

    def _client(self, kind: str, asked: str) -> bytes:
        challenge = json.loads(asked)["challenge"]
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _head(self, more: int = 0) -> bytes:
        host = hashlib.sha256(self.host.encode()).digest()
        return host + bytes([self.flags | more]) + self.count.to_bytes(4)

    def _public(self) -> dict[int, object]:
        numbers = self.key.public_key().public_numbers()
        return {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}

    def _answer(self, **response: bytes) -> dict[str, Any]:
        encoded = {name: bytes_to_base64url(value) for name, value in response.items()}
        return {"id": self.name, "rawId": self.name, "type": "public-key", "response": encoded}
