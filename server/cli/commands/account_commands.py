"""`twinpress admin account ...`: accounts, their plans and rights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from server.cli.commands.admin_options import as_json, email, run_admin
from server.cli.commands.command_group import InOrder

PLANS = click.Choice(["free", "premium"])


@click.group(cls=InOrder)
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
    return run_admin("admin_suspensions:suspend", parameters)


@account.command()
@email
def clear(**parameters: Any) -> int:
    """End a suspension. What the owner had disabled stays disabled, all else works again.

    \b
    Example:
      twinpress admin --data DIR account clear me@example.com
    """
    return run_admin("admin_suspensions:clear", parameters)


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
