"""The default theme's templates as they are compiled, beside them, where Python keeps its compiled modules.

They are trusted as such modules are: who can write there can change the templates, too. What a site brings is
never kept.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

_MAKER = Path(__file__).with_name("frame.py").read_bytes()
"""What says how templates are compiled: one text becomes other code when, say, `trim_blocks` changes."""
_SIZE = 16
"""Bytes of the digest that a file begins with."""


class Compiled(BytecodeCache):
    """Takes and keeps what Jinja compiles of the templates in a folder; without it they are compiled anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The file of a template: for this Python and this Jinja."""
        path = importlib.util.cache_from_source(str(self._folder / name.replace("/", "-")))
        return f"{path.removesuffix('.pyc')}.jinja-{jinja2.__version__}.pyc"

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what is there, if it is whole and was made of this very text."""
        try:
            data = Path(bucket.key).read_bytes()
        except OSError:
            return
        if data[:_SIZE] == _digest(bucket, data[_SIZE:]):
            bucket.code = marshal.loads(data[_SIZE:])  # noqa: S302 - as Python does with its own

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, where that is possible: as with compiled modules nothing is lost otherwise."""
        if sys.dont_write_bytecode:
            return
        code = marshal.dumps(bucket.code)
        with suppress(OSError):
            _replace(Path(bucket.key), _digest(bucket, code) + code)


def _digest(bucket: Bucket, code: bytes) -> bytes:
    return hashlib.blake2b(_MAKER + bucket.checksum.encode() + code, digest_size=_SIZE).digest()


def _replace(path: Path, data: bytes) -> None:
    """Put a file in its place, whole at any moment."""
    path.parent.mkdir(exist_ok=True, parents=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(data)
        os.chmod(name, 0o644)  # noqa: PTH101 - as Python's own, for all who share the installation
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
