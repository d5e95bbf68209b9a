"""Test data that was written elsewhere, found by the environment variable `TWINPRESS_CORPORA`.

Where it is not set, tests that need it are skipped and say so; where it is set, a missing file is a failure.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

_PLACEHOLDERS = (
    (re.compile(r"%js_(?:uri|utf7)\w*%|%html_alert_encoded%"), "javascript:alert(1)"),
    (re.compile(r"%\w+_path(?:_\d)?%"), "https://attacker.example/x"),
    (re.compile(r"%js_\w+%"), "alert(1)"),
)


def folder() -> Path:
    """Find the folder of the corpora; skip the test when it is not said."""
    where = os.environ.get("TWINPRESS_CORPORA")
    if not where:
        pytest.skip("TWINPRESS_CORPORA is not set")
    return Path(where)


def copied(name: str, target: Path) -> Path:
    """A copy of a folder among them that may be changed, whoever may write into the corpora themselves."""
    shutil.copytree(folder() / name, target, copy_function=shutil.copyfile)
    for each in (target, *(path for path in target.rglob("*") if path.is_dir())):
        each.chmod(0o755)
    return target


def examples(name: str) -> list[dict[str, Any]]:
    """The examples of a specification: `example`, `section`, `markdown`, `html`."""
    found: list[dict[str, Any]] = json.loads((folder() / f"{name}.json").read_text("utf-8"))
    return found


def payloads() -> list[str]:
    """All script-injection payloads, in a stable order."""
    purify = [entry["payload"] for entry in examples("dompurify")]
    sheet = [_filled(entry["data"]) for entry in examples("h5sc")]
    return purify + sheet


def _filled(payload: str) -> str:
    for placeholder, text in _PLACEHOLDERS:
        payload = placeholder.sub(text, payload)
    return payload
