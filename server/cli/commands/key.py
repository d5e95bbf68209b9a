"""`twinpress key ...` and its options; the work is in `server/cli/actions/manage_keys.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from server.cli import loading
from server.cli.commands import shared_options
from server.cli.commands.command_group import InOrder


def _site_and_key(
    context: click.Context, parameter: click.Parameter, words: tuple[str, ...]
) -> tuple[Path, str]:
    """The site may be left out although it stands first, which click does not offer for single words."""
    if not words:
        raise click.MissingParameter(ctx=context, param=parameter, param_hint="'KEY'")
    if len(words) > 2:
        raise click.UsageError(f"Got unexpected extra argument ({words[2]})", context)
    site = shared_options.FOLDER.convert(words[0], parameter, context) if len(words) == 2 else Path()
    return Path(site), words[-1]


def _kind(context: click.Context, option: click.Parameter, given: str | None) -> str:
    """Return the kind of a new key: a prompt without one is for an agent, and has a one-off key."""
    if given is None and not context.params["with_prompt"]:
        raise click.MissingParameter(ctx=context, param=option)
    return given or "one-off"


target = click.argument(
    "target", nargs=-1, metavar="[SITE] KEY", type=click.UNPROCESSED, callback=_site_and_key
)


@click.group(cls=InOrder)
def key() -> None:
    """Create and delete keys, with which programs and agents work on the pages of a site.

    A one-off key is valid for an hour, a long-lived one until you delete it. Each opens one site. KEY is
    the id of a key, its label, or its last four characters.

    \b
    Example:
      twinpress key create --prompt
    """


@key.command()
@shared_options.site
@click.option(
    "--kind",
    callback=_kind,
    type=click.Choice(["one-off", "long-lived"]),
    help="Valid for an hour, or until it is deleted. It may be left out with --prompt: then it is one-off.",
)
@click.option("--label", default="", metavar="LABEL", help="A name by which you find the key again.")
@click.option(
    "--url",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="ADDRESS",
    callback=shared_options.address,
    help="Where the site is served, for the prompt.",
)
@click.option(
    "--navigation/--no-navigation",
    default=True,
    show_default=True,
    help="Let it change the header, the footer and the sidebar, or not.",
)
@click.option(
    "--prompt",
    "with_prompt",
    is_flag=True,
    is_eager=True,  # whether a kind must be given depends on it
    help="Print a prompt too, to be pasted into an agent.",
)
@click.option("--task", default="", metavar="TEXT", help="What the agent shall do; the prompt ends with it.")
def create(**parameters: Any) -> int:
    """Create a key. It is shown once, alone on the first line; only a hash of it is kept.

    \b
    Examples:
      twinpress key create --prompt
      twinpress key create --prompt --task "Write a page about backups."
      twinpress key create my-docs --kind long-lived --label ci
    """
    if parameters["task"] and not parameters["with_prompt"]:
        raise click.UsageError("--task stands at the end of a prompt: add --prompt")
    return loading.run("server.cli.actions.manage_keys:create", parameters)


@key.command(name="list")
@shared_options.site
@shared_options.listing
def list_(**parameters: Any) -> int:
    """List the keys of a site.

    Their texts are not in the list: only hashes of them are kept.

    \b
    Example:
      twinpress key list
    """
    return loading.run("server.cli.actions.manage_keys:list_", parameters)


@key.command()
@target
def delete(**parameters: Any) -> int:
    """Delete a key. It opens nothing from this moment on.

    \b
    Example:
      twinpress key delete ci
    """
    return loading.run("server.cli.actions.manage_keys:delete", parameters)


@key.command()
@target
def disable(**parameters: Any) -> int:
    """Let a key open nothing until it is enabled again.

    \b
    Example:
      twinpress key disable my-docs ci
    """
    return loading.run("server.cli.actions.manage_keys:disable", parameters)


@key.command()
@target
def enable(**parameters: Any) -> int:
    """Let a disabled key open its site again.

    \b
    Example:
      twinpress key enable ci
    """
    return loading.run("server.cli.actions.manage_keys:enable", parameters)
