from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.errors import StorageError
from builder.store import ContentStore
from tests.builder.children import in_child
from tests.builder.trees import make, names
from tests.waiting import PATIENCE

OLD = {"docs/g/a.mdx": "old", "docs/g/a.llms.md": "old twin", "docs/b.md": "b"}


ONE, TWO, THREE, FOUR = (f".tp-000000000000000{n}.tmp" for n in range(1, 5))
JOURNAL = ".twinpress/state/journal.json"


def known(file: Path) -> list[int] | None:
    """Return the numbers by which a journal knows a file."""
    if not file.exists():
        return None
    found = file.stat()
    return [found.st_ino, found.st_size, found.st_mtime_ns]


def interrupted(site: Path, *listed: tuple[str, str | None, str | None]) -> None:
    """Leave the journal of a change of which nothing is done: file, new file and second name of each step."""
    steps = []
    for file, temporary, backup in listed:
        place = (site / file).parent
        if backup:
            os.link(site / file, place / backup)
        new = known(place / temporary) if temporary else None
        steps.append([file, temporary, backup, known(site / file), new])
    make(site, {JOURNAL: json.dumps({"steps": steps})})


def two_steps(folder: Path) -> Path:
    """A site in which a new page and a new twin wait to be put in the place of the old ones."""
    site = make(folder, {**OLD, f"docs/g/{ONE}": "new", f"docs/g/{TWO}": "new twin"})
    interrupted(site, ("docs/g/a.mdx", ONE, THREE), ("docs/g/a.llms.md", TWO, FOUR))
    return site


def content(site: Path) -> dict[str, str]:
    return {name: (site / name).read_text() for name in names(site)}


def opened(site: Path) -> dict[str, str]:
    """Return the content of the site once somebody has opened it."""
    with ContentStore(site):
        pass
    return content(site)


NEW = {**OLD, "docs/g/a.mdx": "new", "docs/g/a.llms.md": "new twin"}


def done_one(site: Path) -> None:
    (site / "docs/g" / ONE).rename(site / "docs/g/a.mdx")


def done_all(site: Path) -> None:
    done_one(site)
    (site / "docs/g" / TWO).rename(site / "docs/g/a.llms.md")


def saved(site: Path, file: str = "docs/g/a.mdx", text: str = "owner") -> None:
    """As editors do that save into the file."""
    (site / file).write_text(text)


def renamed_over(site: Path, file: str = "docs/g/a.mdx") -> None:
    """As editors do that rename another file over it."""
    (site / "draft").write_text("owner")
    (site / "draft").rename(site / file)


def taken_back_one(site: Path) -> None:
    done_one(site)
    (site / "docs/g" / THREE).rename(site / "docs/g/a.mdx")


INTERRUPTED: dict[str, tuple[list[Callable[[Path], None]], dict[str, str]]] = {
    "nothing is done": ([], NEW),
    "one step is done": ([done_one], NEW),
    "all is done": ([done_all], NEW),
    "one step is taken back": ([taken_back_one], OLD),
    "the owner has saved since": ([saved], {**OLD, "docs/g/a.mdx": "owner"}),
    "the owner has saved another file over it": ([renamed_over], {**OLD, "docs/g/a.mdx": "owner"}),
    "the owner has saved what was done": ([done_one, saved], {**OLD, "docs/g/a.mdx": "owner"}),
    "the owner has replaced what was done": ([done_one, renamed_over], {**OLD, "docs/g/a.mdx": "owner"}),
    "the owner has saved the other file": (
        [done_one, lambda site: saved(site, "docs/g/a.llms.md")],
        {**OLD, "docs/g/a.llms.md": "owner"},
    ),
    "the owner has saved after all was done": ([done_all, saved], {**OLD, "docs/g/a.mdx": "owner"}),
    "the owner has removed it": (
        [done_one, lambda site: (site / "docs/g/a.mdx").unlink()],
        {name: text for name, text in OLD.items() if name != "docs/g/a.mdx"},
    ),
}


@pytest.mark.parametrize("name", INTERRUPTED)
def test_an_interrupted_change_is_finished_or_taken_back_and_what_was_saved_since_stays(
    tmp_path: Path, name: str
) -> None:
    acts, wanted = INTERRUPTED[name]
    site = two_steps(tmp_path)
    for act in acts:
        act(site)
    assert opened(site) == wanted
    assert not (site / JOURNAL).exists()


def test_a_page_that_the_owner_writes_anew_while_it_was_being_removed_stays(tmp_path: Path) -> None:
    for act in (saved, renamed_over):
        site = make(tmp_path / act.__name__, OLD)
        interrupted(site, ("docs/g/a.mdx", None, THREE), ("docs/g/a.llms.md", None, FOUR))
        (site / "docs/g/a.mdx").unlink()
        act(site)
        assert opened(site) == {**OLD, "docs/g/a.mdx": "owner"}


def test_a_page_that_is_saved_where_a_new_one_was_to_be_made_stays(tmp_path: Path) -> None:
    for act in (saved, renamed_over):
        site = make(tmp_path / act.__name__, {"docs/b.md": "b", f"docs/{ONE}": "new", f"docs/{TWO}": "twin"})
        interrupted(site, ("docs/a.md", ONE, None), ("docs/a.llms.md", TWO, None))
        act(site, "docs/a.md")
        assert opened(site) == {"docs/a.md": "owner", "docs/b.md": "b"}


def test_a_change_that_cannot_be_finished_is_taken_back(tmp_path: Path) -> None:
    """The second file's place has become a folder meanwhile, so that nothing can be renamed to it."""
    site = two_steps(tmp_path)
    done_one(site)
    (site / "docs/g/a.llms.md").unlink()
    make(site, {"docs/g/a.llms.md/inside": ""})
    assert opened(site) == {"docs/b.md": "b", "docs/g/a.llms.md/inside": "", "docs/g/a.mdx": "old"}


def test_a_change_whose_end_the_disk_refuses_is_taken_back(tmp_path: Path) -> None:
    site = two_steps(tmp_path)

    def act() -> str:
        sync, refused = os.fsync, iter([errno.EIO])

        def synced(descriptor: int) -> None:
            for number in refused:
                raise OSError(number, os.strerror(number))
            sync(descriptor)

        os.fsync = synced
        return json.dumps(opened(site))

    assert json.loads(in_child(act)) == OLD
    assert not (site / JOURNAL).exists()


@pytest.mark.parametrize("done", [[], [done_one]], ids=["nothing is done", "one step is done"])
@pytest.mark.parametrize("save", [saved, renamed_over])
def test_what_the_owner_saves_while_a_change_is_finished_stays(
    tmp_path: Path, done: list[Callable[[Path], None]], save: Callable[[Path, str], None]
) -> None:
    site = two_steps(tmp_path)
    for act in done:
        act(site)
    file = "docs/g/a.llms.md" if done else "docs/g/a.mdx"

    def finish() -> str:
        once = iter([file])

        def hook(event: str, given: tuple[object, ...]) -> None:
            if event == "os.rename" and Path(file).name in given:
                for each in once:
                    save(site, each)

        sys.addaudithook(hook)
        return json.dumps(opened(site))

    assert json.loads(in_child(finish)) == {**OLD, file: "owner"}
    assert not (site / JOURNAL).exists()


FORGED = {
    "a hidden file elsewhere": ["docs/leak.md", "{outside}/secret.md", None, None, None],
    "a hidden file above": ["docs/leak.md", "../../outside/secret.md", None, None, None],
    "a second name elsewhere": ["docs/a.md", None, "{outside}/secret.md", None, None],
    "a file elsewhere": ["{outside}/secret.md", ONE, None, None, None],
    "a file above": ["docs/../../outside/secret.md", None, None, None, None],
    "a template": ["theme/page.html", None, None, None, None],
    "a hidden file beside pages": ["docs/.picture.png", None, None, None, None],
    "a key": [".twinpress/state/control.sqlite3", None, None, None, None],
    "a hidden page": ["docs/.git/a.md", None, None, None, None],
}


@pytest.mark.parametrize("name", FORGED)
def test_a_journal_that_no_change_has_written_is_refused_and_nothing_is_touched(
    tmp_path: Path, name: str
) -> None:
    outside = make(tmp_path / "outside", {"secret.md": "secret"})
    other = {"theme/page.html": "", "docs/.picture.png": "", ".twinpress/state/control.sqlite3": ""}
    site = make(tmp_path / "site", {"docs/a.md": "a", f"docs/{ONE}": "n", **other})
    step = [part.format(outside=outside) if isinstance(part, str) else part for part in FORGED[name]]
    make(site, {JOURNAL: json.dumps({"steps": [step]})})
    make(site, {".twinpress/state/lock": ""})
    before = content(tmp_path)
    with pytest.raises(StorageError, match="journal"):
        ContentStore(site)
    assert content(tmp_path) == before


def test_a_journal_that_leads_through_a_link_does_nothing_there(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"a.md": "outside", ONE: "planted"})
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    (site / "docs/link").symlink_to(outside)
    old, new = known(outside / "a.md"), known(outside / ONE)
    for step in (["docs/link/a.md", ONE, None, old, new], ["docs/link/a.md", None, ONE, old, None]):
        make(site, {JOURNAL: json.dumps({"steps": [step]})})
        with ContentStore(site) as store:
            assert store.read("docs/a").text == "a"
        assert content(outside) == {ONE: "planted", "a.md": "outside"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"steps": [["a"]]}', '{"steps": [[1, 2, 3, 4, 5]]}', "\udc80"]
)
def test_a_garbled_journal_is_named(tmp_path: Path, text: str) -> None:
    make(tmp_path, {"docs/a.md": "a"})
    make(tmp_path, {".twinpress/state/journal.json": text.encode("utf-8", "surrogateescape")})
    with pytest.raises(StorageError, match="journal"):
        ContentStore(tmp_path)


def test_pages_can_be_read_while_a_garbled_journal_waits_for_somebody_to_look_at_it(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "a", ".twinpress/state/lock": ""})
    with ContentStore(tmp_path) as store:
        make(tmp_path, {JOURNAL: "garbled"})
        assert store.read("docs/a").text == "a"
        with pytest.raises(StorageError, match="journal"):
            store.write("docs/a", "md", "b")
    assert (tmp_path / "docs/a.md").read_text() == "a"


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
mount -o remount,ro,size=400k none "$1"
"$2" -c "$4" "$1"
"""


def test_a_full_disk_and_one_that_is_read_only_are_errors_with_the_old_content_intact(tmp_path: Path) -> None:
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*own, "true"], check=False, timeout=PATIENCE).returncode
    ):
        pytest.skip("there are no user namespaces here, so no small disk can be mounted")
    command = [*own, "sh", "-c", MOUNT, "sh", str(tmp_path), sys.executable, FULL, READ_ONLY]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
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
