"""`twinpress admin db-key ...` and `twinpress admin database ...`."""

from __future__ import annotations

from typing import Any

import click

from server.cli.commands.admin_options import as_json, email, key_id, run_admin
from server.cli.commands.command_group import InOrder


@click.group(name="db-key", cls=InOrder)
def db_key() -> None:
    """Create and delete the keys with which scripts manage the databases of an account.

    \b
    Example:
      twinpress admin --data DIR db-key list me@example.com
    """


@db_key.command(name="create")
@email
@click.option("--label", default="", metavar="LABEL", help="A name by which its owner finds the key again.")
def create_key(**parameters: Any) -> int:
    """Create a key. It is shown once, alone on the first line; only a hash of it is kept.

    \b
    Example:
      twinpress admin --data DIR db-key create me@example.com --label backups
    """
    return run_admin("admin_keys:create", parameters)


@db_key.command(name="list")
@email
@as_json
def list_keys(**parameters: Any) -> int:
    """List the keys of an account, the oldest first.

    \b
    Example:
      twinpress admin --data DIR db-key list me@example.com --json
    """
    return run_admin("admin_keys:list_", parameters)


@db_key.command()
@key_id
def rotate(**parameters: Any) -> int:
    """Give a key a new value, alone on the first line. The old one fails from this moment on.

    \b
    Example:
      twinpress admin --data DIR db-key rotate K7ZlyBokEOPl
    """
    return run_admin("admin_keys:rotate", parameters)


@db_key.command()
@key_id
def disable(**parameters: Any) -> int:
    """Let a key open nothing until you enable it. It does not count against the limit any more.

    \b
    Example:
      twinpress admin --data DIR db-key disable K7ZlyBokEOPl
    """
    return run_admin("admin_keys:disable", parameters)


@db_key.command()
@key_id
def enable(**parameters: Any) -> int:
    """Let a disabled key work again; refused while the account has as many active keys as it may.

    \b
    Example:
      twinpress admin --data DIR db-key enable K7ZlyBokEOPl
    """
    return run_admin("admin_keys:enable", parameters)


@db_key.command()
@key_id
def delete(**parameters: Any) -> int:
    """Delete a key. It opens nothing from this moment on.

    \b
    Example:
      twinpress admin --data DIR db-key delete K7ZlyBokEOPl
    """
    return run_admin("admin_keys:delete", parameters)


@click.group(cls=InOrder)
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

    Databases on the server that belong to no account are listed too, and left alone.

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
    """Delete a database with all its data. To keep a copy, run `twinpress db dump` first.

    In a terminal it asks first; in a script, where nobody can answer, it does not.

    \b
    Example:
      twinpress admin --data DIR database delete db_k3ywq6hz2mnx4tva
    """
    return run_admin("admin_databases:delete", parameters)


@database.command(name="recreate")
@click.argument("database", metavar="ID")
def recreate_database(**parameters: Any) -> int:
    """Create a database again that the server has lost: empty, with its name and its password.

    Connection strings stay as they were. Import its data from a dump with `twinpress db restore`.

    \b
    Example:
      twinpress admin --data DIR database recreate db_k3ywq6hz2mnx4tva
    """
    return run_admin("admin_databases:recreate", parameters)
