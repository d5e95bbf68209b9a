"""The theme's tables of words, one file a language: `words/de.json`; a site may have tables of its own."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace

from builder.errors import ThemeError
from builder.theme.site_theme import named
from builder.theme.theme_folders import Folders
from components.words import ENGLISH, NAMES, Words, wanted

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
    """What is wrong with a word, or nothing."""
    if name not in NAMES:
        return f"there is no word `{name}`"
    asked = wanted(name, text) if text.strip() else "a text"
    return f"the word `{name}` must be {asked}" if asked else ""


def script_words(words: Words) -> str:
    """The words that the theme's script reads, as JSON for an attribute."""
    return msgspec.json.encode({name: getattr(words, name) for name in _SCRIPT}).decode()


def _name(language: str) -> str:
    """The name of a language's table: its primary tag, but Chinese in traditional script has its own."""
    primary, *rest = language.lower().split("-")
    return "zh-hant" if primary == "zh" and _TRADITIONAL & set(rest) else primary
