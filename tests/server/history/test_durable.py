"""Files that a change replaces are on the disk for good before: seen in the calls of a process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builder.trees import make
from tests.server.durable.tracing import needs_strace
from tests.waiting import PATIENCE

ACT = """
import sys
from pathlib import Path
from builder.store import ContentStore
from server.history import History
site = Path(sys.argv[1])
with History(site / ".twinpress/state") as history, ContentStore(site, history) as store:
    history._worker.stop()
    def editor(text): (site / "docs/a.md").write_text(text)
    def a(text): store.write("docs/a", "md", text)
    def b(text): store.write("docs/b", "md", text)
    def fold(text): history.catch_up()
    for n, act in enumerate(sys.argv[2:]):
        locals()[act](f"text {n}")
"""


def traced(site: Path, acts: list[str]) -> list[str]:
    """For each write, whether the file of pending changes was synced before the page was replaced."""
    log = site.parent / "log"
    strace = ["strace", "-f", "-y", "-o", str(log), "-e", "trace=/rename,/fdatasync,/fsync"]
    subprocess.run([*strace, sys.executable, "-c", ACT, site, *acts], check=True, timeout=PATIENCE)
    found, synced = [], []
    for line in log.read_text().splitlines():
        if re.search(r"f(data)?sync\(.*/history(/pending)?>", line):
            synced.append("file" if "/pending>" in line else "name")
        elif re.search(r'rename\w*\(.*"[ab]\.md"', line):
            found.append("+".join(synced))
            synced = []
        elif "folding" in line:
            synced = []
    return found


@needs_strace
@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        ("a", ["file+name"]),  # nothing is in the repository yet
        ("fold a", [""]),
        ("fold a a a", ["", "file+name", "file"]),
        ("fold a b a b", ["", "", "file+name", ""]),
        ("fold a b a b a b", ["", "", "file+name", "", "file", ""]),
        ("fold a fold a fold a", ["", "", ""]),
        ("fold a editor a", ["", "file+name"]),
        ("fold editor a", ["file+name"]),
        ("fold a a fold a a", ["", "file+name", "", "file+name"]),
    ],
)
def test_what_is_kept_nowhere_else_is_synced_before_it_is_replaced(
    tmp_path: Path, acts: str, expected: list[str]
) -> None:
    site = make(tmp_path / "site", {"docs/a.md": "a", "docs/b.md": "b"})
    assert traced(site, acts.split()) == expected
