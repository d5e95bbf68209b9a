"""Secrets that the service must be able to read again: sealed in the database, with keys beside it.

Nothing here is imported by `server.control` itself: it needs `cryptography`, which sites do without.
"""

from server.control.sealing.environment import MASTER_KEYS
from server.control.sealing.keyring import Keyring
from server.control.sealing.opening import open_keyring
from server.control.sealing.places import password_of, setting

__all__ = ["MASTER_KEYS", "Keyring", "open_keyring", "password_of", "setting"]
