"""`twinpress admin database ...` and `twinpress admin audit`; the work is in `actions/admin_databases.py`."""

from __future__ import annotations

from typing import Any

import click

from server.cli.commands.admin import admin, as_json, email, run_admin
from server.cli.commands.command_group import InOrder

__all__ = ["admin"]


@admin.group(cls=InOrder)
def database() -> None:
    """See the hosted databases, and delete one.

    \b
    Example:
      twinpress admin --data DIR database list
    """


@database.command(name="list")
@click.argument("email", metavar="[EMAIL]", default="")
@as_json
def list_databases(**parameters: Any) -> int:
    """List the databases of an account, or of all, the oldest first.

    What is on the server in our name and belongs to nobody is told too; nothing of it is ever removed.

    \b
    Examples:
      twinpress admin --data DIR database list
      twinpress admin --data DIR database list me@example.com --json
    """
    return run_admin("admin_databases:list_", parameters)


@database.command(name="delete")
@click.argument("database", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def delete_database(**parameters: Any) -> int:
    """Delete a database with all that it holds. `twinpress db dump` makes a copy before.

    In a terminal it asks first; where nobody can answer, as in a script, it does not.

    \b
    Example:
      twinpress admin --data DIR database delete db_k3ywq6hz2mnx4tva
    """
    return run_admin("admin_databases:delete", parameters)


@database.command(name="recreate")
@click.argument("database", metavar="ID")
def recreate_database(**parameters: Any) -> int:
    """Make a database anew that the server has lost: empty, with its name and its password.

    Then `twinpress db restore` brings back what a dump holds, and connection strings stay as they were.

    \b
    Example:
      twinpress admin --data DIR database recreate db_k3ywq6hz2mnx4tva
    """
    return run_admin("admin_databases:recreate", parameters)


@admin.command()
@email
@click.option(
    "--limit",
    type=click.IntRange(0, 1_000_000_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many events, the last ones; 0 is all.",
)
@as_json
def audit(**parameters: Any) -> int:
    """Show who has created, revealed, rotated and deleted the databases of an account, the last first.

    \b
    Examples:
      twinpress admin --data DIR audit me@example.com
      twinpress admin --data DIR audit me@example.com --limit 0 --json
    """
    return run_admin("admin_databases:audit_", parameters)
