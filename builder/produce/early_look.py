"""Look at what an earlier build has left in the output folder, in another process, while the site is read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

import msgspec

from builder.cache import Cache
from builder.output import Output
from builder.output.written_files import WrittenFiles
from builder.workers.child import ChildProcess, child

WORTH = 10_000
"""Files that take longer to look at than another process takes to begin."""
_SENT = msgspec.msgpack.Decoder(list[str])


class EarlyLook:
    """Looks at the files that an earlier build of the site in `root` has left in `output`, if they are many.

    The output stays locked from then on, so that no other build writes into it.
    """

    def __init__(self, root: Path, output: Output, cache: Cache) -> None:
        self._output = output
        self._cache = cache
        self._written: WrittenFiles | None = None
        self._child: ChildProcess | None = None
        folder = output.folder if cache.is_open else None
        # None is made before the site is read.
        if folder and os.path.isdir(folder) and output.hold(root):  # noqa: PTH112 - whatever its name is
            self._written = cache.ledger(folder)

    def begin(self) -> None:
        """Begin to look, with a processor that nothing else needs."""
        if self._written and len(self._written.old) >= WORTH:
            self._child = child(self._send)

    def finish(self) -> None:
        """Tell the output, which has begun, what an earlier build has left there, and what was seen of it."""
        output, looking, self._child = self._output, self._child, None
        if output.folder is None:
            return
        # Where the folder was not held, a build that this one has waited for may have written it.
        known = None if output.is_another else self._written
        output.ledger = self._cache.ledger(output.folder) if known is None else known
        try:
            changed = _SENT.decode(looking.received()) if looking else None
        except msgspec.DecodeError:
            return  # the child was ended: then each file is looked at here
        if changed is not None:
            output.saw(frozenset(changed))

    def close(self) -> None:
        """End the other process, unless what it has seen was taken."""
        if self._child:
            self._child.end()
        self._child = None

    def _send(self, pipe: BinaryIO) -> None:
        """Send the paths of files that are not as they were left."""
        assert self._written is not None  # noqa: S101 - else nothing is begun
        pipe.write(msgspec.msgpack.encode(self._output.changed(self._written)))
