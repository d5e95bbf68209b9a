"""Helpers of the tests of `twinpress admin`: an account, and what the command has printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from subprocess import CompletedProcess

EMAIL = "me@example.com"
VALUE = re.compile(r"svc_db_[0-9A-Za-z]{46}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
Run = Callable[..., CompletedProcess[str]]
Check = Callable[[str], str]


def key(done: CompletedProcess[str]) -> str:
    """The key that a command has printed, alone on the first line."""
    assert done.returncode == 0, done.stderr
    (first,) = done.stdout.splitlines()
    assert VALUE.fullmatch(first)
    assert first not in done.stderr
    return first


def listed(run: Run) -> list[dict[str, str | None]]:
    found: list[dict[str, str | None]] = json.loads(run("db-key", "list", EMAIL, "--json").stdout)
    return found


def ids(run: Run) -> list[str]:
    return [str(each["id"]) for each in listed(run)]
