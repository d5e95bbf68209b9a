"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

site = click.argument("site", type=FOLDER, default=Path(), metavar="[SITE]")

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

no_cache = click.option(
    "--no-cache", is_flag=True, help="Make all pages anew, and leave .twinpress/cache alone."
)

safe = click.option(
    "--safe",
    is_flag=True,
    help="For a site of somebody you do not know: leave its folder theme, git and .twinpress/cache alone.",
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

listing = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or as a JSON array on standard output.",
)
