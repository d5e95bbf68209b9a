"""The commands and their options; their work is in `server/cli/actions`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from builder.version import VERSION
from server.cli import loading
from server.cli.commands import shared_options
from server.cli.commands.command_group import Commands, InOrder

COMMANDS = Commands()
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _version(context: click.Context, _parameter: click.Parameter, wanted: Any) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"twinpress {VERSION}")
        context.exit()


@click.group(cls=InOrder, commands=COMMANDS, context_settings=SETTINGS)
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
@shared_options.executor
@shared_options.no_cache
@shared_options.shared_cache
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
      twinpress build --cache-from https://cache.example/docs --cache-to https://cache.example/docs
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


@twinpress.command()
@click.argument("folder", type=shared_options.FOLDER, default=Path(), metavar="[SITE|DIST]")
@shared_options.plan
@shared_options.drafts
@shared_options.safe
@shared_options.include_roots
def mcp(**parameters: Any) -> int:
    """Let an agent search and read a site, on standard input and output (MCP).

    DIST is a folder that `twinpress build` has written: the agent has it as it is, also after the next build.
    SITE is the folder with site.yml, by default the current one: it is built in memory as it is at the start,
    and nothing is written. The options are for SITE alone. Agents start this command themselves.

    \b
    Examples:
      claude mcp add docs -- twinpress mcp my-docs/dist
      twinpress mcp my-docs
    """
    return loading.run("server.cli.actions.mcp:run", parameters)


LATER = {
    "link_commands": ("links",),
    "score_command": ("score",),
    "key": ("key",),
    "move_commands": ("mv", "redirect"),
    "history_commands": ("history", "restore", "undo"),
    "sync_commands": ("publish", "pull", "push"),
    "host": ("host", "sites", "db"),
    "admin": ("admin",),
}
"""The other commands by their modules, which are loaded when one is asked for."""

COMMANDS["import"] = "server.cli.commands.import_command:import_site"
COMMANDS.update(
    {name: f"server.cli.commands.{module}:{name}" for module, names in LATER.items() for name in names}
)
