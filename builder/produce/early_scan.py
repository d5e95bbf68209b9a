"""List what lies in a site in another process, while what is known of its pages comes from the cache."""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from builder.store import ContentStore, KnownCategory, Scan
from builder.workers.child import child

_SENT = msgspec.msgpack.Decoder(tuple[Scan, dict[str, KnownCategory]])


class EarlyScan:
    """Lists what lies in the site of `store`, in another process if there is much in it; to be closed."""

    def __init__(self, store: ContentStore, *, is_large: bool) -> None:
        self._store = store
        self._child = child(self._send) if is_large else None

    def __call__(self, known: dict[str, KnownCategory]) -> Scan:
        """Return what lies there, as `store.scan` does; `known` has the categories that are there then."""
        looking, self._child = self._child, None
        try:
            found, met = _SENT.decode(looking.received() if looking else b"")
        except msgspec.DecodeError:  # there was no child, it was ended, or names are no text
            return self._store.scan(known)
        known.clear()
        known.update(met)
        return found

    def close(self) -> None:
        """End the other process, unless what it has found was taken."""
        if self._child:
            self._child.end()
        self._child = None

    def _send(self, pipe: BinaryIO) -> None:
        met: dict[str, KnownCategory] = {}
        found = self._store.scan(met)
        pipe.write(msgspec.msgpack.encode((found, met)))
