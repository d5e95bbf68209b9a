"""The tests that are marked as those that start a PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "server"
STARTING = {
    "postgres/test_server.py": "by the test itself",
    "postgres/tenants/test_spills.py": "by a fixture of a conftest, which gets its server as a parameter",
    "service/test_port.py": "by a helper of another module, in another process",
}
WITHOUT = ("postgres/test_scram.py", "hosting/test_row_locks.py")


def test_a_test_that_comes_to_a_postgresql_is_marked_and_no_other_is() -> None:
    files = [FOLDER / name for name in (*STARTING, *WITHOUT)]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-q",
            "-p",
            "no:cacheprovider",
            "-m",
            "postgres",
            *files,
        ],
        cwd=FOLDER.parents[1],
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert found == {f"tests/server/{name}" for name in STARTING}
