"""The mark in a cache that this person has begun on this computer, for the site at one path.

Who is shown a site that has just come from somebody else must not be shown what a cache in it says that its
pages are. Nobody can make the mark who does not know a secret that lies in the person's own folder for state.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

from builder import user_folders

NAME = "secret"
_BYTES = 32


def mark(root: Path) -> bytes | None:
    """The mark for the site in `root`; None where no secret can be kept, so that no cache is anybody's."""
    try:
        secret = _secret(user_folders.state() / NAME)
    except OSError:
        return None
    return hmac.digest(secret, os.fsencode(os.path.realpath(root)), hashlib.sha256)


def is_own(found: bytes | None, root: Path) -> bool:
    """Return whether a mark that was found is the one for the site in `root`."""
    right = mark(root)
    return found is not None and right is not None and hmac.compare_digest(found, right)


def _secret(path: Path) -> bytes:
    """The secret, which is made when there is none. Raises OSError."""
    try:
        return _read(path)
    except FileNotFoundError:
        user_folders.make_once(path, os.urandom(_BYTES))
        return _read(path)


def _read(path: Path) -> bytes:
    data = path.read_bytes()
    if len(data) != _BYTES:
        raise OSError(f"{path} is damaged")
    return data
