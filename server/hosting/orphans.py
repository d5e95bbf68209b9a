"""Databases on the server in our name and in no row: told to the operator, and never dropped."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from server.control.sqlite.database import ControlDatabase


class Orphan(Struct, frozen=True):
    """A database or a role that nobody has."""

    name: str
    seen_at: int
    """When it was seen first, in seconds since 1970."""


def known(control: ControlDatabase) -> tuple[Orphan, ...]:
    """Those of the last comparison, by name."""
    rows = control.read("SELECT name, seen_at FROM orphans ORDER BY name")
    return tuple(Orphan(str(name), int(at or 0)) for name, at in rows)


def keep(control: ControlDatabase, names: Iterable[str], now: int) -> frozenset[str]:
    """These are there now, and no others; gives those that were not there before."""
    found, before = frozenset(names), frozenset(each.name for each in known(control))
    if found == before:
        return frozenset()
    with control.change() as change:
        for name in before - found:
            change.write("DELETE FROM orphans WHERE name = ?", (name,))
        for name in found - before:
            change.write("INSERT INTO orphans (name, seen_at) VALUES (?, ?)", (name, now))
    return found - before
