"""Checks that a server does what its OpenAPI document says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Set
from pathlib import Path
from typing import Any

from server.api.describe.table import DOCUMENT
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]


def lasting(value: Any, of_the_day: Set[str]) -> Any:
    """The value without the fields that no document can know."""
    if isinstance(value, dict):
        return {name: lasting(one, of_the_day) for name, one in value.items() if name not in of_the_day}
    return [lasting(one, of_the_day) for one in value] if isinstance(value, list) else value


def assert_schemathesis(tests: Path, port: int, key: str, examples: int, cwd: Path, paths: str = ".") -> None:
    """Schemathesis finds nothing to complain about, with all its checks and phases, and a fixed seed.

    The folder `tests` has its settings, and the hooks that say what the document cannot. Only `paths` that
    fit this pattern are asked for.
    """
    hooks = ".".join((*tests.relative_to(ROOT).parts, "schemathesis_hooks"))
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            *("--config-file", tests / "schemathesis.toml", "run"),
            *("--checks", "all", "--seed", "1", "--max-examples", str(examples)),
            *("--include-path-regex", paths),
            *("--request-timeout", str(PATIENCE)),
            *("-H", f"Authorization: Bearer {key}"),
            f"http://127.0.0.1:{port}{DOCUMENT}",
        ],
        cwd=cwd,
        env=os.environ | {"SCHEMATHESIS_HOOKS": hooks, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=5 * PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "No issues found" in run.stdout, run.stdout
