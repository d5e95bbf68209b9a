"""An engine with another library is another engine: what it has kept is not taken for ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ASK = "from builder.cache.fingerprint import fingerprint; print(fingerprint().hex())"


def fingerprint(path: Path) -> str:
    root = str(Path(__file__).parents[3])
    told = {**os.environ, "PYTHONPATH": os.pathsep.join((str(path), root))}
    done = subprocess.run([sys.executable, "-c", ASK], env=told, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    ("folder", "same"),
    [
        ("nh3-99.0.dist-info", False),
        ("markdown_it_py-99.0.dist-info", False),
        ("PyYAML-99.0.egg-info", False),
        ("pytest-99.0.dist-info", True),
        ("nh3-99.0", True),
    ],
)
def test_another_version_of_a_library_is_another_engine(tmp_path: Path, folder: str, same: bool) -> None:
    before = fingerprint(tmp_path)
    (tmp_path / folder).mkdir()
    assert (fingerprint(tmp_path) == before) is same
