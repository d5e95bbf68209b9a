"""`twinpress new`: the starter site, copied into an empty folder."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.text import Text

from builder.errors import TwinpressError
from builder.report import counted
from server.cli.terminal import console
from server.sites.starter import title_of, write_starter

NOTHING = frozenset({".git", ".DS_Store"})
"""What an empty folder may hold: a repository that has just been made is a good place to start."""


def run(*, folder: Path) -> int:
    """Make the site and say what to do next."""
    _refuse_taken(folder)
    written = write_starter(folder, title_of(folder.resolve().name))
    pages = sum(path.suffix in {".md", ".mdx"} and path.name != "README.md" for path in written)
    _say_next(folder, pages)
    return 0


def _refuse_taken(folder: Path) -> None:
    try:
        taken = sorted({entry.name for entry in folder.iterdir()} - NOTHING)
    except FileNotFoundError:
        return
    if taken:
        raise TwinpressError(
            f"the folder is not empty: there is `{taken[0]}`",
            path=console.nearby(folder),
            hint="name a new or empty folder",
        )


def _say_next(folder: Path, pages: int) -> None:
    place = console.nearby(folder)
    out = console.results()
    where = "the current folder" if place == "." else place
    out.print(Text.assemble("Created a site of ", counted(pages, "page"), " in ", (where, "bold"), ".\n"))
    out.print("Next:")
    if place != ".":
        out.print(Text.assemble("  ", (f"cd {shlex.quote(place)}", "bold cyan")))
    for command, what in (
        ("twinpress serve --open", "see it in your browser, with every change as you save"),
        ("twinpress check", "find broken links and typing errors"),
        ("twinpress build", "write the finished site to dist/"),
    ):
        out.print(Text.assemble("  ", (f"{command:<24}", "bold cyan"), what))
