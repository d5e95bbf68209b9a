"""Arguments and options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from server.cli import loading

Command = TypeVar("Command", bound=Callable[..., Any])
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

site = click.argument("site", type=FOLDER, default=Path(), metavar="[SITE]")

site_option = click.option(
    "--site",
    type=FOLDER,
    default=Path(),
    metavar="SITE",
    help="The folder with site.yml.  [default: the current folder]",
)

plan = click.option(
    "--plan",
    type=click.Choice(["free", "premium"]),
    help="Render as on this plan, whatever `plan` in site.yml says.",
)

drafts = click.option("--drafts", is_flag=True, help="Include pages that are marked as drafts.")

jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="How many processes render pages.  [default: one for each processor; one for a small site]",
)

EXECUTOR = re.compile(r"local|dask(=(tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:[0-9]{1,5})?/?)?")


def _executor(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Return the place in which pages are rendered, as it was named; what is none is refused."""
    if not EXECUTOR.fullmatch(value):
        message = f"{value!r} is no executor; write local, dask, or dask=tcp://HOST:PORT"
        raise click.BadParameter(message, context, parameter)
    return value.rstrip("/")


executor = click.option(
    "--executor",
    default="local",
    show_default=True,
    callback=_executor,
    metavar="WHERE",
    help="Where pages are rendered: local is this machine's processes, dask a Dask cluster that is started "
    "on this machine, dask=tcp://HOST:PORT (or tls://) one that is there. Needs twinpress[dask].",
)

no_cache = click.option(
    "--no-cache", is_flag=True, help="Render all pages again, and leave .twinpress/cache alone."
)

_CACHE = (
    click.option(
        "--cache-from",
        default="",
        envvar="TWINPRESS_CACHE_FROM",
        show_envvar=True,
        metavar="URL",
        help="Take pages that another build has made: from a folder, an HTTP server or a bucket (s3://...).",
    ),
    click.option(
        "--cache-to",
        default="",
        envvar="TWINPRESS_CACHE_TO",
        show_envvar=True,
        metavar="URL",
        help="Send the pages of this build there for others, signed with TWINPRESS_CACHE_SECRET.",
    ),
    click.option(
        "--verify-cache",
        default="0%",
        callback=loading.values("server.cli.commands.option_values:share"),
        metavar="PERCENT",
        help="Render such a part of the kept pages anew, and compare: `1%`.",
    ),
)


def shared_cache(command: Command) -> Command:
    """Add the options of the cache that machines share."""
    for option in reversed(_CACHE):
        command = option(command)
    return command


safe = click.option(
    "--safe",
    is_flag=True,
    help="For a site of somebody you do not know: leave its folder theme, git and .twinpress/cache alone.",
)

include_roots = click.option(
    "--include-root",
    "include_roots",
    multiple=True,
    type=FOLDER,
    metavar="FOLDER",
    help="Let pages include files from this folder too, beside the site's own; not with --safe. Repeatable.",
)

strict = click.option("--strict", is_flag=True, help="Exit with 1 on warnings too, not only on errors.")

form = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="How to show diagnostics: for people, as a JSON array on standard output, or as GitHub annotations.",
)


codes = click.option(
    "--code",
    "codes",
    multiple=True,
    callback=loading.values("server.cli.commands.option_values:known_codes"),
    metavar="CODE",
    help="Show only diagnostics with this code, and exit by them alone. Repeatable.",
)

listing = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or as a JSON array on standard output.",
)


ADDRESS = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:[0-9]{1,5})?(/[\w.~%-]+)*/*")


def address(context: click.Context, parameter: click.Parameter, value: str | None) -> str:
    """The address of a server, which goes into commands that people paste into a shell; "" for none."""
    if value is not None and not ADDRESS.fullmatch(value):
        message = f"{value!r} is no address of a server; write it like http://127.0.0.1:8000"
        raise click.BadParameter(message, context, parameter)
    return (value or "").rstrip("/")


trusted_proxy = click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    callback=loading.values("server.cli.commands.option_values:networks"),
    metavar="ADDR",
    help="A proxy, or a network of proxies, whose X-Forwarded-For to trust. May be given several times.",
)

ask_port = click.option(
    "--ask-port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="The port, of this machine alone, at which a TLS proxy asks which names may have a certificate."
    "  [default: none]",
)

metrics_port = click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="The port of metrics for Prometheus.  [default: none]",
)

metrics_host = click.option(
    "--metrics-host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address at which metrics are; they need no key.",
)

log_format = click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object a line.",
)

bin_dir = click.option(
    "--db-bin-dir",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="DIR",
    help="The folder of PostgreSQL's programs.  [default: the ones that came with Twinpress]",
)

address_connections = click.option(
    "--address-connections",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    metavar="N",
    help="How many connections one address may have open; 0 is no limit, as for this machine.",
)


def address_requests(default: int) -> Callable[[Command], Command]:
    """The option of a server that takes so many, if nothing is said."""
    return click.option(
        "--address-requests",
        type=click.IntRange(0),
        default=default,
        show_default=True,
        metavar="N",
        help="How often one address may ask without a key in a minute; 0 is no limit, as for this machine.",
    )


releases = click.option(
    "--releases",
    default="",
    metavar="URL",
    envvar="TWINPRESS_RELEASES",
    show_envvar=True,
    help="The bucket of releases: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX. Needs "
    "twinpress[objects].  [default: a folder in DIR]",
)

allow_analytics = click.option(
    "--allow-analytics",
    is_flag=True,
    envvar="TWINPRESS_ALLOW_ANALYTICS",
    show_envvar=True,
    help="Let published pages load the script of the statistics that `analytics` in their `site.yml` names.",
)
