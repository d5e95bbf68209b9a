"""The work of a command is loaded when the command runs, so that `--version` and `--help` answer at once."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module


def run(target: str, parameters: Mapping[str, object]) -> int:
    """Call the function at `package.module:function` and return its exit code."""
    module, _, name = target.partition(":")
    code: int = getattr(import_module(module), name)(**parameters)
    return code
