"""The master keys of an environment variable."""

from __future__ import annotations

from server.control.sealing.master_key import MasterKey, parse

MASTER_KEYS = "TWINPRESS_MASTER_KEYS"


class EnvironmentKeys:
    """The keys in a text that never changes while the process runs."""

    def __init__(self, text: str) -> None:
        self._keys = parse(text, MASTER_KEYS)

    def stamp(self) -> None:
        """Always the same."""

    def load(self) -> tuple[MasterKey, ...]:
        """The keys."""
        return self._keys
