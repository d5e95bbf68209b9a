"""Quotes from what the server says."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.postgres.run.server_log import LONGEST, complaint

AT = "2026-11-22 11:06:56.123 UTC [4711]"
CASES = {
    "the last fatal line, whatever came after it": (
        [
            f"{AT}  LOG:  database system was shut down",
            f"{AT}  LOG:  redo starts at 0/1",
            f'{AT}  FATAL:  could not write to file "x": No space left on device',
            f"{AT}  LOG:  startup process (PID 7) exited with exit code 1",
            f"{AT}  LOG:  database system is shut down",
        ],
        'LOG:  redo starts at 0/1; FATAL:  could not write to file "x": No space left on device',
    ),
    "of a panic of a tenant's session": (
        [f"{AT} db_a PANIC:  could not write", f"{AT}  LOG:  server process was terminated"],
        "PANIC:  could not write",
    ),
    "the last lines where none is fatal": (
        ["first", "/bin/sh: 1: exec: no", "such", "file", "postgres: not found"],
        "/bin/sh: 1: exec: no; such; file; postgres: not found",
    ),
    "the end of a long line": ([f"{AT}  FATAL:  {'x' * 900}"], "x" * LONGEST),
    "nothing": ([], ""),
}


@pytest.mark.parametrize("case", CASES)
def test_an_error_has_the_lines_that_say_why(tmp_path: Path, case: str) -> None:
    lines, expected = CASES[case]
    log = tmp_path / "server.log"
    before = f"{AT}  FATAL:  yesterday\n"
    log.write_text(before + "".join(f"{line}\n" for line in lines))
    assert complaint(log, len(before)) == expected
