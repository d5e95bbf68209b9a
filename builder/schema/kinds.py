"""The kinds of value that a person may write into a file, and how messages speak of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.redaction import beginning


class Kind(Struct, frozen=True):
    """`name` completes "expected ..."; `fits` tells whether a value is of this kind."""

    name: str
    fits: Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and not any(_entry_fault(*entry) for entry in value.items())


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and len(value) == len(_A_DAY) and bool(date.fromisoformat(value))
    except ValueError:
        return False


_A_DAY = "2026-11-21"
NAME = r"[A-Za-z_][\w.-]{0,59}"
"""The names that a variable can have."""
_NAME = lazy(NAME)
NAME_HINT = "use letters, digits, `_`, `-` and `.`, and begin with a letter"


def name_fault(name: object) -> str:
    """Describe the fault of a variable's name, which no `%{name}` could find, or return an empty string."""
    fits = isinstance(name, str) and _NAME.fullmatch(name)
    return "" if fits else f"`{str(name)[:60]}` cannot be the name of a variable"


def _entry_fault(name: object, value: object) -> str:
    wrong = name_fault(name)
    if not wrong and not isinstance(value, str):
        wrong = f"expected text for `{name}`, found {describe(value)}"
    return wrong


def right_texts(value: object) -> dict[str, str]:
    """Return the entries of a mapping that are texts with a name."""
    entries = value.items() if isinstance(value, dict) else ()
    return {name: text for name, text in entries if not _entry_fault(name, text)}


TEXT = Kind("text", _is_text)
NUMBER = Kind("a number", _is_number)
FLAG = Kind("`true` or `false`", _is_flag)
DAY = Kind("a day", _is_day)
TEXTS = Kind("a mapping of texts", _is_texts)


_FLAGS = {"true": frozenset({"true", "yes", "on"}), "false": frozenset({"false", "no", "off"})}
_NUMBER = lazy(r"-?\d{1,9}(\.\d{1,9})?")


def misfit(kind: Kind, value: object) -> str:
    """Describe the fault of a value, `expected text, found a list`, or return an empty string."""
    if kind is TEXTS and isinstance(value, dict):
        return next(filter(None, (_entry_fault(*entry) for entry in value.items())), "")
    return "" if kind.fits(value) else f"expected {kind.name}, found {describe(value)}"


def advice(kind: Kind, value: object) -> str:
    """A hint for what YAML takes for something else: the text `404`, the flag `"yes"`, the number `1,5`."""
    if kind is TEXTS:
        names = value if isinstance(value, dict) else {}
        return NAME_HINT if any(map(name_fault, names)) else "put each value into quotes" if names else ""
    if kind is TEXT:
        return "put it into quotes if it is meant as text" if value is not None else ""
    if kind is DAY:
        return f"write it as `{_A_DAY}`"
    word = value.strip().casefold() if isinstance(value, str) else ""
    if kind is FLAG:
        return next((f"write `{flag}`" for flag, words in _FLAGS.items() if word in words), "")
    number = word.replace(",", ".")
    return f"write `{number}`, without quotes" if _NUMBER.fullmatch(number) else ""


def describe(value: object) -> str:
    """A value in a message: `the text "yes"`, `the number 3`, `a list`."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"`{str(value).lower()}`"
        case str():
            return f'the text "{beginning(value, 40, "…")}"'
        case int() | float():
            return f"the number {value}"
        case list():
            return "a list"
    return "a mapping"
