"""Read TOML that anybody may have written, in bounded time: `tomllib` nests a value for each dot of a key."""

from __future__ import annotations

import tomllib

_LONGEST = 256 * 1024
_MOST_DOTS = 200
"""Dots on a line: with more, a key of them would take quadratic time and memory."""


class NoToml(Exception):
    """A text is no TOML that is read here; the message says why."""


def read_toml(text: str) -> dict[str, object]:
    """Return what a text says. Raises NoToml."""
    if len(text) > _LONGEST:
        raise NoToml(f"it is longer than {_LONGEST // 1024} KB")
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise NoToml(f"a line has more than {_MOST_DOTS} dots")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NoToml(str(error)) from None
    except RecursionError:
        raise NoToml("it is nested too deeply") from None
