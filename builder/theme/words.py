"""The theme's tables of words, one file a language: `words/de.json`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from components.words import ENGLISH, Words

_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
_SCRIPT = (
    "theme_auto", "theme_light", "theme_dark", "category", "not_found_near", "heading", "copy", "copied",
    "link_copied", "code", "table", "load", "load_title", "search", "search_close", "search_recent",
    "search_results", "search_none", "search_failed",
)  # fmt: skip
"""The words that the theme's script reads."""


def languages(folder: Path) -> tuple[str, ...]:
    """The languages that there are words in, sorted: primary tags, and `zh-hant` beside `zh`."""
    return tuple(sorted({"en", *(file.stem for file in (folder / "words").glob("*.json"))}))


@cache
def words(folder: Path, language: str) -> Words | None:
    """The words for a language tag such as `pt-BR`; None when there are none in that language."""
    name = _name(language)
    if name == "en":
        return ENGLISH
    if name not in languages(folder):
        return None
    return msgspec.json.decode((folder / "words" / f"{name}.json").read_bytes(), type=Words, strict=True)


def script_words(words: Words) -> str:
    """The words that the theme's script reads, as JSON for an attribute."""
    return msgspec.json.encode({name: getattr(words, name) for name in _SCRIPT}).decode()


def _name(language: str) -> str:
    """The name of a language's table: its primary tag, but Chinese in traditional script has its own."""
    primary, *rest = language.lower().split("-")
    return "zh-hant" if primary == "zh" and _TRADITIONAL & set(rest) else primary
