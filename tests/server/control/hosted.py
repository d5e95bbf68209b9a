"""The folder of a service's data with secrets in it."""

from __future__ import annotations

from server.control import ControlDatabase
from server.control.sealing import Keyring, password_of, setting
from tests.server.control.people import account

INSERT = """
    INSERT INTO databases
    (id, account, number, name, folded_name, password, next_password, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1)
"""


def fill(database: ControlDatabase, keyring: Keyring, count: int) -> dict[str, str]:
    """Databases with passwords, each second one with a next one, and a sealed setting: places and texts."""
    owner, texts = account(database), {}
    with database.change() as change:
        for number in range(count):
            name = f"db_{number}"
            next_password = keyring.seal(f"next {number}", password_of(name)) if number % 2 else None
            sealed = keyring.seal(f"password {number}", password_of(name))
            change.write(INSERT, (name, owner.id, number, name, name, sealed, next_password))
            texts |= {f"{name} password": f"password {number}"}
            texts |= {f"{name} next": f"next {number}"} if number % 2 else {}
        value = keyring.seal("of the server", setting("sealed:server"))
        change.write("INSERT INTO settings (name, value) VALUES ('sealed:server', ?)", (value,))
    return texts | {"setting": "of the server"}


def opened(database: ControlDatabase, keyring: Keyring) -> dict[str, str]:
    """The same, as they are read."""
    texts = {}
    for name, password, next_password in database.read("SELECT id, password, next_password FROM databases"):
        texts[f"{name} password"] = keyring.open(str(password), password_of(str(name)))
        if next_password is not None:
            texts[f"{name} next"] = keyring.open(str(next_password), password_of(str(name)))
    for (value,) in database.read("SELECT value FROM settings WHERE name = 'sealed:server'"):
        texts["setting"] = keyring.open(str(value), setting("sealed:server"))
    return texts
