"""`twinpress import`; its work is in `server/cli/actions/import_site.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from server.cli import loading

SYSTEMS = ("docusaurus", "mintlify", "fumadocs", "mkdocs", "starlight", "vitepress", "mdbook", "gitbook")


@click.command(name="import")
@click.argument("places", metavar="[SYSTEM] SOURCE DEST", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--root",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Read files of this folder too, as SOURCE may name some beside it.  [default: the git work tree"
    " round SOURCE, or SOURCE]",
)
@click.option("--ref", metavar="REF", help="Import a branch, tag or commit of the git repository of SOURCE.")
@click.option("--url", default="", metavar="URL", help="The address of the new site, where SOURCE has none.")
@click.option(
    "--version", "versions", multiple=True, metavar="V", help="Import this version too, or `all`. Repeatable."
)
@click.option(
    "--locale", "locales", multiple=True, metavar="L", help="Import this language too, or `all`. Repeatable."
)
@click.option(
    "--git",
    type=click.Choice(["dates", "commits"]),
    help="Keep what git knows of SOURCE: `dates` writes into each page when it was last changed; `commits`"
    " does so and commits the site, so that `git log --follow` leads to the old pages.",
)
@click.option("--force", is_flag=True, help="Overwrite files that have been edited since an earlier import.")
@click.option("--dry-run", is_flag=True, help="Write nothing but FILE of --report, and say what would be.")
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report here too: JSON where the name ends in .json, else markdown.",
)
def import_site(places: tuple[Path, ...], **parameters: Any) -> int:
    """Import a site of another system into the folder DEST, which must be new, empty, or an earlier import.

    SOURCE is the folder with the configuration of the system, also in a zip or a git repository; it is only
    read, and nothing in it is run. The addresses of the old site stay. Exit code 1 says that something is
    lost; import-report.md in DEST has each loss with its line.

    \b
    Examples:
      twinpress import ../handbook/website docs-site
      twinpress import mdbook ../book docs-site --dry-run
      twinpress import handbook.zip/website docs-site
      twinpress import ../handbook.git/website docs-site --ref v2 --git dates
    """
    system, source, dest = _parted(places)
    parameters |= {"system": system, "source": source, "dest": dest}
    return loading.run("server.cli.actions.import_site:run", parameters)


def _parted(given: tuple[Path, ...]) -> tuple[str | None, Path, Path]:
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
