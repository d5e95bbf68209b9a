"""`twinpress links`: ask other hosts whether the links to them lead somewhere."""

from __future__ import annotations

from typing import Any

import click

from server.cli import loading
from server.cli.commands import shared_options


@click.command()
@shared_options.site
@click.option(
    "--changed",
    default="",
    metavar="REF",
    help="Ask only for links in files that are others than at REF of git, as origin/main.",
)
@click.option(
    "--skip",
    multiple=True,
    metavar="PATTERN",
    help="Leave out addresses that match, as 'https://example.com/*'. Repeatable.",
)
@click.option("--refresh", is_flag=True, help="Ask again for what was asked in the last seven days.")
@click.option("--private", is_flag=True, help="Ask hosts on this machine and in its network too.")
@shared_options.plan
@shared_options.form
@shared_options.drafts
@shared_options.safe
@shared_options.include_roots
def links(**parameters: Any) -> int:
    """Ask other hosts whether the links to them lead somewhere. `check` asks nobody.

    Each host gets one request at a time, its robots.txt and Retry-After are heeded. Nothing there (404,
    410) and no such host are errors; what moved for good, needs a sign-in, fails or does not answer in time
    is only told. Answers are kept for seven days in .twinpress/cache. The exit code is 1 for errors.

    \b
    Examples:
      twinpress links
      twinpress links --skip 'https://example.com/*' --skip 'https://*.example/*'
      twinpress links --changed origin/main --format github     for a pull request
      twinpress links --refresh --format json | jq -r '.[].url'
    """
    return loading.run("server.cli.actions.external_links:run", parameters)
