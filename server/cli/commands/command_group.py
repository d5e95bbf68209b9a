"""Commands that have commands below them."""

from __future__ import annotations

from collections import UserDict
from typing import Any

import click

from server.cli import loading


class InOrder(click.Group):
    """Lists its commands in the order in which a person needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As declared."""
        return list(self.commands)


class Commands(UserDict[str, Any]):
    """Commands by their names; one given as `package.module:name` is loaded when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        """Return a command."""
        found = self.data[name]
        if isinstance(found, str):
            found = self.data[name] = loading.found(found)
        command: click.Command = found
        return command
