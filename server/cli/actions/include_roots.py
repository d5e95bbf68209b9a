"""Folders beside a site from which its pages may include files: those of the command, and of one's own file.

    # ~/.config/twinpress/config.toml
    include_roots = ["/home/ann/harbour/examples"]

No site brings that file, and a site that is not trusted includes from none of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from builder import user_folders
from builder.errors import TwinpressError

NAME = "config.toml"
_LONGEST = 1024 * 1024


class InvalidConfiguration(TwinpressError):
    """One's own file cannot be read, or says something that means nothing."""


def include_roots(named: Iterable[Path], *, safe: bool) -> tuple[str, ...]:
    """Return all of them as absolute paths; none for a `safe` build. Raises InvalidConfiguration."""
    return () if safe else tuple(dict.fromkeys((*(str(each.absolute()) for each in named), *_of_person())))


def _of_person() -> tuple[str, ...]:
    try:
        file = user_folders.configuration() / NAME
        with file.open("rb") as opened:
            data = opened.read(_LONGEST)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise InvalidConfiguration(f"cannot be read: {error.strerror}", path=NAME) from None
    try:
        found = msgspec.toml.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidConfiguration(f"is no TOML: {error}", path=str(file)) from None
    if unknown := sorted(found.keys() - {"include_roots"}):
        raise InvalidConfiguration(
            f"has an unknown key `{unknown[0]}`", path=str(file), hint="it may have `include_roots`"
        )
    roots = found.get("include_roots", [])
    if not isinstance(roots, list) or not all(isinstance(each, str) and each[:1] == "/" for each in roots):
        hint = 'write `include_roots = ["/home/ann/examples"]`'
        raise InvalidConfiguration("`include_roots`: expected absolute paths", path=str(file), hint=hint)
    return tuple(roots)
