"""Commands that have commands below them."""

from __future__ import annotations

import click


class InOrder(click.Group):
    """Lists its commands in the order in which a person needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As declared."""
        return list(self.commands)
