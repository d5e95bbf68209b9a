"""Values that the service chooses once: every later start, and every other process, finds the same."""

from __future__ import annotations

from collections.abc import Callable

from server.control.sqlite.database import ControlDatabase


def chosen(database: ControlDatabase, name: str, choose: Callable[[], str]) -> str:
    """The value kept under this name; `choose` makes it when there is none, unless another was quicker."""
    kept = known(database, name)
    if kept is not None:
        return kept
    with database.change() as change:
        rows = change.read("SELECT value FROM settings WHERE name = ?", (name,))
        if rows:
            return str(rows[0][0])
        # Within the change, as what is sealed has to be: nobody takes the master key away meanwhile.
        made = choose()
        change.write("INSERT INTO settings (name, value) VALUES (?, ?)", (name, made))
    return made


def known(database: ControlDatabase, name: str) -> str | None:
    """The value kept under this name; None when nothing was chosen yet."""
    rows = database.read("SELECT value FROM settings WHERE name = ?", (name,))
    return str(rows[0][0]) if rows else None


def keep(database: ControlDatabase, name: str, value: str) -> None:
    """Keep a value in place of the former one."""
    with database.change() as change:
        if not change.write("UPDATE settings SET value = ? WHERE name = ?", (value, name)):
            change.write("INSERT INTO settings (name, value) VALUES (?, ?)", (name, value))


def forget(database: ControlDatabase, name: str) -> None:
    """Keep nothing under this name."""
    database.write("DELETE FROM settings WHERE name = ?", (name,))
