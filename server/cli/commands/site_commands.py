"""`twinpress admin site ...` and `domain ...`: the sites of all accounts, and their domains.

Apart from `admin`, as the commands of accounts and databases are: all of them are too many for one file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from server.cli.commands.admin_options import as_json, run_admin
from server.cli.commands.command_group import InOrder

site_name = click.argument("name", metavar="NAME")


@click.group(name="site", cls=InOrder)
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


@click.group(name="domain", cls=InOrder)
def domain_group() -> None:
    """See the domains of all accounts; remove one from all sites.

    \b
    Example:
      twinpress admin --data DIR domain list
    """


@domain_group.command(name="list")
@click.argument("email", metavar="[EMAIL]", default="")
@as_json
def list_domains(**parameters: Any) -> int:
    """List the domains of an account, or of all, by name.

    \b
    Examples:
      twinpress admin --data DIR domain list
      twinpress admin --data DIR domain list me@example.com --json
    """
    return run_admin("admin_domains:list_", parameters)


@domain_group.command(name="clear")
@click.argument("domain", metavar="DOMAIN")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def clear_domain(**parameters: Any) -> int:
    """Remove DOMAIN from all sites that have or want it: readers get nothing there within a second.

    In a terminal it asks first; in a script, where nobody can answer, it does not.

    \b
    Example:
      twinpress admin --data DIR domain clear docs.example.com
    """
    return run_admin("admin_domains:clear", parameters)
