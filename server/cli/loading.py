"""The work of a command, and what tells of its failure, are loaded when they are needed.

So `--version` and `--help` answer at once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any

UNREAD = 141


def run(target: str, parameters: Mapping[str, object]) -> int:
    """Call the function at `package.module:function` and return its exit code.

    When nobody reads the output any more, as in `twinpress check | head`, this ends quietly with UNREAD.
    """
    module, _, name = target.partition(":")
    try:
        code: int = getattr(_loaded(module), name)(**parameters)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _close()
        return UNREAD
    return code


def _loaded(module: str) -> ModuleType:
    """A module; only what is made after it has been loaded is looked at for what could be freed."""
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.freeze()
        gc.enable()


def values(target: str) -> Callable[[object, object, tuple[str, ...]], object]:
    """A callback of an option that may be given several times, which calls the function at `target`.

    The function takes the values, and is loaded only when there are some.
    """

    def checked(_context: object, _parameter: object, given: tuple[str, ...]) -> object:
        return found(target)(given) if given else ()

    return checked


def found(target: str) -> Any:
    """Load what is named at `package.module:name`."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


def around(target: str) -> AbstractContextManager[object]:
    """The context that the function at `target` gives, for a command to run in."""
    context: AbstractContextManager[object] = found(target)()
    return context


def tell(name: str, error: Exception) -> None:
    """Tell of an error with the function of this name in `server/cli/terminal/command_failures.py`."""
    getattr(import_module("server.cli.terminal.command_failures"), name)(error)


def _close() -> None:
    """Let what is still in the buffer go nowhere, or Python complains about it at its end."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
