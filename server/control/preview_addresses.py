"""Names under which a session sees the unpublished pages of a site: random, short-lived, and gone with it.

Whoever knows the name sees the pages, so it is made of 160 random bits. The database has its SHA-256, and the
name itself sealed. Nothing is remembered between two requests: a session that one process ends opens no
preview in another from then on.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import time
from collections.abc import Callable

from msgspec import Struct

from builder.errors import TwinpressError
from server.control.errors import SessionEnded, SiteGone
from server.control.sealing import Keyring
from server.control.sealing.places import preview_of
from server.control.sign_in.browser_sessions import IDLE
from server.control.sqlite.database import ControlDatabase, Transaction
from server.releases.hosts import PREVIEW_PREFIX

LIFE = 900
"""Seconds that a name lives at most after it was asked for last."""
RENEWED = 60
"""Seconds within which it is not written down that a name was asked for again."""
BYTES = 20
_LABEL = re.compile(rf"{PREVIEW_PREFIX}([a-z2-7]{{32}})")


class PreviewRecord(Struct, frozen=True):
    """The site that a name shows, and the session that it was made for, by their ids."""

    site: str
    session: str


class PreviewAddresses:
    """The names in a database. `clock` gives the seconds since 1970."""

    def __init__(
        self, database: ControlDatabase, keyring: Keyring, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._keyring = keyring
        self._clock = clock

    def label(self, session: str, site: str) -> str:
        """Return the first part of the host name under which the session sees the site, for LIFE from now.

        Raises SessionEnded and SiteGone.
        """
        now = int(self._clock())
        with self._database.change() as change:
            _check(change, session, site, now)
            token = self._renewed(change, session, site, now) or self._new(change, session, site, now)
        return PREVIEW_PREFIX + token

    def find(self, label: str) -> PreviewRecord | None:
        """Return what the first part of a host name stands for; None where that is nothing, or has ended."""
        form = _LABEL.fullmatch(label)
        if form is None:
            return None
        now = int(self._clock())
        rows = self._database.read(
            "SELECT site, session FROM site_previews WHERE digest = ? AND ends_at > ? AND EXISTS "
            "(SELECT 1 FROM browser_sessions WHERE id = session AND ends_at > ? AND last_used_at > ?)",
            (_digest(form[1]), now, now, now - IDLE),
        )
        return PreviewRecord(str(rows[0][0]), str(rows[0][1])) if rows else None

    def forget_old(self) -> None:
        """Remove the names that have ended."""
        self._database.write("DELETE FROM site_previews WHERE ends_at <= ?", (int(self._clock()),))

    def _renewed(self, change: Transaction, session: str, site: str, now: int) -> str | None:
        """Return the token that goes on, with a new end; None where there is none."""
        rows = change.read(
            "SELECT digest, sealed, ends_at FROM site_previews "
            "WHERE session = ? AND site = ? AND ends_at > ?",
            (session, site, now),
        )
        if not rows:
            return None
        digest, sealed, ends_at = str(rows[0][0]), str(rows[0][1]), int(rows[0][2] or 0)
        try:
            token = self._keyring.open(sealed, preview_of(digest))
        except TwinpressError:
            return None  # its key was taken away: the next name is sealed with another
        if ends_at < now + LIFE - RENEWED:
            change.write("UPDATE site_previews SET ends_at = ? WHERE digest = ?", (now + LIFE, digest))
        return token

    def _new(self, change: Transaction, session: str, site: str, now: int) -> str:
        token = base64.b32encode(secrets.token_bytes(BYTES)).decode("ascii").lower()
        digest = _digest(token)
        sealed = self._keyring.seal(token, preview_of(digest))
        change.write("DELETE FROM site_previews WHERE session = ? AND site = ?", (session, site))
        sql = "INSERT INTO site_previews (digest, site, session, sealed, ends_at) VALUES (?, ?, ?, ?, ?)"
        change.write(sql, (digest, site, session, sealed, now + LIFE))
        return token


def _check(change: Transaction, session: str, site: str, now: int) -> None:
    """Raise SessionEnded or SiteGone where a preview would belong to nobody, or show nothing."""
    alive = "SELECT 1 FROM browser_sessions WHERE id = ? AND ends_at > ? AND last_used_at > ?"
    if not change.read(alive, (session, now, now - IDLE)):
        raise SessionEnded("you are signed out", hint="sign in again")
    if not change.read("SELECT 1 FROM sites WHERE id = ?", (site,)):
        raise SiteGone("the site has been deleted", hint="choose another one")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("ascii")).hexdigest()
