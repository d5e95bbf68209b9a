"""The form of a sealed text: AES-256-GCM, bound to the place where it is kept.

    base64 of: version (1 byte), length of the key's id (1 byte), id, nonce (12 bytes), ciphertext with tag

All before the nonce and the place itself are authenticated: a text that was changed, or moved to another row
or for another purpose, does not open.
"""

from __future__ import annotations

import base64
import binascii
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from server.control.errors import SealBroken
from server.control.sealing.master_key import MasterKey

VERSION, NONCE, TAG = 1, 12, 16


def seal(key: MasterKey, text: str, bound_to: str) -> str:
    """The text sealed for one place."""
    name, nonce = key.id.encode("ascii"), os.urandom(NONCE)
    head = bytes((VERSION, len(name))) + name
    sealed = AESGCM(key.key).encrypt(nonce, text.encode("utf-8", "surrogatepass"), _bound(head, bound_to))
    return base64.b64encode(head + nonce + sealed).decode("ascii")


def unseal(key: MasterKey, sealed: str, bound_to: str) -> str:
    """The text that was sealed with this key for this place. Raises SealBroken."""
    head, rest = _parts(sealed, bound_to)
    try:
        data = AESGCM(key.key).decrypt(rest[:NONCE], rest[NONCE:], _bound(head, bound_to))
    except InvalidTag:
        raise _broken(bound_to) from None
    return data.decode("utf-8", "surrogatepass")


def key_id(sealed: str, bound_to: str) -> str:
    """The id of the key that sealed the text; nothing is opened for it. Raises SealBroken."""
    return _parts(sealed, bound_to)[0][2:].decode("ascii", "replace")


def _parts(sealed: str, bound_to: str) -> tuple[bytes, bytes]:
    """Split a sealed value into the part before the nonce, and the rest."""
    try:
        data = base64.b64decode(sealed, validate=True)
    except (binascii.Error, ValueError):
        raise _broken(bound_to) from None
    end = 2 + data[1] if len(data) > 2 else 0
    # Base64 of other bits than these stands for the same bytes: one text is one sealed text.
    canonical = base64.b64encode(data).decode("ascii") == sealed
    if not canonical or data[:1] != bytes((VERSION,)) or len(data) < end + NONCE + TAG:
        raise _broken(bound_to)
    return data[:end], data[end:]


def _bound(head: bytes, bound_to: str) -> bytes:
    # The head says its own length: no two pairs of head and place make the same bytes.
    return head + bound_to.encode("utf-8", "surrogatepass")


def _broken(bound_to: str) -> SealBroken:
    hint = "it was changed, or copied from elsewhere: restore a copy of the database from before"
    return SealBroken("the sealed secret does not belong to this place", path=bound_to, hint=hint)
