"""The files of a theme: those in the default theme's folder, and before them a site's own.

    templates/*.html   css/*.css   js/*.js   parts/*.css   ondemand/*.js   search/*   words/*.json   boot.js

A file of the site takes the place of the default one of the same name; with another name it is added. Of a
table of words only the words that are in it take the place of others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import themes
from builder.diagnostics import Diagnostic
from builder.errors import ThemeError
from builder.theme import site_theme

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
    """`own` has the texts of the site's files by their names in its folder, such as `css/base.css`.

    They are read once, so that nothing that happens to the folder meanwhile gets into a build. `state`
    tells them from other ones, so that what is made of the files can be kept by this value.
    """

    default: Path
    own: Mapping[str, str] = field(default_factory=dict, compare=False)
    state: str = ""

    def find(self, pattern: str) -> list[str]:
        """The files of a pattern by their names, sorted, the site's own in place of the default ones."""
        found = {path.relative_to(self.default).as_posix() for path in self.default.glob(pattern)}
        return sorted(found.union(name for name in self.own if _fits(name, pattern)))

    @property
    def has_templates(self) -> bool:
        """Whether templates are among the site's own files: programs, which may fail or never end."""
        return any(map(_is_template, self.own))

    def templates(self) -> Folders:
        """The same with no other files of the site's own."""
        return Folders(
            self.default, {name: text for name, text in self.own.items() if _is_template(name)}, self.state
        )

    def without_templates(self) -> Folders:
        """The same with the default theme's templates."""
        others = {name: text for name, text in self.own.items() if not _is_template(name)}
        return Folders(self.default, others, f"{self.state} without templates")

    def text(self, name: str) -> str:
        """A file's text."""
        return self.own[name] if name in self.own else (self.default / name).read_text("utf-8")


DEFAULT = Folders(themes.default())


def of_site(root: Path) -> tuple[Folders, tuple[Diagnostic, ...]]:
    """The files for a site in `root`, and what lies in its own folder that has no effect.

    Raises ThemeError when one of its files cannot be read.
    """
    found = site_theme.read(root, lambda name: any(_fits(name, pattern) for pattern in KNOWN))
    if not found.files:
        return DEFAULT, (*found.diagnostics, *map(_unused, found.others))
    texts = {name: _decoded(name, data) for name, data in found.files.items()}
    state = hashlib.blake2b(
        b"".join(f"{name}\0{text}\0".encode("utf-8", "surrogateescape") for name, text in texts.items()),
        digest_size=16,
    )
    folders = Folders(DEFAULT.default, texts, state.hexdigest())
    return folders, (*found.diagnostics, *map(_unused, found.others))


def _is_template(name: str) -> bool:
    return name.startswith("templates/")


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) and name.count("/") == pattern.count("/")


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ThemeError("the file cannot be read as UTF-8", path=site_theme.named(name)) from error


def _unused(name: str) -> Diagnostic:
    patterns = ", ".join(f"`{pattern}`" for pattern in KNOWN)
    message = "the theme has no file of this kind"
    return Diagnostic(site_theme.named(name), 0, 0, "theme-unused", message, f"a theme has {patterns}")
