"""`twinpress score`: how well agents can read a site."""

from __future__ import annotations

from typing import Any

import click

from server.cli import loading


@click.command()
@click.argument("target", metavar="DIST|URL", default="dist")
@click.option(
    "--min",
    "least",
    type=click.IntRange(0, 100),
    default=100,
    show_default=True,
    metavar="N",
    help="The score below which the exit code is 1.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to show the score: for people, or as JSON.",
)
def score(**parameters: Any) -> int:
    """Say how well agents can read a site, from 0 to 100, and what to do.

    DIST is the folder that `build` has written. URL is the address of a server on this machine: with one,
    what the host decides on is judged too, such as status codes. The checks are those of the Agent-Friendly
    Documentation Spec. The exit code is 1 for a score below --min, and for a check that fails.

    \b
    Examples:
      twinpress build && twinpress score
      twinpress score public --min 90
      twinpress score http://127.0.0.1:8000/ --format json
    """
    return loading.run("server.cli.actions.score_site:run", parameters)
