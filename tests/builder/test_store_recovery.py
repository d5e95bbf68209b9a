from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from builder.errors import StorageError
from builder.store import ContentStore
from tests.builder.trees import make, names

OLD = {"docs/g/a.mdx": "old", "docs/g/a.llms.md": "old twin", "docs/b.md": "b"}


def test_a_change_that_cannot_be_finished_is_taken_back(tmp_path: Path) -> None:
    """The second file's place has become a folder meanwhile, so that nothing can be renamed to it."""
    site = make(tmp_path, {**OLD, "docs/g/a.llms.md": "", "docs/g/.tp-0000000000000001.tmp": "new"})
    (site / "docs/g/a.llms.md").unlink()
    make(site, {"docs/g/.tp-0000000000000002.tmp": "new twin", "docs/g/.tp-0000000000000003.tmp": "old"})
    make(site, {"docs/g/a.llms.md/inside": ""})
    steps = [
        ["docs/g/a.mdx", ".tp-0000000000000001.tmp", ".tp-0000000000000003.tmp"],
        ["docs/g/a.llms.md", ".tp-0000000000000002.tmp", ".tp-0000000000000004.tmp"],
    ]
    make(site, {".twinpress/state/journal.json": json.dumps({"steps": steps})})
    with ContentStore(site) as store:
        assert store.read("docs/g/a").text == "old"
    assert names(site) == ["docs/b.md", "docs/g/a.llms.md/inside", "docs/g/a.mdx"]


def test_a_change_that_was_taken_back_is_not_done_again(tmp_path: Path) -> None:
    """All is as before, but the journal could not be cleared: the old file is back under its own name."""
    site = make(tmp_path, {**OLD, "docs/g/.tp-0000000000000001.tmp": "new"})
    steps = [
        ["docs/g/a.md", ".tp-0000000000000001.tmp", None],
        ["docs/g/a.mdx", None, ".tp-0000000000000003.tmp"],
        ["docs/g/a.llms.md", None, ".tp-0000000000000004.tmp"],
    ]
    make(site, {".twinpress/state/journal.json": json.dumps({"steps": steps})})
    with ContentStore(site) as store:
        source = store.read("docs/g/a")
        assert (source.text, source.twin) == ("old", "old twin")
    assert names(site) == sorted(OLD)


def test_a_journal_that_leads_out_of_the_site_does_nothing_there(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"a.md": "outside", ".tp-0000000000000001.tmp": "planted"})
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    (site / "docs/link").symlink_to(outside)
    for file in ("../outside/a.md", "docs/link/a.md", f"{outside}/a.md"):
        steps = [[file, ".tp-0000000000000001.tmp", None], [file, None, None]]
        make(site, {".twinpress/state/journal.json": json.dumps({"steps": steps})})
        with ContentStore(site) as store:
            assert store.read("docs/a").text == "a"
        assert (outside / "a.md").read_text() == "outside"
        assert names(outside) == [".tp-0000000000000001.tmp", "a.md"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"steps": [["a"]]}', '{"steps": [[1, 2, 3]]}', "\udc80"])
def test_a_garbled_journal_is_named(tmp_path: Path, text: str) -> None:
    make(tmp_path, {"docs/a.md": "a"})
    make(tmp_path, {".twinpress/state/journal.json": text.encode("utf-8", "surrogateescape")})
    with pytest.raises(StorageError, match="journal"):
        ContentStore(tmp_path)


def test_files_of_interrupted_changes_are_invisible_and_swept_at_start(tmp_path: Path) -> None:
    left = {"docs/.tp-0123456789abcdef.tmp": "x", "docs/a/.tp-0123456789abcdef.tmp": "x"}
    others = {"docs/a/b.md": "b", "docs/.tp-mine.tmp": "mine", "docs/.keep": ""}
    make(tmp_path, {**left, **others, ".twinpress/state/lock": ""})
    with ContentStore(tmp_path) as store:
        assert [page.path for page in store.scan().pages] == ["docs/a/b"]
        assert (store.scan().files, store.scan().diagnostics) == ((), ())
    assert names(tmp_path) == sorted(others)


FULL = """
import sys
import tempfile
from pathlib import Path
from builder.errors import StorageError
from builder.store import ContentStore
site = Path(sys.argv[1])
with ContentStore(site) as store:
    store.write("docs/a", "md", "old", "old twin")
    for act in (
        lambda: store.write("docs/a", "md", "x" * 900_000),
        lambda: store.write("docs/a", "md", "new", "x" * 900_000),
        lambda: store.write("docs/deep/er/b", "md", "x" * 900_000),
    ):
        try:
            act()
        except StorageError as error:
            print(error)
    print(store.read("docs/a").text, store.read("docs/a").twin)
    print(sorted(str(path.relative_to(site)) for path in (site / "docs").rglob("*")))
"""
READ_ONLY = """
import sys
import tempfile
from pathlib import Path
from builder.errors import StorageError
from builder.store import ContentStore
with ContentStore(Path(sys.argv[1])) as store:
    print(store.read("docs/a").text, [page.path for page in store.scan().pages])
    for act in (lambda: store.write("docs/a", "md", "x"), lambda: store.delete("docs/a")):
        try:
            act()
        except StorageError as error:
            print(error)
"""
MOUNT = """
set -e
mount -t tmpfs -o size=400k none "$1"
"$2" -c "$3" "$1"
mount -o remount,ro "$1"
"$2" -c "$4" "$1"
"""


def test_a_full_disk_and_one_that_is_read_only_are_errors_with_the_old_content_intact(tmp_path: Path) -> None:
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*own, "true"], check=False, timeout=60).returncode:
        pytest.skip("there are no user namespaces here, so no small disk can be mounted")
    command = [*own, "sh", "-c", MOUNT, "sh", str(tmp_path), sys.executable, FULL, READ_ONLY]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    full = "the file system refuses: No space left on device (the disk is full: make room and try again)"
    refused = "the file system refuses: Read-only file system (the folder is on a read-only file system)"
    assert done.stdout.splitlines() == [
        f"docs/a: {full}",
        f"docs/a: {full}",
        f"docs/deep/er/b: {full}",
        "old old twin",
        "['docs/a.llms.md', 'docs/a.md']",
        "old ['docs/a']",
        f"docs/a: {refused}",
        f"docs/a: {refused}",
    ], done.stderr
