"""`twinpress host` and `twinpress db ...`; the work is in `server/cli/actions`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from server.cli import loading
from server.cli.commands import host_packages, shared_options
from server.cli.commands.command_group import InOrder

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_PORT = click.IntRange(0, 65535)

data = click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    envvar="TWINPRESS_DATA",
    show_envvar=True,
    help="The folder of the service's data; created if it does not exist.",
)


@click.command()
@data
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on. The service speaks HTTP: put a proxy with TLS before it.",
)
@click.option(
    "--port",
    type=_PORT,
    default=8080,
    show_default=True,
    metavar="PORT",
    help="The port of the service; 0 is any.",
)
@click.option(
    "--url",
    metavar="URL",
    default="",
    help="The address at which browsers reach the service.  [default: http://localhost:PORT]",
)
@click.option(
    "--sites-port",
    type=_PORT,
    metavar="PORT",
    help="The port of sites, an origin of their own; 0 is any.  [default: the one after --port]",
)
@click.option(
    "--sites-url",
    metavar="URL",
    default="",
    help="The address of sites; each preview has a name below it.  [default: http://localhost:SITES_PORT]",
)
@shared_options.ask_port
@click.option(
    "--dns-resolver",
    metavar="HOST:PORT",
    default="",
    help="A name server to ask for everything about domains of sites, in closed networks.  [default: the "
    "servers of each domain]",
)
@click.option(
    "--sites-process",
    type=click.Choice(["own", "inside", "none"]),
    default="own",
    show_default=True,
    envvar="TWINPRESS_SITES_PROCESS",
    show_envvar=True,
    help="How published sites are served: by a process of their own that goes on when the service is killed, "
    "inside the service, or by `twinpress sites`, which you run.",
)
@shared_options.metrics_port
@shared_options.metrics_host
@click.option(
    "--requests",
    type=click.IntRange(0),
    default=600,
    show_default=True,
    metavar="N",
    help="How often a management key may ask in a minute; 0 is no limit.",
)
@click.option(
    "--sign-up",
    type=click.Choice(["closed", "invite", "open"]),
    default="closed",
    show_default=True,
    help="Who may create an account: the operator alone, people with an invitation too, or all who confirm a "
    "mail.",
)
@click.option(
    "--mail-command",
    metavar="COMMAND",
    default="",
    help="A command that sends the mail on its standard input, such as `/usr/sbin/sendmail -t`; used for "
    "forgotten passwords and --sign-up open.",
)
@click.option(
    "--mail-from", metavar="ADDRESS", default="", help="The sender of mails.  [default: noreply@HOST]"
)
@click.option(
    "--webhook-private",
    is_flag=True,
    help="Let webhooks of accounts be called on this machine and in its network too.",
)
@shared_options.allow_analytics
@click.option(
    "--picture-user",
    default="",
    metavar="USER",
    help="Let agents see pictures of pages: as whom Chromium runs, which takes them, when you are root.",
)
@shared_options.address_requests(600)
@shared_options.address_connections
@shared_options.trusted_proxy
@click.option(
    "--db-port",
    type=_PORT,
    default=0,
    metavar="PORT",
    help="The port of PostgreSQL, which is kept.  [default: that of the last start, at the first a free one]",
)
@click.option(
    "--db-listen",
    default="127.0.0.1",
    show_default=True,
    metavar="IP",
    help="Where PostgreSQL listens; an address that other machines reach needs a certificate.",
)
@click.option("--db-host", default="", metavar="NAME", help="The name under which tenants reach PostgreSQL.")
@click.option(
    "--db-cert",
    type=_FILE,
    metavar="FILE",
    help="The certificate of PostgreSQL, in PEM. The programs that came with Twinpress know no TLS: name "
    "others with --db-bin-dir.",
)
@click.option("--db-key", type=_FILE, metavar="FILE", help="The key of the certificate.")
@click.option(
    "--db-connections",
    type=click.IntRange(10, 10_000),
    default=200,
    show_default=True,
    metavar="N",
    help="Sessions of all tenants together.",
)
@shared_options.bin_dir
@click.option("--db-user", default="", metavar="USER", help="As whom PostgreSQL runs when you are root.")
@shared_options.log_format
@shared_options.releases
@click.option("--no-databases", is_flag=True, help="Run without PostgreSQL, and host no databases.")
def host(**parameters: Any) -> int:
    """Run the service: hosted databases, their management API, and a dashboard for browsers.

    It runs a PostgreSQL of its own in DIR, which stops with it. To use one that you run, put its address into
    the environment variable TWINPRESS_POSTGRES_DSN.

    The first start prints an address: open it in a browser to create the first account, the operator's.

    \b
    Examples:
      twinpress host --data /var/lib/twinpress
      twinpress host --data data --port 9000
      twinpress host --data /var/lib/twinpress --url https://app.example.net \\
        --sites-url https://sites.example.net --trusted-proxy 127.0.0.1
      twinpress host --data data --db-listen 0.0.0.0 --db-host db.example.com --db-port 5432 \\
        --db-cert c.pem --db-key k.pem --db-bin-dir /usr/lib/postgresql/17/bin
    """
    return _started(lambda: host_packages.run("server.cli.actions.run_host:run", parameters))


def _started(act: Callable[[], int]) -> int:
    """Have a signal end what is started, also before it is there."""
    with loading.around("server.process.interrupts:kept"):
        return act()
    return 0  # a signal has ended it


@click.group(cls=InOrder)
def db() -> None:
    """Dump and restore hosted databases, with the tools of the server's own version."""


@db.command()
@data
@click.argument("database", metavar="ID")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("-"),
    metavar="FILE",
    help="Where to write; `-` is standard output.  [default: -]",
)
@click.option("--plain", is_flag=True, help="Write SQL instead of the format that restore imports fastest.")
@shared_options.bin_dir
def dump(**parameters: Any) -> int:
    """Write all data of a database to a file.

    \b
    Example:
      twinpress db dump --data data db_k3ywq6hz2mnx4tva -o orders.dump
    """
    return host_packages.run("server.cli.actions.db:dump", parameters)


@db.command()
@data
@click.argument("database", metavar="ID")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@shared_options.bin_dir
def restore(**parameters: Any) -> int:
    """Import a dump into a database, whole or not at all.

    \b
    Example:
      twinpress db restore --data data db_k3ywq6hz2mnx4tva orders.dump
    """
    return host_packages.run("server.cli.actions.db:restore", parameters)


@db.command()
@click.option("--advice", is_flag=True, help="Print the recommended SQL too, not only the required.")
def preflight(**parameters: Any) -> int:
    """Print the SQL that prepares a PostgreSQL server of somebody else.

    The server is the one in the environment variable TWINPRESS_POSTGRES_DSN. Its operator runs the SQL with
    psql, as a superuser. Exit codes: 0 the server is prepared, 1 the SQL has to be run.

    \b
    Example:
      twinpress db preflight > prepare.sql
    """
    return host_packages.run("server.cli.actions.check_server:run", parameters)


_NEEDED = ("brotli",)


@click.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    envvar="TWINPRESS_DATA",
    show_envvar=True,
    help="The folder of the service's data; not needed with --releases.",
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
@shared_options.ask_port
@click.option(
    "--stop",
    is_flag=True,
    help="End the process that serves this folder at --port, such as one that a killed service has left.",
)
@shared_options.releases
@shared_options.metrics_port
@shared_options.metrics_host
@shared_options.allow_analytics
@click.option("--log-requests", is_flag=True, help="Log each request, not only those that fail.")
@click.option("--inherit", multiple=True, hidden=True)
@click.option("--identity", default="", hidden=True)
@click.option("--ends-with-service", is_flag=True, hidden=True)
@shared_options.address_connections
@shared_options.trusted_proxy
@shared_options.log_format
def sites(**parameters: Any) -> int:
    """Serve published sites to their readers, without the service, its databases or its dashboard.

    It reads the releases in DIR alone, so readers have their pages while everything else is stopped or
    upgraded. Each site answers at the names of its hosts. `twinpress host` starts such a process by itself,
    unless it is given --sites-process.

    \b
    Examples:
      twinpress sites --data /var/lib/twinpress
      twinpress sites --data /var/lib/twinpress --port 9001 --trusted-proxy 127.0.0.1
      twinpress sites --releases s3://example-docs/twinpress
      twinpress sites --data /var/lib/twinpress --port 8081 --stop
    """
    return _started(lambda: host_packages.run("server.cli.actions.sites:run", parameters, _NEEDED))
