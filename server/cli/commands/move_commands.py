"""`twinpress mv` and `twinpress redirect ...`: addresses that stay when pages move."""

from __future__ import annotations

from typing import Any

import click

from server.cli import loading
from server.cli.commands import shared_options
from server.cli.commands.command_group import InOrder


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@shared_options.site_option
@click.option("--no-redirect", is_flag=True, help="Add no redirect from the old address.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def mv(**parameters: Any) -> int:
    """Move a page, a folder or a file to another name, with all links to it, as one change.

    OLD and NEW are content paths (docs/guide/install), folders or files; a NEW that ends in / is a folder to
    move into. The twin of a page moves with it, and images beside it that it alone uses. Links in pages,
    twins, parts, site.yml and sidebar.yml are written anew in the form that they have, and readers of the old
    address are redirected. A link that cannot be changed is shown, and stays.

    \b
    Examples:
      twinpress mv docs/setup docs/guide/install
      twinpress mv docs/guide/ docs/manual --dry-run
      twinpress mv docs/intro.mdx docs/start/
      twinpress mv docs/start/layout.svg docs/start/overview.svg
    """
    return loading.run("server.cli.actions.move_page:run", parameters)


@click.group(cls=InOrder)
def redirect() -> None:
    """Lead readers from old addresses to new ones: the redirects of site.yml.

    \b
    Example:
      twinpress redirect add /docs/setup /docs/guide/install
    """


@redirect.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@shared_options.site_option
def add(**parameters: Any) -> int:
    """Lead readers from the address OLD to NEW: a page, or an address elsewhere.

    OLD may end in * and have names such as :year, for many addresses. All other lines of site.yml stay as
    they are. An OLD at which there is a page is refused, and a circle too. Redirects that led to OLD lead
    to NEW at once. The exit code is 1 when there is nothing at NEW.

    \b
    Examples:
      twinpress redirect add /docs/setup /docs/guide/install
      twinpress redirect add '/old/*' '/docs/*'
      twinpress redirect add /chat https://chat.example.com
    """
    return loading.run("server.cli.actions.redirects:add", parameters)


@redirect.command(name="list")
@shared_options.site_option
@shared_options.listing
def list_(**parameters: Any) -> int:
    """List the redirects of a site, with the file and line of each.

    \b
    Examples:
      twinpress redirect list
      twinpress redirect list --format json | jq -r '.[].from'
    """
    return loading.run("server.cli.actions.redirects:list_", parameters)


@redirect.command()
@click.argument("old", metavar="OLD")
@shared_options.site_option
def remove(**parameters: Any) -> int:
    """Remove the redirect from the address OLD.

    \b
    Example:
      twinpress redirect remove /docs/setup
    """
    return loading.run("server.cli.actions.redirects:remove", parameters)
