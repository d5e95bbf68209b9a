"""Where the files of a theme lie: in the default theme's folder, and before it in a site's own.

    templates/*.html   css/*.css   js/*.js   parts/*.css   ondemand/*.js   search/*   words/*.json   boot.js

A file of the site takes the place of the default one of the same name; with another name it is added. Of a
table of words only the words that are in it take the place of others.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import themes
from builder.diagnostics import Diagnostic
from builder.errors import ThemeError

NAME = "theme"
"""The folder beside `site.yml`."""
KNOWN = (
    "templates/*.html",
    "css/*.css",
    "js/*.js",
    "parts/*.css",
    "ondemand/*.js",
    "search/*.css",
    "search/*.js",
    "words/*.json",
    "boot.js",
)


@dataclass(frozen=True, slots=True)
class Folders:
    """`own` is the site's folder, `state` tells its contents from other ones, so that what is made of the
    files can be kept by this value.
    """

    default: Path
    own: Path | None = None
    state: str = ""

    def find(self, pattern: str) -> list[Path]:
        """The files of a pattern, by name, the site's own in place of the default ones."""
        found = {path.name: path for path in self.default.glob(pattern)}
        if self.own is not None:
            found |= {path.name: path for path in self.own.glob(pattern)}
        return [found[name] for name in sorted(found)]

    def text(self, path: Path) -> str:
        """A file's text. Raises ThemeError when it cannot be read."""
        try:
            return path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ThemeError("the file cannot be read as UTF-8", path=self.named(path)) from error

    def named(self, path: Path) -> str:
        """The path as the writer knows it: `theme/css/base.css`."""
        inside = self.own is not None and path.is_relative_to(self.own)
        return f"{NAME}/{path.relative_to(self.own)}" if inside and self.own else path.name


DEFAULT = Folders(themes.default())


def of_site(root: Path) -> tuple[Folders, tuple[Diagnostic, ...]]:
    """The folders of a site in `root`, and what lies in its own that has no effect. Raises ThemeError."""
    own = root.resolve() / NAME
    if not own.is_dir():
        return DEFAULT, ()
    files = [path for path in sorted(own.rglob("*")) if path.is_file() and not _hidden(path.relative_to(own))]
    known = [path for path in files if _known(path.relative_to(own).as_posix())]
    folders = Folders(DEFAULT.default, own)
    state = hashlib.blake2b(b"\0".join(_content(folders, path) for path in known), digest_size=16)
    unused = (_unused(folders.named(path)) for path in files if path not in known)
    return dataclasses.replace(folders, state=state.hexdigest()), tuple(unused)


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _known(name: str) -> bool:
    return any(fnmatchcase(name, pattern) and name.count("/") == pattern.count("/") for pattern in KNOWN)


def _content(folders: Folders, path: Path) -> bytes:
    return f"{folders.named(path)}\0{folders.text(path)}".encode()


def _unused(file: str) -> Diagnostic:
    patterns = ", ".join(f"`{pattern}`" for pattern in KNOWN)
    return Diagnostic(
        file, 0, 0, "theme-unused", "the theme has no file of this kind", f"a theme has {patterns}"
    )


def templates(folders: Folders) -> Iterator[Path]:
    """The folders of templates, the nearest first."""
    yield from (folder / "templates" for folder in (folders.own, folders.default) if folder is not None)
