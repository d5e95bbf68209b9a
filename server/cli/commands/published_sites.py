"""`twinpress sites`; the work is in `server/cli/actions`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from server.cli.commands import host_packages, shared_options

_NEEDED = ("brotli",)


@click.command()
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    envvar="TWINPRESS_DATA",
    show_envvar=True,
    help="The folder of the service's data.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on. Sites are served over HTTP: put a proxy with TLS before it.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8081,
    show_default=True,
    metavar="PORT",
    help="The port of sites; 0 is any.",
)
@click.option(
    "--previews",
    type=click.Path(path_type=Path),
    metavar="SOCKET",
    help="The socket of the service, to which requests for previews are passed on.",
)
@shared_options.address_connections
@shared_options.trusted_proxy
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object a line.",
)
def sites(**parameters: Any) -> int:
    """Serve published sites to their readers, without the service, its databases or its dashboard.

    It reads the releases in DIR alone, so readers have their pages while everything else is stopped or
    upgraded. Each site answers at the names of its hosts.

    \b
    Examples:
      twinpress sites --data /var/lib/twinpress
      twinpress sites --data /var/lib/twinpress --port 9001 --trusted-proxy 127.0.0.1
    """
    from server.process import interrupts  # noqa: PLC0415 - only where something is started

    with interrupts.kept():
        return host_packages.run("server.cli.actions.sites:run", parameters, _NEEDED)
    return 0  # a signal has ended it before it was there
