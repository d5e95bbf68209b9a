"""Options and arguments that commands of `twinpress admin` share, and how they come to their data folder."""

from __future__ import annotations

from typing import Any

import click

from server.cli.commands import host_packages

email = click.argument("email", metavar="EMAIL")
key_id = click.argument("key", metavar="ID")
as_json = click.option("--json", "as_json", is_flag=True, help="As one JSON array.")


def run_admin(target: str, parameters: dict[str, Any]) -> int:
    """With the folder that stands before the command. Not required there: `--help` goes without."""
    context = click.get_current_context()
    data = parameters.pop("data", None) or context.obj
    if data is None:
        raise click.MissingParameter(ctx=context, param_hint="'--data'", param_type="option")
    return host_packages.run(f"server.cli.actions.{target}", {"data": data, **parameters})
