"""Tests that are put off to `make slow`, which CI runs each week: variants of what `make test` tries anyway.

`weekly.json` has them by file: how a test's name begins, with its parameters, and what tries the same always.
"""

from __future__ import annotations

import json
from pathlib import Path

PUT_OFF: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def is_put_off(file: str, name: str) -> bool:
    """Return whether a test of this name, in a file among the tests, is one of them."""
    return any(name.startswith(beginning) for beginning in PUT_OFF.get(file, ()))
