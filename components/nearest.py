"""The nearest known name to one that is not known, as a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Hint = str | Callable[[], str]
"""A hint, or a function that finds it: of a page's thousand faults, only those that are shown need one."""

LONGEST = 100
"""Characters of names that are compared: the time grows with the square of it."""


def did_you_mean(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """A hint with the nearest known name, or an empty string when nothing is near.

    Nearness is difflib's ratio, from `likeness` on, compared without case. A name of more than LONGEST
    characters is near to none.
    """
    if len(word) > LONGEST:
        return ""
    names = {name.casefold(): name for name in known if len(name) <= LONGEST}
    near = closest(word.casefold(), names, likeness)
    return f"did you mean `{names[near]}`?" if near is not None else ""


def closest(word: str, names: Iterable[str], likeness: float = 0.6) -> str | None:
    """The name whose ratio to a word is the greatest, None where none has so much."""
    # Loaded here, as most sites have nothing that needs it.
    import difflib  # noqa: PLC0415

    return next(iter(difflib.get_close_matches(word, names, n=1, cutoff=likeness)), None)


def found(hint: Hint) -> str:
    """The hint; a function is called to find it."""
    return hint if isinstance(hint, str) else hint()
