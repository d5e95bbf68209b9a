"""The places of sealed texts in the database, and the name that each of them is bound to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from server.control.sealing.seal import key_id
from server.control.sqlite.database import ControlDatabase, Transaction


def password_of(database: str) -> str:
    """Return the place that the passwords, present and next, of the database with this id are bound to."""
    # One place for both: the next becomes the present one by a copy within SQL.
    return f"databases:{database}:password"


def time_codes_of(account: str) -> str:
    """Return the place that the secret of the codes of the account with this id is bound to."""
    return f"accounts:{account}:time_codes"


def preview_of(digest: str) -> str:
    """Return the place that the token of the preview with this digest is bound to."""
    return f"site_previews:{digest}:token"


def setting(name: str) -> str:
    """Return the place that the sealed value of the setting `sealed:...` is bound to."""
    return f"settings:{name}"


def webhook_of(id: str) -> str:
    """Return the place that the secret of the webhook with this id is bound to."""
    return f"webhooks:{id}:secret"


class Sealed(Struct, frozen=True):
    """A sealed text: in which row it is, what it is bound to, and how another is put in its place."""

    row: str
    text: str
    bound_to: str
    replace: str
    """SQL with values for: the new text, the row, the old text."""

    @property
    def key(self) -> str:
        """The id of the key that sealed it. Raises SealBroken."""
        return key_id(self.text, self.bound_to)


def sealed_texts(reader: Transaction | ControlDatabase) -> Iterator[Sealed]:
    """All that is sealed."""
    for column in ("password", "next_password"):
        replace = f"UPDATE databases SET {column} = ? WHERE id = ? AND {column} = ?"  # noqa: S608 - a constant
        query = f"SELECT id, {column} FROM databases WHERE {column} IS NOT NULL"  # noqa: S608
        for row, text in reader.read(query):
            yield Sealed(str(row), str(text), password_of(str(row)), replace)
    replace = "UPDATE time_codes SET secret = ? WHERE account = ? AND secret = ?"
    for row, text in reader.read("SELECT account, secret FROM time_codes"):
        yield Sealed(str(row), str(text), time_codes_of(str(row)), replace)
    replace = "UPDATE site_previews SET sealed = ? WHERE digest = ? AND sealed = ?"
    for row, text in reader.read("SELECT digest, sealed FROM site_previews"):
        yield Sealed(str(row), str(text), preview_of(str(row)), replace)
    replace = "UPDATE webhooks SET secret = ? WHERE id = ? AND secret = ?"
    for row, text in reader.read("SELECT id, secret FROM webhooks"):
        yield Sealed(str(row), str(text), webhook_of(str(row)), replace)
    replace = "UPDATE settings SET value = ? WHERE name = ? AND value = ?"
    for row, text in reader.read("SELECT name, value FROM settings WHERE name LIKE 'sealed:%'"):
        yield Sealed(str(row), str(text), setting(str(row)), replace)
