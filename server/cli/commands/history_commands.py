"""`twinpress history`, `restore` and `undo`; their work is in `server/cli/actions/page_history.py`."""

from __future__ import annotations

from typing import Any

import click

from server.cli import loading
from server.cli.commands import shared_options


@click.command()
@click.argument("path", default="", metavar="[PATH]")
@shared_options.site_option
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=30, show_default=True, help="Show at most this many."
)
@shared_options.listing
def history(**parameters: Any) -> int:
    """Show what was changed, when and by whom, the last change first.

    PATH is a page (docs/guide/install), a folder (docs/guide) or a file; without it all changes of the
    site are shown. This command also adds changes from outside Twinpress, such as those
    of an editor.

    \b
    Examples:
      twinpress history
      twinpress history docs/guide/install
      twinpress history --format json | jq -r '.[].revision'
    """
    return loading.run("server.cli.actions.page_history:history", parameters)


@click.command()
@click.argument("revision", metavar="REVISION")
@click.argument("path", default="", metavar="[PATH]")
@shared_options.site_option
def restore(**parameters: Any) -> int:
    """Restore a page, a folder or the whole site as it was after a change.

    REVISION is what `twinpress history` shows, or its first digits; with ^ behind it, as in 3f2a9c^,
    it stands for what was before the change. PATH is a page, a folder or a file; without it all pages
    and categories are restored. What this replaces is kept, so that it can be restored, too.

    \b
    Examples:
      twinpress restore 3f2a9c docs/guide/install
      twinpress restore 3f2a9c^ docs/guide
      twinpress restore 3f2a9c
    """
    return loading.run("server.cli.actions.page_history:restore", parameters)


@click.command()
@click.argument("revision", default="", metavar="[REVISION]")
@click.option("--key", default="", metavar="KEY", help="The id, label or last four characters of a key.")
@click.option(
    "--leave-conflicts",
    is_flag=True,
    help="Undo the rest when others have changed some of the pages since; these stay as they are.",
)
@shared_options.site_option
def undo(**parameters: Any) -> int:
    """Undo one change, or everything that was changed with one key.

    REVISION is what `twinpress history` shows, or its first digits. Pages that were changed since are shown,
    and then nothing is undone; --leave-conflicts undoes all others. The undo is kept in the history like any
    other change.

    \b
    Examples:
      twinpress undo 3f2a9c
      twinpress undo --key "release notes"
      twinpress undo --key "release notes" --leave-conflicts
    """
    return loading.run("server.cli.actions.page_history:undo", parameters)
