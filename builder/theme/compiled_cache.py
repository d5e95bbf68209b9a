"""Keep what is made of the default theme's files beside them, where Python keeps its compiled modules.

It is trusted as such modules are: who can write there can change the theme, too. What a site brings is never
kept. Each file begins with a digest of what it was made of and of what it has.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from contextlib import suppress
from pathlib import Path

_SIZE = 16
"""Bytes of the digest."""


def place(source: Path, form: str) -> Path:
    """Return the file that keeps a source's compiled form, for this Python."""
    path = importlib.util.cache_from_source(str(source))
    return Path(f"{path.removesuffix('.pyc')}.{form}")


def kept(path: Path, made_of: bytes) -> bytes | None:
    """Return the kept bytes, if they are whole and were made of this."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data[_SIZE:] if data[:_SIZE] == _digest(made_of, data[_SIZE:]) else None


def keep(path: Path, made_of: bytes, data: bytes) -> None:
    """Keep it, where that is possible: as with compiled modules nothing is lost otherwise."""
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            _replace(path, _digest(made_of, data) + data)


def _digest(made_of: bytes, data: bytes) -> bytes:
    return hashlib.blake2b(made_of + data, digest_size=_SIZE).digest()


def _replace(path: Path, data: bytes) -> None:
    """Put a file in its place, whole at any moment."""
    path.parent.mkdir(exist_ok=True, parents=True)
    draft = path.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(data)
        draft.chmod(0o644)  # as Python's own, for all who share the installation
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
