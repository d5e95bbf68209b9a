"""The arguments of `twinpress import`: a system, which may be left out, and two folders."""

from __future__ import annotations

from pathlib import Path

import click

SYSTEMS = ("docusaurus", "mintlify", "fumadocs", "mkdocs", "starlight", "vitepress", "mdbook", "gitbook")


def import_places(given: tuple[Path, ...]) -> tuple[str | None, Path, Path]:
    """Part the arguments into the system, None where it is to be found, the source and the new folder."""
    if len(given) == 3:
        name = str(given[0])
        if name not in SYSTEMS:
            raise click.UsageError(
                f"`{name}` is no system that can be imported: use one of {', '.join(SYSTEMS)}."
            )
        return name, given[1], given[2]
    if len(given) == 2:
        return None, given[0], given[1]
    raise click.UsageError("name the folder of the old site and the one of the new site: SOURCE DEST.")
