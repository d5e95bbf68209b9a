"""Read the folder `theme` of a site by descriptors, so that no symbolic link is followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field

from builder.diagnostics import Diagnostic
from builder.errors import ThemeError
from builder.store import walk
from builder.store.scan_findings import shown

NAME = "theme"
"""The folder beside `site.yml`."""
_DEEP = 8
"""Folders within each other that are looked through for files that have no effect."""
_LIMIT = 4 << 20


class SiteThemeFiles(Struct):
    """Files by their names in the folder, sorted; names of `others`, and links that were left out."""

    files: dict[str, bytes] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def blocked(self, place: str, kind: str) -> None:
        """Something of another kind stands there."""
        if kind == "a symbolic link":
            message = "this is a symbolic link, so it is left out"
            self.diagnostics.append(Diagnostic(named(place), 0, 0, "symlink-skipped", message))
        elif place:
            self.others.append(place)


def named(name: str) -> str:
    """A file as the writer knows it: `theme/css/base.css`."""
    return shown(f"{NAME}/{name}".rstrip("/"))


def read(root: Path, known: Callable[[str], bool]) -> SiteThemeFiles:
    """The files that are `known` by their names, and what else is there. Hidden ones are not looked at.

    Raises ThemeError when a folder or a file cannot be read.
    """
    found = SiteThemeFiles()
    here = os.open(root, walk.FLAGS & ~os.O_NOFOLLOW | os.O_DIRECTORY)
    try:
        about = walk.look(here, NAME)
        if about and not stat.S_ISREG(about.st_mode):
            with _faults(found, ""):
                _enter(found, here, NAME, "", known)
    finally:
        os.close(here)
    return found


def _enter(found: SiteThemeFiles, parent: int, name: str, place: str, known: Callable[[str], bool]) -> None:
    """Look through a folder; `place` is its name in the theme with a `/`."""
    here = walk.open_folder(parent, name)
    try:
        for inner in sorted(os.listdir(here)):  # noqa: PTH208 - of a descriptor
            if not inner.startswith("."):
                with _faults(found, f"{place}{inner}"):
                    _take(found, here, inner, f"{place}{inner}", known)
    finally:
        os.close(here)


def _take(found: SiteThemeFiles, parent: int, name: str, place: str, known: Callable[[str], bool]) -> None:
    """Take what stands at a name, by its kind."""
    about = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if stat.S_ISDIR(about.st_mode) and place.count("/") < _DEEP:
        _enter(found, parent, name, f"{place}/", known)
    elif stat.S_ISLNK(about.st_mode) or known(place):
        found.files[place] = walk.read_file(parent, name, _LIMIT)[0]
    else:
        found.others.append(place)


@contextmanager
def _faults(found: SiteThemeFiles, place: str) -> Iterator[None]:
    """Leave out what is no file; tell what cannot be read."""
    try:
        yield
    except FileNotFoundError:
        return  # gone since it was listed
    except walk.Blocked as blocked:
        found.blocked(place, blocked.kind)
    except walk.TooLarge as error:
        raise ThemeError(f"the file has more than {_LIMIT:,} bytes", path=named(place)) from error
    except OSError as error:
        raise ThemeError(f"it cannot be read: {error.strerror}", path=named(place)) from error
