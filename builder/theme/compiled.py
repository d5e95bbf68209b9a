"""The default theme's templates as they are compiled, kept beside them."""

from __future__ import annotations

import marshal
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from builder.theme import compiled_cache

_MAKER = Path(__file__).with_name("templates.py").read_bytes()
"""What says how templates are compiled: one text becomes other code when, say, `trim_blocks` changes."""


class Compiled(BytecodeCache):
    """Takes and keeps what Jinja compiles of the templates in a folder; without it they are compiled anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The file of a template: for this Python and this Jinja."""
        return str(
            compiled_cache.place(self._folder / name.replace("/", "-"), f"jinja-{jinja2.__version__}.pyc")
        )

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what is there, if it is whole and was made of this very text."""
        data = compiled_cache.kept(Path(bucket.key), _made_of(bucket))
        if data is not None:
            bucket.code = marshal.loads(data)  # noqa: S302 - as Python does with its own

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it."""
        compiled_cache.keep(Path(bucket.key), _made_of(bucket), marshal.dumps(bucket.code))


def _made_of(bucket: Bucket) -> bytes:
    return _MAKER + bucket.checksum.encode()
