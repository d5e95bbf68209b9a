"""`twinpress new`: the starter site, copied into an empty folder."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from rich.text import Text

from builder.errors import TwinpressError
from builder.report import counted
from server.cli.terminal import console

STARTER = files("server") / "starter"
NAMES = {"gitignore": ".gitignore"}
"""Files that go by another name here, because tools would obey them."""

TITLE = "title: My documentation\n"
NOTHING = frozenset({".git", ".DS_Store"})
"""What an empty folder may hold: a repository that has just been made is a good place to start."""


def run(*, folder: Path) -> int:
    """Make the site and say what to do next."""
    _refuse_taken(folder)
    written = [_copy(source, folder / name, folder) for name, source in _files(STARTER, "")]
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


def _files(place: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    """All files below `place`, with their paths in the new site."""
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + NAMES.get(entry.name, entry.name), entry


def _copy(source: Traversable, target: Path, folder: Path) -> Path:
    """Write one file; never over another (`x`), whoever may have put it there meanwhile."""
    data = source.read_bytes()
    if target == folder / "site.yml":
        data = _titled(data.decode(), folder).encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        file.write(data)
    return target


def _titled(settings: str, folder: Path) -> str:
    """The settings with the folder's name as title; JSON's quoting is YAML's too."""
    words = folder.resolve().name.replace("-", " ").replace("_", " ").split()
    name = " ".join(words)
    if not name or not name.isprintable():
        return settings
    return settings.replace(TITLE, f"title: {json.dumps(name[0].upper() + name[1:], ensure_ascii=False)}\n")


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
