"""A process that shows a site reaches nothing but the site and Python, whatever it is brought to do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from server.control.plans import MIB
from server.process.confine import landlock_version
from tests.sites import write_site

SCRIPT = """
import json, os, socket, subprocess, sys
from pathlib import Path
from server.process.confine import confine
site = Path(sys.argv[1])
confine(site, int(sys.argv[2]))
def outcome(act):
    try:
        exec(act)
    except (OSError, MemoryError) as error:
        return type(error).__name__
    return "done"
print(json.dumps([outcome(act) for act in json.loads(sys.argv[3])]))
"""
MEMORY = 400 * MIB
ACTS = {
    "reads a page": ("assert (site / 'docs/a.md').read_text() == 'Mine.\\n'", "done"),
    "writes a page": ("(site / 'docs/b.md').write_text('b')", "done"),
    "loads a module": ("import wave, sqlite3", "done"),
    "runs a program": ("subprocess.run(['/bin/true'])", "PermissionError"),
    "reads a secret": ("(site / '../../control.sqlite3').read_text()", "PermissionError"),
    "reads by a link": ("(site / 'docs/link.md').read_text()", "PermissionError"),
    "lists sites": ("list((site / '..').iterdir())", "PermissionError"),
    "writes beside it": ("(site / '../new').write_text('x')", "PermissionError"),
    "reads a file of the system": ("open('/etc/passwd').read()", "PermissionError"),
    "looks at the service": (
        "open(f'/proc/{os.getppid()}/environ').read()",
        "PermissionError",
    ),
    "ends the service": ("os.kill(os.getppid(), 0)", "PermissionError"),
    "opens a connection": ("socket.create_connection(('127.0.0.1', 9))", "PermissionError"),
    "makes a link to it": (
        "(site / 'docs/new.md').symlink_to('../../../control.sqlite3')",
        "PermissionError",
    ),
    "makes a pipe that waits for ever": ("os.mkfifo(site / 'docs/pipe')", "PermissionError"),
    "moves a page": ("(site / 'docs/b.md').rename(site / 'c.md')", "done"),
    "takes memory": (f"bytearray({MEMORY})", "MemoryError"),
}


@pytest.mark.skipif(landlock_version() < 6, reason="needs Landlock of Linux 6.12")
def test_only_its_site_is_there(tmp_path: Path) -> None:
    site = write_site(tmp_path / "sites/boats", {"docs/a.md": "Mine.\n"})
    (tmp_path / "control.sqlite3").write_text("secret")
    (site / "docs/link.md").symlink_to(tmp_path / "control.sqlite3")
    acts = json.dumps([act for act, _ in ACTS.values()])
    command = [sys.executable, "-c", SCRIPT, site, str(MEMORY), acts]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = dict(zip(ACTS, json.loads(done.stdout), strict=True))
    assert found == {case: outcome for case, (_, outcome) in ACTS.items()}


DRAWS = """
import sys, threading, time
from pathlib import Path
from server.process.confine import confine
site = Path(sys.argv[1])
if sys.argv[3] == "threads":
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
confine(site, int(sys.argv[2]))
from builder.diagrams import draw
for name in ("good", "hostile", "good-too"):
    made = draw((site / name).read_text())
    print(type(made).__name__, getattr(made, "is_spent", ""))
"""


@pytest.mark.skipif(landlock_version() < 1, reason="needs Landlock")
@pytest.mark.parametrize("threads", ["threads", "alone"])
def test_diagrams_are_drawn_and_given_up_there(tmp_path: Path, threads: str) -> None:
    pytest.importorskip("merman")
    hostile = "gantt\n dateFormat YYYY-MM-DD\n excludes weekends\n A: a, 2000-01-01, 999999999d\n"
    pages = {"good": "flowchart LR\n a-->b\n", "hostile": hostile, "good-too": "flowchart LR\n a-->c\n"}
    site = write_site(tmp_path / "sites/boats", pages)
    command = [sys.executable, "-c", DRAWS, site, str(1024 * MIB), threads]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Diagram ", "DiagramFault True", "Diagram "]
