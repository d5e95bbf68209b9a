"""`twinpress admin ...`: the whole service; the work is in `server/cli/actions/admin_*.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from server.cli.commands import shared_options
from server.cli.commands.account_commands import account
from server.cli.commands.admin_options import as_json, email, run_admin
from server.cli.commands.command_group import InOrder
from server.cli.commands.database_commands import database, db_key
from server.cli.commands.site_commands import domain_group, site_group


@click.group(cls=InOrder)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    envvar="TWINPRESS_DATA",
    show_envvar=True,
    help="The folder with the data of the service.  [required]",
)
@click.pass_context
def admin(context: click.Context, data: Path | None) -> None:
    """Administer the service: its accounts, their keys to databases, and its secrets.

    These commands work while the service runs; it obeys at the next request. They belong to whoever runs
    the service: they ask for no password but the one of a new account. Run them as the service's own user,
    and with the TWINPRESS_ variables that it has.

    \b
    Example:
      twinpress admin --data /var/lib/twinpress account create me@example.com
    """
    context.obj = data


@click.group(cls=InOrder)
def secrets() -> None:
    """Change the master key, with which the passwords of databases are sealed.

    \b
    Example:
      twinpress admin --data DIR secrets rotate
    """


@secrets.command(name="rotate")
def rotate_master(**parameters: Any) -> int:
    """Add a new master key, which seals from now on.

    When the keys are in TWINPRESS_MASTER_KEYS, what it has to hold from now on is printed.

    \b
    Example:
      twinpress admin --data DIR secrets rotate
    """
    return run_admin("admin_secrets:rotate", parameters)


@secrets.command()
@click.option("--prune", is_flag=True, help="Remove the master keys that no secret needs any more.")
def rewrap(**parameters: Any) -> int:
    """Seal all secrets with the newest master key.

    \b
    Example:
      twinpress admin --data DIR secrets rewrap --prune
    """
    return run_admin("admin_secrets:rewrap", parameters)


_data = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The same, behind the command.",
)


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@_data
@shared_options.bin_dir
def backup(**parameters: Any) -> int:
    """Write a backup of the whole service to FILE, while it runs.

    It has accounts, keys, sites with their history, releases of published sites with counts of their readers,
    and all databases. It has neither the master keys, which belong elsewhere, nor sessions of browsers, nor
    releases that are in a bucket (--releases), which stay there. Exit codes: 0 all is in it, 1 some databases
    are not.

    \b
    Example:
      twinpress admin --data DIR backup /backup/monday.tar
    """
    return run_admin("admin_backup:backup", parameters)


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_data
@click.option(
    "--master-keys",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A copy of master.keys; not needed where TWINPRESS_MASTER_KEYS is set.",
)
@shared_options.bin_dir
def restore(**parameters: Any) -> int:
    """Restore the backup FILE into a new data folder: all of it, or nothing.

    The folder must be new or empty. Databases keep their names and passwords, and readers have published
    sites as they were.

    \b
    Example:
      twinpress admin --data DIR restore /backup/monday.tar --master-keys /safe/master.keys
    """
    return run_admin("admin_backup:restore", parameters)


@click.group(cls=InOrder)
def releases() -> None:
    """Move the releases of published sites between the folder of the data and a bucket.

    \b
    Example:
      twinpress admin --data DIR releases copy s3://example-docs/twinpress
    """


@releases.command()
@click.argument("to", metavar="TO")
@shared_options.releases
def copy(**parameters: Any) -> int:
    """Copy all releases to the bucket TO, or with `folder` from a bucket into the data.

    Digests are checked, and what is there already is left. Run it while the service works, and once more when
    that is stopped: then start the service with --releases TO. Exit codes: 0 all is there, 1 some files were
    damaged.

    \b
    Examples:
      twinpress admin --data DIR releases copy s3://example-docs/twinpress
      twinpress admin --data DIR releases copy folder --releases s3://example-docs/twinpress
    """
    return run_admin("admin_releases:copy", parameters)


@click.command()
@email
@click.option(
    "--limit",
    type=click.IntRange(0, 1_000_000_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="Show this many events, the last ones; 0 shows all.",
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


for each in (account, db_key, secrets, site_group, domain_group, releases, database, backup, restore, audit):
    admin.add_command(each)
