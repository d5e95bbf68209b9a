"""A damaged history is mended, told in one line, and goes on; nothing of it is deleted."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from dulwich.objects import ObjectID
from dulwich.repo import Repo

from builder.store import ChangeNote
from server.history import History, restore, undo
from server.history.folding_file import FOLDING, NAME
from server.history.pending_file import FOLDER
from tests.builder.trees import make
from tests.server.commands import twinpress
from tests.server.history.sites import AGENT, STATE, files, opened
from tests.waiting import until

GIT = f"{STATE}/{FOLDER}/git"
WRITES = 12


def packs(git: Path, suffix: str = "pack") -> list[Path]:
    return sorted(git.glob(f"objects/pack/*.{suffix}"))


def cut(git: Path, suffix: str) -> None:
    for file in packs(git, suffix):
        file.chmod(0o600)
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flip(git: Path) -> None:
    """A few bytes of each pack are others."""
    dice = random.Random(7)
    for file in packs(git):
        file.chmod(0o600)
        data = bytearray(file.read_bytes())
        for _ in range(3):
            data[dice.randrange(12, len(data))] ^= 0xFF
        file.write_bytes(data)


def spoil(git: Path, commit: str) -> None:
    """Make one object unreadable."""
    path, offset = place_of(git, commit)
    data = bytearray(path.read_bytes())
    for place in range(offset + 6, offset + 12):
        data[place] ^= 0xFF
    path.write_bytes(data)


def place_of(git: Path, commit: str) -> tuple[Path, int]:
    """The pack that an object is in, and where."""
    with Repo(str(git)) as repo:
        for pack in repo.object_store.packs:
            if commit.encode() in pack:
                path = Path(pack.data.path)
                path.chmod(0o600)
                return path, pack.index.object_offset(ObjectID(commit.encode()))
    raise KeyError(commit)


def one(git: Path) -> Path:
    """A pack that holds changes, and not the last ones."""
    with History(git.parents[1]) as history:
        return place_of(git, history.revisions()[4].id)[0]


def replace(git: Path) -> None:
    shutil.rmtree(git)
    git.write_bytes(b"no folder")


Damage = Callable[[Path], object]
ALL = WRITES + 1
DAMAGES: dict[str, tuple[Damage, int]] = {
    "packs are cut in half": (lambda git: cut(git, "pack"), 0),
    "indexes are cut in half": (lambda git: cut(git, "idx"), ALL),
    "indexes are gone": (lambda git: [file.unlink() for file in packs(git, "idx")], ALL),
    "one pack is gone": (lambda git: one(git).unlink(), ALL - 3),
    "one pack is empty": (lambda git: one(git).write_bytes(b""), ALL - 3),
    "bytes are flipped": (flip, 0),
    "the branch is gone": (lambda git: (git / "refs/heads/main").unlink(), ALL),
    "the branch is empty": (lambda git: (git / "refs/heads/main").write_bytes(b""), ALL),
    "the branch is garbage": (lambda git: (git / "refs/heads/main").write_bytes(b"garbage\n"), ALL),
    "the branch leads nowhere": (lambda git: (git / "refs/heads/main").write_bytes(b"1" * 40), ALL),
    "all branches are gone": (lambda git: shutil.rmtree(git / "refs"), ALL),
    "the settings are garbage": (lambda git: (git / "config").write_bytes(b"\xff[core"), ALL),
    "the objects are gone": (lambda git: shutil.rmtree(git / "objects"), 0),
    "it is a file": (replace, 0),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a history of several packs."""
    site = make(tmp_path_factory.mktemp("model") / "site", {"docs/a.md": "a", "docs/g/b.md": "b"})
    with opened(site) as (history, store):
        history.catch_up()
        for n in range(WRITES):
            store.write("docs/g/c", "md", f"text {n} " * 50, note=AGENT)
            if n % 3 == 2:
                history.catch_up()
    return site


@pytest.fixture
def site(model: Path, tmp_path: Path) -> Path:
    return shutil.copytree(model, tmp_path / "site")


@pytest.mark.parametrize("what", DAMAGES)
def test_what_is_readable_goes_on_and_nothing_is_deleted(
    site: Path, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    damage, least = DAMAGES[what]
    before = files(site)
    damage(site / GIT)
    damaged = state_of(site / GIT)
    with opened(site) as (history, store):
        history.catch_up()
        found = history.revisions()
        assert len(found) >= max(least, 1)
        assert len(caplog.records) == 1, caplog.text
        assert "the history was damaged" in caplog.text.lower()
        at = history.files_at(found[0].id)
        contents = history.contents(set(at.values()))
        assert {file: contents[blob] for file, blob in at.items()} == before == files(site)
        store.write("docs/a", "md", "and on it goes", note=ChangeNote("k9"))
        undo(history, store, "k9")
        assert files(site) == before
        restore(history, store, found[0].id)
    apart = list((site / GIT).parent.glob("damaged-*"))
    # What the site's files say now may have been kept in it before the damage showed.
    assert [damaged.items() <= state_of(each).items() for each in apart] == [True]
    assert len(caplog.records) == 1, caplog.text


def state_of(git: Path) -> dict[str, bytes]:
    """All files but the one that says what the site's files were when they were last looked at."""
    if git.is_file():
        return {"": git.read_bytes()}
    found = {str(path.relative_to(git)): path for path in git.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name != "seen.json"}


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.parametrize("command", ["history", "restore", "undo"])
def test_every_command_tells_it_in_one_line(site: Path, what: str, command: str) -> None:
    with opened(site) as (history, _):
        first = history.revisions()[-1].id
    DAMAGES[what][0](site / GIT)
    words = {"history": [], "restore": [first], "undo": ["--key", "agent"]}[command]
    done = twinpress(command, *words, cwd=site)
    assert done.returncode in {0, 1, 2}, done.stderr
    assert "Traceback" not in done.stderr
    assert "failed" not in done.stderr
    assert "damaged-" in done.stderr


@pytest.mark.parametrize("lost", range(ALL))
def test_changes_before_a_lost_one_are_found(site: Path, lost: int) -> None:
    """One change cannot be read: all others are still there, in order."""
    with opened(site) as (history, _):
        known = history.revisions()
        spoil(site / GIT, known[lost].id)
        history.catch_up()
        found = history.revisions()
    assert [each.id for each in found if each.time <= known[0].time] == [
        each.id for each in known if each.id != known[lost].id
    ]


def test_pending_changes_come_into_a_mended_history_once(site: Path) -> None:
    with opened(site) as (history, store):
        store.write("docs/a", "md", "pending", note=ChangeNote("k2"))
        flip(site / GIT)
        history.catch_up()
        assert [each.note.key for each in history.revisions()].count("k2") == 1
        assert (site / STATE / FOLDER / NAME).exists() is False


def test_what_was_being_folded_when_the_branch_was_lost_is_folded_again(site: Path, tmp_path: Path) -> None:
    """Its commits may be there in part."""
    with opened(site) as (history, store):
        for n in range(3):
            store.write("docs/a", "md", f"pending {n}", note=ChangeNote("k2"))
        pending = (site / STATE / FOLDER / NAME).read_bytes()
        history.catch_up()
    (site / STATE / FOLDER / FOLDING).write_bytes(pending)
    (site / GIT / "refs/heads/main").unlink()
    with opened(site) as (history, _):
        history.catch_up()
        assert [each.note.key for each in history.revisions()].count("k2") == 3


def test_the_thread_in_the_background_lives_on(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also where the history cannot be mended; it is told once, and mended as soon as it can be."""
    with opened(site) as (history, store):
        history.catch_up()
        (site / GIT / "refs/heads/main").write_bytes(b"garbage\n")
        (site / STATE / FOLDER / "git.new").symlink_to("/dev/null")
        store.write("docs/a", "md", "1", note=ChangeNote("k2"))
        until(lambda: "could not be updated" in caplog.text)
        time.sleep(1)
        assert caplog.text.count("could not be updated") == 1
        (site / STATE / FOLDER / "git.new").unlink()
        until(lambda: "k2" in [each.note.key for each in history.revisions()])
    assert "could be read and go on" in caplog.text
