"""Regular expressions that are compiled when they are first used.

A build that has little to do is over in the time that it takes to compile all of them.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile a pattern at its first use; called as `re.compile` is."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _Lazy(Generic[AnyStr]):
    """Has no method at first; then those of what was compiled, so that no call takes longer for it."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._given: tuple[AnyStr, int] = pattern, flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(*self._given)
        self.__dict__.update((each, getattr(made, each)) for each in _METHODS)
        return getattr(made, name)
