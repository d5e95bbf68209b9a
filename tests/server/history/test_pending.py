"""A file of pending changes that nobody here has written: it takes no memory, and no room beside itself."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from server.history import pending_log
from server.history.folding_file import FOLDING, NAME
from server.history.pending_file import FOLDER
from tests.builder.trees import make
from tests.server.history.sites import STATE
from tests.waiting import PATIENCE

HUGE, MEMORY = 3 << 30, 1 << 30
"""The size that the file is said to have, and the memory that the process may have."""
WRITE = """
import logging, sys
from pathlib import Path
from builder.store import ContentStore, ChangeNote
from server.history import History

logging.basicConfig(format="%(message)s")
site = Path(sys.argv[1])
with History(site / ".twinpress/state") as history, ContentStore(site, history) as store:
    for number in range(2):
        store.write("docs/a", "md", f"{number}", note=ChangeNote("k1"))
        try:
            history.catch_up()
        except Exception as error:
            print(type(error).__name__, error)
    print([each.note.key for each in history.revisions()])
"""
HEADER = pending_log.header("0" * pending_log.ID)
STARTS = {"zeros": b"", "zeros behind the first line": HEADER, "a record": HEADER + b"E 2 %d\n{}" % HUGE}


@pytest.mark.parametrize("name", [NAME, FOLDING])
@pytest.mark.parametrize("start", STARTS)
def test_a_huge_file_is_set_apart_as_it_is(tmp_path: Path, name: str, start: str) -> None:
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    huge = site / STATE / FOLDER / name
    huge.parent.mkdir(parents=True)
    with huge.open("wb") as file:
        file.write(STARTS[start])
        file.truncate(HUGE)
    done = subprocess.run(
        [sys.executable, "-c", WRITE, site],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].count("k1") == 2, done.stdout + done.stderr
    assert "MemoryError" not in done.stdout + done.stderr
    assert sum(path.lstat().st_blocks for path in huge.parent.rglob("*")) * 512 < 1 << 20
    if start != "a record":  # which is the beginning of one, as a killed process leaves it
        [apart] = huge.parent.glob("unreadable-*")
        assert apart.name in done.stdout + done.stderr
        assert apart.stat().st_size in {HUGE, HUGE - len(HEADER)}
        assert os.read(os.open(apart, os.O_RDONLY), 4) in {HEADER[:4], bytes(4)}
