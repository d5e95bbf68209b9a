"""What holds for all tests: in CI, property tests take the same examples every time.

A landing must not fail by chance on a change that has nothing to do with it; on developers' machines the
examples are new at every run, and what they find becomes a case.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

SLOW = (
    "server/durable/test_faults.py",
    "builder/test_pathological.py",
    "server/durable/test_crowd.py",
    "builder/test_build_security.py",
    "themes/",
    "server/history/test_crash.py",
)
"""The files that take longest, and those for which a browser is started, the slowest first."""

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("developer", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "developer")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow files: one that begins last is waited for by all other processes."""
    items.sort(key=lambda item: _rank(item.path.relative_to(Path(__file__).parent).as_posix()))


def _rank(file: str) -> int:
    return next((rank for rank, slow in enumerate(SLOW) if file.startswith(slow)), len(SLOW))
