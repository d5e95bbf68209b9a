"""Webhooks of accounts: addresses that are called when something breaks.

Each has a secret that signs the calls; it is sealed, and shown once.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from server.control import audit, base62
from server.control.audit import Action, By, Event
from server.control.errors import AccountError
from server.control.sealing import Keyring
from server.control.sealing.places import webhook_of
from server.control.sqlite.database import ControlDatabase, Row, Transaction

MOST = 5
"""Webhooks of an account."""
LONGEST_URL = 500
PREFIX = "whsec_"
"""The beginning of secrets."""
_ID, _SECRET_LENGTH = 12, 40
_PRINTABLE = re.compile(r"[!-~]+")
_LAST = """
    SELECT state, status, said, COALESCE(ended_at, created_at), attempts, event FROM notices
    WHERE webhook = ? ORDER BY number DESC LIMIT 1
"""


class InvalidWebhook(AccountError):
    """The text cannot be the address of a webhook, or there are as many as there may be."""


class WebhookNotFound(AccountError):
    """The account has no such webhook."""


class LastCall(Struct, frozen=True):
    """The last notice to a webhook: `status` is the HTTP status of the answer, None where none came."""

    state: str
    status: int | None
    said: str
    at: int
    attempts: int
    event: str


class Webhook(Struct, frozen=True):
    """A webhook; `last` is None before the first notice."""

    id: str
    account: str
    url: str
    created_at: int
    last: LastCall | None = None


def check_url(text: str) -> str:
    """Return the address of a webhook. Raises InvalidWebhook."""
    url = text.strip()
    hint = "write an address such as https://example.com/hooks/docs"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidWebhook("this is no address", hint=hint) from None
    if len(url) > LONGEST_URL or not _PRINTABLE.fullmatch(url) or not parts.hostname or port == 0:
        raise InvalidWebhook("this is no address", hint=hint)
    if parts.scheme != "https":
        raise InvalidWebhook("the address has to begin with https://", hint=hint)
    if parts.username is not None or parts.fragment:
        raise InvalidWebhook("the address can have neither a name with a password nor a `#`", hint=hint)
    return url


class Webhooks:
    """The webhooks in a database. `clock` gives the seconds since 1970. Safe to use from several threads."""

    def __init__(
        self, database: ControlDatabase, keyring: Keyring, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._keyring = keyring
        self._clock = clock

    def list(self, account: str) -> Sequence[Webhook]:
        """All webhooks of an account, the oldest first, each with its last call."""
        sql = "SELECT id, account, url, created_at FROM webhooks WHERE account = ? ORDER BY created_at, id"
        return [self._webhook(row) for row in self._database.read(sql, (account,))]

    def create(self, account: str, url: str, by: By) -> tuple[Webhook, str]:
        """Create a webhook; gives it with its secret, which nothing shows again. Raises InvalidWebhook."""
        url, id, now = check_url(url), base62.random(_ID), int(self._clock())
        secret = PREFIX + base62.random(_SECRET_LENGTH)
        with self._database.change() as change:
            by.check()
            ((count,),) = change.read("SELECT COUNT(*) FROM webhooks WHERE account = ?", (account,))
            if int(str(count)) >= MOST:
                raise InvalidWebhook(f"an account has at most {MOST} webhooks", hint="delete one first")
            sealed = self._keyring.seal(secret, webhook_of(id))
            sql = "INSERT INTO webhooks (id, account, url, secret, created_at) VALUES (?, ?, ?, ?, ?)"
            change.write(sql, (id, account, url, sealed, now))
            self._note(change, account, by, "account.webhook.create")
        return Webhook(id, account, url, now), secret

    def delete(self, account: str, id: str, by: By) -> None:
        """Delete a webhook, with the notices that are on their way to it. Raises WebhookNotFound."""
        with self._database.change() as change:
            by.check()
            if not change.write("DELETE FROM webhooks WHERE account = ? AND id = ?", (account, id)):
                raise WebhookNotFound("there is no such webhook")
            self._note(change, account, by, "account.webhook.delete")

    def target(self, id: str) -> tuple[str, str]:
        """Return the address of a webhook and its secret. Raises WebhookNotFound, SecretError."""
        rows = self._database.read("SELECT url, secret FROM webhooks WHERE id = ?", (id,))
        if not rows:
            raise WebhookNotFound("there is no such webhook")
        return str(rows[0][0]), self._keyring.open(str(rows[0][1]), webhook_of(id))

    def mails(self, account: str) -> bool:
        """Return whether the account gets mails about what breaks."""
        return bool(self._database.read("SELECT 1 FROM mail_choices WHERE account = ?", (account,)))

    def choose_mails(self, account: str, by: By, *, on: bool) -> None:
        """Have mails sent to the account about what breaks, or not any more."""
        new = "INSERT INTO mail_choices (account, created_at) VALUES (?, ?) ON CONFLICT (account) DO NOTHING"
        with self._database.change() as change:
            by.check()
            if on:
                change.write(new, (account, int(self._clock())))
            else:
                change.write("DELETE FROM mail_choices WHERE account = ?", (account,))
            self._note(change, account, by, "account.mails.on" if on else "account.mails.off")

    def _note(self, change: Transaction, account: str, by: By, action: Action) -> None:
        audit.note(change, Event(int(self._clock()), account, by.actor, action, account))

    def _webhook(self, row: Row) -> Webhook:
        id, account, url, created_at = row
        rows = self._database.read(_LAST, (id,))
        last = _last(rows[0]) if rows else None
        return Webhook(str(id), str(account), str(url), int(str(created_at)), last)


def _last(row: Row) -> LastCall:
    state, status, said, at, attempts, event = row
    known = None if status is None else int(str(status))
    return LastCall(str(state), known, str(said), int(str(at)), int(str(attempts)), str(event))
