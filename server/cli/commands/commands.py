"""The commands and their options, which `--help` loads; their work is in `server/cli/actions`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from builder.version import VERSION
from server.cli import loading
from server.cli.commands import shared_options
from server.cli.commands.admin import admin
from server.cli.commands.command_group import InOrder
from server.cli.commands.host import db, host, sites
from server.cli.commands.key import key
from server.cli.commands.move_commands import mv, redirect
from server.cli.commands.sync_commands import publish, pull, push

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _version(context: click.Context, _parameter: click.Parameter, wanted: Any) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"twinpress {VERSION}")
        context.exit()


@click.group(cls=InOrder, context_settings=SETTINGS)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version.",
)
def twinpress() -> None:
    """Turn a folder of markdown into a documentation site for people, agents and machines.

    \b
    First steps:
      twinpress new my-docs      create a small site to start from
      cd my-docs
      twinpress serve            see it, and every change as you save
      twinpress build            write the finished site to dist/

    Exit codes: 0 nothing wrong, 1 the site has errors, 2 the command failed.
    """


@twinpress.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def new(**parameters: Any) -> int:
    """Create a small site to start from in DIR, which must be new or empty.

    \b
    Example:
      twinpress new my-docs
    """
    return loading.run("server.cli.actions.new:run", parameters)


@twinpress.command()
@shared_options.site
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="The folder to write to.  [default: SITE/dist]",
)
@shared_options.plan
@shared_options.strict
@shared_options.form
@shared_options.drafts
@shared_options.jobs
@shared_options.no_cache
@shared_options.safe
@shared_options.include_roots
def build(**parameters: Any) -> int:
    """Write the finished site.

    SITE is the folder with site.yml, by default the current one. Publish OUT on any static host.
    Files that an earlier build wrote and this one does not are removed from OUT; other files are
    left alone. The site is written even when it has errors.

    \b
    Examples:
      twinpress build
      twinpress build my-docs -o public
      twinpress build --strict --format github      in a GitHub workflow
    """
    return loading.run("server.cli.actions.build_site:build", parameters)


@twinpress.command()
@shared_options.site
@shared_options.plan
@shared_options.strict
@shared_options.form
@shared_options.drafts
@shared_options.jobs
@shared_options.no_cache
@shared_options.safe
@shared_options.include_roots
@shared_options.codes
@click.option(
    "--summary", is_flag=True, help="Count by code and message, with files; not with --format github."
)
@click.option(
    "--against",
    default="",
    metavar="FORMER",
    help="Find addresses that readers would lose: a folder, a list, a web address, git:COMMIT,"
    " or git:REMOTE#BRANCH.",
)
def check(against: str, **parameters: Any) -> int:
    """Show what is wrong with a site, and write nothing.

    Gives the same diagnostics as a build: broken links and anchors, unknown components and
    attributes, frontmatter that cannot be read, names that clash. With --against also addresses that
    FORMER has and this site has not: FORMER is a built folder or a folder of releases, a list such as
    _tp/urls.txt or sitemap.xml, the address of the published site, a commit of the site's own repository, or
    a branch to which it is published.

    \b
    Examples:
      twinpress check
      twinpress check my-docs --strict
      twinpress check --summary                      what there is most of
      twinpress check --code broken-link
      twinpress check --format json | jq -r '.[].file'
      twinpress check --safe --format github        for a stranger's pull request
      twinpress check --against https://docs.example.com
      twinpress check --against git:origin/main      what this branch would lose
    """
    if against:
        return loading.run(
            "server.cli.actions.publish_site:check_against", {"against": against, **parameters}
        )
    return loading.run("server.cli.actions.build_site:check", parameters)


@twinpress.command()
@shared_options.site
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on; when it is in use, the next free one.",
)
@click.option("--open", "browser", is_flag=True, help="Open the site in your browser.")
@click.option("--no-key", is_flag=True, help="Create no key for an agent.")
@click.option(
    "--requests",
    type=click.IntRange(0),
    metavar="N",
    help="How often a key may ask in a minute; 0 is no limit.  [default: 300, or 3000 with a long-lived key]",
)
@shared_options.address_requests(3000)
@shared_options.address_connections
@shared_options.trusted_proxy
@shared_options.plan
@shared_options.safe
@shared_options.include_roots
@click.option(
    "--trust",
    is_flag=True,
    help="Run the programs in the site's folder theme without asking, whatever they are.",
)
def serve(**parameters: Any) -> int:
    """Show the site in a browser, with every change as you save it.

    Drafts are shown too. Problems appear in the page, with file and line, until you correct them.
    Nothing is written, unless an agent writes pages through the authoring API, which is served beside
    the site: it needs a key, and one for an hour is shown at the start with a prompt to paste.
    A site may have programs of its own, in its folder theme: you are asked before they run.

    \b
    Examples:
      twinpress serve --open
      twinpress serve my-docs --port 9000
      twinpress serve --host 0.0.0.0      also for other machines in your network
      twinpress serve --safe theirs       a site of somebody you do not know
    """
    return loading.run("server.cli.actions.serve:run", parameters)


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


twinpress.add_command(key)
for _command in (mv, redirect, history, restore, undo, publish, pull, push, host, sites, db, admin):
    twinpress.add_command(_command)
