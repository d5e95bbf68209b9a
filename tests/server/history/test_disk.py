"""Disks on which the history cannot be written: nothing is changed, and what was kept can still be read."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builder.trees import make
from tests.server.history.sites import STATE, files, opened
from tests.waiting import PATIENCE

ACT = """
import sys
from pathlib import Path
from builder.errors import TwinpressError
from builder.store import ContentStore, ChangeNote
from server.history import History, restore, undo
site = Path(sys.argv[1])

def tried(act):
    try:
        act()
        return "done"
    except TwinpressError as error:
        return str(error)

with History(site / ".twinpress/state") as history, ContentStore(site, history) as store:
    first = history.revisions()[-1].id
    print(tried(lambda: store.write("docs/a", "md", "new " * 100_000)))
    print(tried(lambda: store.write("docs/x/y", "md", "new " * 100_000, "twin")))
    print(tried(lambda: store.delete("docs/a")))
    print(tried(lambda: restore(history, store, first)))
    print(tried(lambda: undo(history, store, "k1")))
    print(len(history.revisions()), (site / "docs/a.md").read_text(), (site / "docs/x").exists())
"""
FULL = """
set -e
cp -r "$1/.twinpress/state" "$2"
rm "$2/reserve"
mount -t tmpfs -o size=200k none "$1/.twinpress/state"
cp -r "$2/." "$1/.twinpress/state"
head -c 400k /dev/zero > "$1/.twinpress/state/filler" 2>/dev/null || true
"$3" -c "$4" "$1"
rm "$1/.twinpress/state/filler"
"$3" -c "$5" "$1"
"""
AGAIN = """
import sys
from pathlib import Path
from builder.store import ContentStore, ChangeNote
from server.history import History, undo
site = Path(sys.argv[1])
with History(site / ".twinpress/state") as history, ContentStore(site, history) as store:
    store.write("docs/a", "md", "new", note=ChangeNote("k1"))
    undo(history, store, "k1")
    history.catch_up()
    print(len(history.revisions()), (site / "docs/a.md").read_text())
"""
READ_ONLY = """
set -e
mount --bind "$1/.twinpress/state" "$1/.twinpress/state"
mount -o remount,bind,ro "$1/.twinpress/state"
"$3" -c "$4" "$1"
"$(dirname "$3")/twinpress" history --site "$1" | wc -l
"""
DAMAGED = """
set -e
truncate -s 50 "$1"/.twinpress/state/history/git/objects/pack/*.pack
mount --bind "$1/.twinpress/state" "$1/.twinpress/state"
mount -o remount,bind,ro "$1/.twinpress/state"
"$(dirname "$3")/twinpress" history --site "$1" 2>&1
"""
OWN = ["unshare", "--user", "--map-root-user", "--mount"]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    if (
        shutil.which("unshare") is None
        or subprocess.run([*OWN, "true"], check=False, timeout=PATIENCE).returncode
    ):
        pytest.skip("there are no user namespaces here, so no small disk can be mounted")
    made = make(tmp_path / "site", {"docs/a.md": "old"})
    with opened(made) as (history, store):
        history.catch_up()
        store.write("docs/a", "md", "kept")
        history.catch_up()
    return made


def run(script: str, site: Path) -> list[str]:
    """Run the script in namespaces of its own and return what it says."""
    command = [*OWN, "sh", "-c", script, "sh", site, site.parent / "copy", sys.executable, ACT, AGAIN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def test_on_a_full_disk_nothing_is_changed_and_it_goes_on_when_there_is_room(site: Path) -> None:
    *told, last, again = run(FULL, site)
    assert all("the disk is full: make room and try again" in line for line in told[:4]), told
    assert "no key of this name" in told[4]  # there was nothing to bring in, which takes no room
    assert (last, again) == ("2 kept False", "4 kept")


def test_on_a_read_only_disk_nothing_is_changed_and_the_history_is_shown(site: Path) -> None:
    *told, last, shown = run(READ_ONLY, site)
    assert all("on a read-only file system" in line for line in told), told
    assert (last, shown) == ("2 kept False", "2")
    assert files(site) == {"docs/a.md": b"kept"}
    assert (site / STATE).is_dir()


def test_damage_that_cannot_be_mended_on_a_read_only_disk_is_told(site: Path) -> None:
    warning, error, hint = run(DAMAGED, site)
    assert "on a read-only file system" in warning
    assert "the history cannot be read" in error
    assert "be able to write" in hint
