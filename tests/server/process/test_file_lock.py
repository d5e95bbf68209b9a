"""Locks between processes: one has it, and whoever ends lets go."""

from __future__ import annotations

import os
from pathlib import Path

from server.process.file_lock import lock_file, try_lock


def test_one_holds_the_lock_of_a_file_and_others_are_told(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with lock_file(file) as ours, lock_file(file) as theirs:
        assert (ours, theirs) == (True, False)
    assert file.stat().st_mode & 0o777 == 0o600
    with lock_file(file, wait=True) as ours, lock_file(file) as theirs:
        assert (ours, theirs) == (True, False)
    with lock_file(file) as ours:
        assert ours


def test_a_folder_can_be_locked_too(tmp_path: Path) -> None:
    one, other = (os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY) for _ in range(2))
    assert (try_lock(one), try_lock(other), try_lock(one)) == (True, False, True)
    os.close(one)
    assert try_lock(other)
    os.close(other)
