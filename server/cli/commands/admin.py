"""`twinpress admin ...` and its options; the work is in `server/cli/actions/admin_*.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from server.cli.commands import host_packages
from server.cli.commands.command_group import InOrder

PLANS = click.Choice(["free", "premium"])
email = click.argument("email", metavar="EMAIL")
key_id = click.argument("key", metavar="ID")
as_json = click.option("--json", "as_json", is_flag=True, help="As one JSON array.")


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


def run_admin(target: str, parameters: dict[str, Any]) -> int:
    """With the folder that stands before the command. Not required there: `--help` goes without."""
    context = click.get_current_context()
    data = parameters.pop("data", None) or context.obj
    if data is None:
        raise click.MissingParameter(ctx=context, param_hint="'--data'", param_type="option")
    return host_packages.run(f"server.cli.actions.{target}", {"data": data, **parameters})


@admin.group(cls=InOrder)
def account() -> None:
    """Create accounts, set their plan, suspend them.

    \b
    Example:
      twinpress admin --data DIR account list
    """


@account.command()
@email
@click.option("--plan", type=PLANS, default="free", show_default=True, help="The plan to begin with.")
@click.option("--operator", is_flag=True, help="Let the account look after all others in the dashboard.")
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input without a question."
)
def create(**parameters: Any) -> int:
    """Create an account, and print its id.

    The password is asked for twice; when standard input is no terminal, it is the first line of it.

    \b
    Example:
      twinpress admin --data DIR account create me@example.com --plan premium < password.txt
    """
    return run_admin("admin_accounts:create", parameters)


@account.command()
@email
@click.argument("plan", metavar="PLAN", type=PLANS)
def plan(**parameters: Any) -> int:
    """Set the plan of an account to PLAN: free or premium.

    Keys and databases that are above the limits of a smaller plan stay; no more can be created or enabled. A
    database that is larger than the plan allows becomes read-only.

    \b
    Example:
      twinpress admin --data DIR account plan me@example.com premium
    """
    return run_admin("admin_accounts:plan", parameters)


@account.command()
@email
@click.option("--remove", is_flag=True, help="Take these rights away.")
def operator(**parameters: Any) -> int:
    """Let an account look after all accounts in the dashboard.

    \b
    Example:
      twinpress admin --data DIR account operator me@example.com
    """
    return run_admin("admin_accounts:operator", parameters)


@account.command()
def invite(**parameters: Any) -> int:
    """Print a link with which one person creates an account, within seven days.

    The service takes it when it runs with --sign-up invite or open.

    \b
    Example:
      twinpress admin --data DIR account invite
    """
    return run_admin("admin_links:invite", parameters)


@account.command()
@email
def reset(**parameters: Any) -> int:
    """Print a link with which the owner chooses a new password, within an hour.

    \b
    Example:
      twinpress admin --data DIR account reset me@example.com
    """
    return run_admin("admin_links:reset", parameters)


@account.command()
@email
@click.option("--reason", default="", metavar="TEXT", help="Why, in a sentence that the owner reads.")
def suspend(**parameters: Any) -> int:
    """Disable all keys and all databases of an account at once, and return when no session is left.

    \b
    Example:
      twinpress admin --data DIR account suspend me@example.com
    """
    return run_admin("admin_accounts:suspend", parameters)


@account.command()
@email
def clear(**parameters: Any) -> int:
    """End a suspension. What the owner had disabled stays disabled, all else works again.

    \b
    Example:
      twinpress admin --data DIR account clear me@example.com
    """
    return run_admin("admin_accounts:clear", parameters)


@account.command(name="delete")
@email
@click.option("--yes", is_flag=True, help="Do not ask first.")
def delete_account(**parameters: Any) -> int:
    """Have an account deleted in seven days, with its keys, sites and databases; its sessions end now.

    Until then its owner, or `account restore`, can take that back; a suspended owner cannot. In a terminal it
    asks first; in a script, where nobody can answer, it does not.

    \b
    Example:
      twinpress admin --data DIR account delete me@example.com
    """
    return run_admin("admin_accounts:delete", parameters)


@account.command(name="restore")
@email
def restore_account(**parameters: Any) -> int:
    """Keep an account that was to be deleted, while its seven days are not over.

    \b
    Example:
      twinpress admin --data DIR account restore me@example.com
    """
    return run_admin("admin_accounts:restore", parameters)


@account.command(name="export")
@email
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--db-bin-dir",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="DIR",
    help="The folder of PostgreSQL's programs.  [default: the ones that came with Twinpress]",
)
def export_account(**parameters: Any) -> int:
    """Write all that an account has to FILE, as a zip: sites with history, databases, activity.

    No password and no key is in it. Exit codes: 0 all is in it, 1 some of it is not.

    \b
    Example:
      twinpress admin --data DIR account export me@example.com me.zip
    """
    return run_admin("admin_account_export:export", parameters)


@account.command(name="codes-off")
@email
def codes_off(**parameters: Any) -> int:
    """Turn off the codes of an owner who has lost the authenticator app and the recovery codes.

    Be sure that it is the owner who asks: the password alone opens the account then.

    \b
    Example:
      twinpress admin --data DIR account codes-off me@example.com
    """
    return run_admin("admin_accounts:codes_off", parameters)


@account.command(name="list")
@as_json
def list_accounts(**parameters: Any) -> int:
    """List the accounts, the oldest first.

    \b
    Example:
      twinpress admin --data DIR account list
    """
    return run_admin("admin_accounts:list_", parameters)


@admin.group(name="db-key", cls=InOrder)
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


@admin.group(cls=InOrder)
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


site_name = click.argument("name", metavar="NAME")


@admin.group(name="site", cls=InOrder)
def site_group() -> None:
    """See the sites of all accounts; export, rename, delete and restore one.

    \b
    Example:
      twinpress admin --data DIR site list
    """


@site_group.command(name="list")
@click.argument("email", metavar="[EMAIL]", default="")
@as_json
def list_sites(**parameters: Any) -> int:
    """List the sites of an account, or of all, by name.

    \b
    Examples:
      twinpress admin --data DIR site list
      twinpress admin --data DIR site list me@example.com --json
    """
    return run_admin("admin_sites:list_", parameters)


@site_group.command(name="export")
@site_name
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
def export_site(**parameters: Any) -> int:
    """Write the files of a site to FILE, as a zip that can be imported again.

    NAME is the name of the site, or its id.

    \b
    Example:
      twinpress admin --data DIR site export quay-docs quay-docs.zip
    """
    return run_admin("admin_sites:export", parameters)


@site_group.command(name="rename")
@site_name
@click.argument("new", metavar="NEW")
def rename_site(**parameters: Any) -> int:
    """Give a site the name NEW. The former one stays its account's for 30 days.

    \b
    Example:
      twinpress admin --data DIR site rename quay-docs harbour-docs
    """
    return run_admin("admin_sites:rename", parameters)


@site_group.command(name="delete")
@site_name
@click.option("--yes", is_flag=True, help="Do not ask first.")
def delete_site(**parameters: Any) -> int:
    """Have a site deleted in seven days; its keys open nothing from now on.

    In a terminal it asks first; in a script, where nobody can answer, it does not.

    \b
    Example:
      twinpress admin --data DIR site delete quay-docs
    """
    return run_admin("admin_sites:delete", parameters)


@site_group.command(name="restore")
@site_name
def restore_site(**parameters: Any) -> int:
    """Keep a site that was to be deleted, while its seven days are not over.

    \b
    Example:
      twinpress admin --data DIR site restore quay-docs
    """
    return run_admin("admin_sites:restore", parameters)


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


_data = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The same, behind the command.",
)
_bin_dir = click.option(
    "--db-bin-dir",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="DIR",
    help="The folder of PostgreSQL's programs.  [default: the ones that came with Twinpress]",
)


@admin.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@_data
@_bin_dir
def backup(**parameters: Any) -> int:
    """Write a backup of the whole service to FILE, while it runs.

    It has accounts, keys, sites with their history, and all databases. It has neither the master keys, which
    belong elsewhere, nor sessions of browsers. Exit codes: 0 all is in it, 1 some databases are not.

    \b
    Example:
      twinpress admin --data DIR backup /backup/monday.tar
    """
    return run_admin("admin_backup:backup", parameters)


@admin.command()
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_data
@click.option(
    "--master-keys",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A copy of master.keys; not needed where TWINPRESS_MASTER_KEYS is set.",
)
@_bin_dir
def restore(**parameters: Any) -> int:
    """Restore the backup FILE into a new data folder: all of it, or nothing.

    The folder must be new or empty. Databases keep their names and passwords.

    \b
    Example:
      twinpress admin --data DIR restore /backup/monday.tar --master-keys /safe/master.keys
    """
    return run_admin("admin_backup:restore", parameters)


@admin.command()
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
