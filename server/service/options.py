"""The options of `twinpress host` in the engine's errors: it knows settings, and no command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from server.postgres.errors import EngineError

OPTIONS: Mapping[str, str] = {
    "port": "--db-port",
    "listen": "--db-listen",
    "public_host": "--db-host",
    "certificate": "--db-cert",
    "key": "--db-key",
    "max_connections": "--db-connections",
    "bin_dir": "--db-bin-dir",
    "run_user": "--db-user",
}
"""How an operator chooses what a setting is, by the setting."""


@contextmanager
def named() -> Iterator[None]:
    """Within it, and in functions that it decorates, the way out of an EngineError names the options."""
    try:
        yield
    except EngineError as error:
        if not error.settings:
            raise
        options = ", ".join(OPTIONS[each] for each in error.settings)
        raise type(error)(error.message, path=error.path, hint=f"{error.hint} ({options})") from error
