"""The master keys of an environment variable, or of a file that one names and that others look after."""

from __future__ import annotations

from server.control.sealing.master_key import MasterKey, parse

MASTER_KEYS = "TWINPRESS_MASTER_KEYS"
MASTER_KEYS_FILE = "TWINPRESS_MASTER_KEYS_FILE"
"""The path of a file with the same text, such as a credential that systemd hands over; it is only read."""


class EnvironmentKeys:
    """The keys in a text that never changes while the process runs."""

    def __init__(self, text: str, place: str = MASTER_KEYS) -> None:
        self.place = place
        self._keys = parse(text, place)

    def stamp(self) -> None:
        """Always the same."""

    def load(self) -> tuple[MasterKey, ...]:
        """The keys."""
        return self._keys
