"""The files of a theme: those in the default theme's folder, and before them a site's own.

    templates/*.html   css/*.css   js/*.js   parts/*   ondemand/*.js   search/*   words/*.json   boot.js

A file of the site takes the place of the default one of the same name; with another name it is added. Of a
table of words, one for each language, only the words that are in it take the place of others.

Templates run as whoever builds the site, and scripts run in each page, with the rights of its address: these
are the programs of a theme. Style sheets and words are data, of which browsers and templates run nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import themes
from builder.diagnostics import Diagnostic
from builder.errors import ThemeError
from builder.theme import site_theme
from builder.theme.site_theme import named
from components.words import ENGLISH, NAMES, Words, wanted

KNOWN = (
    "templates/*.html",
    "css/*.css",
    "js/*.js",
    "parts/*.css",
    "parts/*.js",
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
        """True if templates are among the site's own files: programs, which may fail or never end."""
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


TEMPLATES = ("templates/*.html",)
SCRIPTS = ("js/*.js", "ondemand/*.js", "parts/*.js", "search/*.js", "boot.js")


class Programs(Struct, frozen=True):
    """The names of programs in the folder `theme`, sorted, and what tells these very programs from others."""

    templates: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    digest: str = ""

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self.templates or self.scripts)


def programs(folders: Folders) -> Programs:
    """Return the programs of the site's own; the digest covers their names and all of their bytes."""
    templates, scripts = _named(folders, TEMPLATES), _named(folders, SCRIPTS)
    if not templates and not scripts:
        return Programs()
    found = hashlib.sha256()
    for name in (*templates, *scripts):
        data = folders.own[name].encode("utf-8")
        found.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    return Programs(templates, scripts, found.hexdigest())


def _named(folders: Folders, patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(name for name in folders.own if any(fnmatchcase(name, each) for each in patterns)))


_FOLDER = "words"
_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
_SCRIPT = (
    "theme_auto", "theme_light", "theme_dark", "category", "not_found_near", "heading", "copy", "copied",
    "link_copied", "code", "table", "search_recent", "search_results",
    "search_more", "search_none", "search_failed",
)  # fmt: skip
"""The words that the theme's script reads."""


def languages(folders: Folders) -> tuple[str, ...]:
    """The languages that there are words in, sorted: primary tags, and `zh-hant` beside `zh`."""
    return tuple(sorted({"en", *(PurePosixPath(file).stem for file in folders.find("words/*.json"))}))


@lru_cache(maxsize=32)
def words(folders: Folders, language: str) -> Words | None:
    """The words for a language tag such as `pt-BR`; None when there are none in that language.

    A table of the site's own goes before the default one, word by word. Raises ThemeError when it is none.
    """
    name = _name(language)
    if name not in languages(folders):
        return None
    file = f"{_FOLDER}/{name}.json"
    default = folders.default / file
    found = (
        msgspec.json.decode(default.read_bytes(), type=Words, strict=True) if default.exists() else ENGLISH
    )
    return replace(found, **_table(folders, file)) if file in folders.own else found


def _table(folders: Folders, file: str) -> dict[str, str]:
    """The words of a site's own table."""
    try:
        table = msgspec.json.decode(folders.text(file), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise ThemeError(f"it is no table of words: {error}", path=named(file)) from error
    for name, text in table.items():
        if wrong := _wrong(name, text):
            raise ThemeError(wrong, path=named(file))
    return table


def _wrong(name: str, text: str) -> str:
    """Describe the fault of a word, or return an empty string."""
    if name not in NAMES:
        return f"there is no word `{name}`"
    asked = wanted(name, text) if text.strip() else "a text"
    return f"the word `{name}` must be {asked}" if asked else ""


def script_words(words: Words) -> str:
    """The words that the theme's script reads, as JSON for an attribute."""
    return msgspec.json.encode({name: getattr(words, name) for name in _SCRIPT}).decode()


def social_icons() -> Mapping[str, str]:
    """The shapes (inner SVG, trusted) of the icons in the footer, by the name of the place."""
    icons: dict[str, str] = msgspec.json.decode((themes.default() / "icons" / "social.json").read_bytes())
    return icons


def _name(language: str) -> str:
    """The name of a language's table: its primary tag, but Chinese in traditional script has its own."""
    primary, *rest = language.lower().split("-")
    return "zh-hant" if primary == "zh" and _TRADITIONAL & set(rest) else primary
