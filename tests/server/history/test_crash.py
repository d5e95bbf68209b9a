"""History and files are in step after the next opening, wherever a process was killed or refused."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from builder.errors import StorageError
from builder.store import ChangeNote, ContentStore
from server.history import History, undo
from server.history.pending_file import FOLDER, NAME
from tests.builder.children import in_child
from tests.builder.store.test_crash import kill, refuse
from tests.builder.trees import in_memory, make
from tests.server.history.sites import AGENT, STATE, files, opened, tree

EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"}
MOST = 400
OLD = {
    "docs/g/a.mdx": "old",
    "docs/g/a.llms.md": "old twin",
    "docs/b.md": "b",
    "site.yml": "title: Old\n",
    "static/old/a.png": "old",
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as made:
        yield made


def at_step(wanted: int, strike: Callable[[], None], since: str = "") -> Callable[[], None]:
    """Have `strike` called at the n-th call that changes or opens a file; what is given ends that.

    Counts from the first one about a file whose name begins with `since`.
    """
    count, stopped, begun = 0, False, False

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count, begun
        # What is imported on the way is none of the steps.
        if stopped or event not in EVENTS or str(arguments[0]).endswith((".py", ".pyc", "__pycache__")):
            return
        begun = begun or str(arguments[0]).startswith(since)
        count += begun
        if count == wanted:
            strike()

    def stop() -> None:
        nonlocal stopped
        stopped = True

    sys.addaudithook(hook)
    return stop


def write_all(store: ContentStore) -> None:
    """Replaces page and twin, and removes the old format."""
    store.write("docs/g/a", "md", "new", "new twin", note=AGENT)


def write_page(store: ContentStore) -> None:
    """Replaces one file."""
    store.write("docs/b", "md", "new b", note=AGENT)


def write_into_new_folder(store: ContentStore) -> None:
    """Makes folders."""
    store.write("docs/x/y", "md", "new", note=AGENT)


def delete(store: ContentStore) -> None:
    """Removes two files and a folder."""
    store.delete("docs/g/a", note=AGENT)


def save_settings(store: ContentStore) -> None:
    """Replaces `site.yml`."""
    store.replace_file("site.yml", b"title: New\n", expected=b"title: Old\n", note=AGENT)


def upload(store: ContentStore) -> None:
    """Creates a file and its folder."""
    store.replace_file("static/new/a.png", b"new", expected=None, note=AGENT)


def delete_file(store: ContentStore) -> None:
    """Removes a file and its folder."""
    store.replace_file("static/old/a.png", None, expected=b"old", note=AGENT)


ACTS: list[Callable[[ContentStore], None]] = [
    write_all,
    write_page,
    write_into_new_folder,
    delete,
    save_settings,
    upload,
    delete_file,
]


def at_night(act: Callable[[ContentStore], None]) -> ParameterSet:
    """A variant of other acts."""
    return pytest.param(act, marks=pytest.mark.slow)


def prepared(site: Path) -> Path:
    """A site with a history, in which nothing is pending."""
    make(site, OLD)
    with opened(site) as (history, store):
        store.write("docs/b", "md", "first", note=ChangeNote("k0"))
        store.write("docs/b", "md", "b", note=ChangeNote("k0"))
        history.catch_up()
    return site


def again(folder: Path) -> Path:
    """A new copy of the model."""
    shutil.rmtree(folder / "site", ignore_errors=True)
    return shutil.copytree(folder / "model", folder / "site")


def in_step(site: Path) -> int:
    """Open the site and check that its history ends with what is on disk; gives the changes by the key."""
    with opened(site) as (history, _):
        history.catch_up()
        revisions = history.revisions()
        at = history.files_at(revisions[0].id)
        contents = history.contents(set(at.values()))
        assert {file: contents[blob] for file, blob in at.items()} == files(site)
        assert not any(each.outside for each in revisions[:-1])
        return sum(each.note == AGENT for each in revisions)


# Three of them make and remove folders, and replace and remove files; each of that alone is for nights.
@pytest.mark.parametrize(
    "act",
    [write_all, delete, upload, *map(at_night, [write_into_new_folder, save_settings, delete_file])],
)
def test_a_writer_killed_at_any_step(folder: Path, act: Callable[[ContentStore], None]) -> None:
    before, old = tree(prepared(folder / "model")), files(folder / "model")
    with opened(shutil.copytree(folder / "model", folder / "after")) as (_, store):
        act(store)
    after = files(folder / "after")
    outcomes = []
    for step in range(1, MOST):
        site = again(folder)

        def act_until_killed(site: Path = site, step: int = step) -> str:
            with History(site / STATE) as history, ContentStore(site, history) as store:
                at_step(step, kill)
                act(store)
                os._exit(0)

        killed = in_child(act_until_killed) == "killed"
        by_key = in_step(site)
        found = files(site)
        assert found in (old, after), f"killed at step {step}"
        assert by_key == (found == after), f"killed at step {step}"
        with opened(site) as (history, store):
            if by_key:
                undo(history, store, AGENT.key)
                assert tree(site) == before, f"killed at step {step}"
            store.write("docs/b", "md", "and on it goes", note=AGENT)
        assert in_step(site) == by_key + 1
        outcomes.append(found == after)
        if not killed:
            break
    assert (outcomes[0], outcomes[-1]) == (False, True)
    assert outcomes == sorted(outcomes)


@pytest.mark.parametrize("act", [write_all, delete, *map(at_night, [upload, delete_file])])
def test_a_writer_refused_at_any_step(folder: Path, act: Callable[[ContentStore], None]) -> None:
    told = []
    before = files(prepared(folder / "model"))
    for step in range(1, MOST):
        site = again(folder)

        def act_until_refused(site: Path = site, step: int = step) -> str:
            with History(site / STATE) as history, ContentStore(site, history) as store:
                stop = at_step(step, refuse)
                try:
                    act(store)
                except StorageError:
                    return "refused"
                finally:
                    stop()
                return "done"

        told.append(in_child(act_until_refused))
        assert told[-1] in {"refused", "done"}, told[-1]
        assert in_step(site) == (told[-1] == "done"), f"refused at step {step}"
        assert (files(site) != before) == (told[-1] == "done"), f"refused at step {step}"
        if told[-12:] == ["done"] * 12:
            break
    assert told.count("refused") > 3


def test_a_fold_killed_at_any_step_is_done_once(folder: Path) -> None:
    with opened(prepared(folder / "model")) as (_, store):
        for act in ACTS:
            act(store)
    make(folder / "model", {"docs/editor.md": "saved"})
    for step in range(1, MOST):
        site = again(folder)

        def fold_until_killed(site: Path = site, step: int = step) -> str:
            with History(site / STATE) as history:
                at_step(step, kill)
                history.catch_up()
            return "done"

        said = in_child(fold_until_killed)
        assert said in {"killed", "done"}, said
        with opened(site) as (history, _):
            history.catch_up()
            revisions = history.revisions()
        assert [each.note for each in revisions].count(AGENT) == len(ACTS), f"killed at step {step}"
        assert [each.files[0].file for each in revisions if each.outside and each.files] == ["docs/editor.md"]
        assert list((site / STATE / FOLDER).rglob("*.lock")) == []
        if said == "done":
            break
    assert step > 20


def test_an_undo_killed_at_any_step_is_whole_or_not_at_all(folder: Path) -> None:
    with opened(prepared(folder / "model")) as (history, store):
        old = files(folder / "model")
        for act in ACTS:
            act(store)
        history.catch_up()
    new = files(folder / "model")
    outcomes = []
    for step in range(1, MOST):
        site = again(folder)

        def undo_until_killed(site: Path = site, step: int = step) -> str:
            with History(site / STATE) as history, ContentStore(site, history) as store:
                at_step(step, kill, since=".tp-")
                undo(history, store, AGENT.key)
                os._exit(0)

        said = in_child(undo_until_killed)
        in_step(site)
        assert files(site) in (old, new), f"killed at step {step}"
        outcomes.append(files(site) == old)
        if said != "killed":
            break
    assert outcomes == sorted(outcomes)
    assert (outcomes[0], outcomes[-1]) == (False, True)


@pytest.mark.parametrize("cut", range(1, 140, 7))
def test_a_record_that_was_cut_off_is_forgotten(tmp_path: Path, cut: int) -> None:
    """Its change was never made."""
    site = prepared(tmp_path)
    pending = site / STATE / FOLDER / NAME
    with opened(site) as (_, store):
        write_page(store)
        whole = pending.read_bytes()
        store.write("docs/b", "md", "b", note=ChangeNote("k2"))
        added = pending.read_bytes()[len(whole) :]
    pending.write_bytes(whole + added[:cut])
    make(site, {"docs/b.md": "new b"})
    assert in_step(site) == 1


def test_what_a_power_cut_has_garbled_is_set_apart_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site = prepared(tmp_path)
    pending = site / STATE / FOLDER / NAME
    with opened(site) as (_, store):
        write_page(store)
    with pending.open("ab") as file:
        file.write(bytes(4096))
    assert in_step(site) == 1
    assert "missing in the history" in caplog.text
    assert [path.read_bytes() for path in pending.parent.glob("unreadable-*")] == [bytes(4096)]
