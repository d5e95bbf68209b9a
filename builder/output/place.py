"""Refuse output folders among the sources, and links on the way within a site.

A link in the site's folder may have come with the site, from somebody else, so none is followed there. A
folder elsewhere is the choice of whoever runs the build: a link to it is followed once, when it is opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from builder.errors import OutputError
from builder.output.open_folders import OpenFolders
from builder.store import walk

SOURCES = ("docs", "pages", "static", ".twinpress")
VERSIONS = frozenset({".git", ".hg", ".svn", ".jj"})
"""Folders in which programs that keep versions have their own files."""

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_HINT = "choose a folder such as `dist`"

Identity = tuple[int, int]
"""Device and number: what a folder is, whatever it is called."""


def open_folder(folder: Path, site: Path) -> int:
    """The descriptor of the output folder, which is made if it is not there.

    Raises OutputError when the folder is none for results, and OSError.
    """
    out = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links
    _check(out.resolve(), site.resolve())
    below = _below(out, _identity(site))
    if below is not None:
        return _within(site, below, folder)
    if out.exists() and not out.is_dir():
        raise OutputError("the output folder is a file", path=str(folder), hint="choose another name")
    out.mkdir(parents=True, exist_ok=True)
    return os.open(out, _FLAGS)


def _check(out: Path, site: Path) -> None:
    """Refuse a folder in which results would mix with other files. Names are compared without case."""
    own, home = _identity(out), _identity(site)
    if site.is_relative_to(out) or (own and own in map(_identity, site.parents)):
        raise OutputError("the output folder holds the site itself", path=str(out), hint=_HINT)
    names = [name.casefold() for name in out.parts]
    versions = next((name for name in names if name in VERSIONS), "")
    if versions:
        message = f"the output folder lies within `{versions}`, whose files are another program's"
        raise OutputError(message, path=str(out), hint=_HINT)
    below = _below(out, home) or ("",)
    if below[0].casefold() in SOURCES:
        message = f"the output folder lies within `{below[0].casefold()}`, which is read as source"
        raise OutputError(message, path=str(out), hint=_HINT)


def _below(out: Path, site: Identity | None) -> tuple[str, ...] | None:
    """The names on the way from the site's folder down to `out`; None when `out` lies elsewhere."""
    for level, folder in enumerate((out, *out.parents)):
        if site is not None and _identity(folder) == site:
            return out.parts[len(out.parts) - level :]
    return None


def _identity(path: Path) -> Identity | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _within(site: Path, parts: tuple[str, ...], folder: Path) -> int:
    folders = OpenFolders(os.open(site, _FLAGS))
    try:
        return os.dup(folders.make("/".join(parts)))
    except walk.Blocked as blocked:
        if blocked.kind == "a file":
            raise OutputError("the output folder is a file", path=str(folder), hint=_HINT) from None
        raise OutputError(
            f"`{blocked.name}` is {blocked.kind}, and nothing is written through it",
            path=str(folder),
            hint="remove it, or name the folder that it leads to with `--output`",
        ) from None
    finally:
        folders.close()
