"""A change is whole or not at all: killed or refused at every single step, in real processes.

An audit hook sees each call by which Python opens, renames, links, removes or makes a file. It kills the
process, or has the system refuse the call, at the n-th of them, for every n.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builder.errors import StorageError
from builder.store import ContentStore, Replacement
from tests.builder.children import in_child
from tests.builder.trees import in_memory, make, names

EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir"}
MOST = 200

OLD = {"docs/g/a.mdx": "old", "docs/g/a.llms.md": "old twin", "docs/b.md": "b"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as made:
        yield made


def write_all(store: ContentStore) -> None:
    """Replaces page and twin, and removes the old format: three files of one change."""
    store.write("docs/g/a", "md", "new", "new twin")


def write_page(store: ContentStore) -> None:
    """Replaces one file."""
    store.write("docs/b", "md", "new b")


def write_into_new_folder(store: ContentStore) -> None:
    """Makes folders."""
    store.write("docs/x/y/z", "md", "new", "new twin")


def drop_twin(store: ContentStore) -> None:
    """Replaces one file and removes the other."""
    store.write("docs/g/a", "mdx", "new")


def delete(store: ContentStore) -> None:
    """Removes two files and a folder."""
    store.delete("docs/g/a")


def set_category(store: ContentStore) -> None:
    """Makes a file."""
    store.set_category("docs/g", {"label": "G"})


def move(store: ContentStore) -> None:
    """Removes two files and their folder, makes them elsewhere, and replaces a third, as one change."""
    gone = {"docs/g/a.mdx": b"old", "docs/g/a.llms.md": b"old twin"}
    made = {"docs/x/y.mdx": b"old", "docs/x/y.llms.md": b"old twin"}
    expected = {**gone, "docs/b.md": b"b", **dict.fromkeys(made)}
    store.put_back(
        Replacement(expected, {**dict.fromkeys(gone), **made, "docs/b.md": b"c"}, drop=("docs/g",))
    )


ACTS: list[Callable[[ContentStore], None]] = [
    write_all,
    write_page,
    write_into_new_folder,
    drop_twin,
    delete,
    set_category,
    move,
]


def at_step(wanted: int, strike: Callable[[], None]) -> None:
    """Have `strike` called at the n-th call from now on that changes or opens a file."""
    count = 0

    def hook(event: str, _: object) -> None:
        nonlocal count
        if event in EVENTS:
            count += 1
            if count == wanted:
                strike()

    sys.addaudithook(hook)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse() -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def content(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in names(folder)}


def prepared(folder: Path, state: str) -> Path:
    """A site with the old content, in which something has been written before."""
    site = make(folder / state, OLD)
    with ContentStore(site) as store:
        store.write("docs/b", "md", "b")
    return site


def after(folder: Path, act: Callable[[ContentStore], None]) -> dict[str, str]:
    site = prepared(folder, "after")
    with ContentStore(site) as store:
        act(store)
    return content(site)


@pytest.mark.parametrize("act", ACTS)
def test_a_process_killed_at_any_step_leaves_the_old_or_the_new(
    folder: Path, act: Callable[[ContentStore], None]
) -> None:
    new = after(folder, act)
    outcomes = []
    for step in range(1, MOST):
        site = prepared(folder, "site")

        def act_until_killed(site: Path = site, step: int = step) -> str:
            with ContentStore(site) as store:
                at_step(step, kill)
                act(store)
            return "done"

        said = in_child(act_until_killed)
        assert said in {"killed", "done"}
        with ContentStore(site):
            found = content(site)
        assert found in (OLD, new), f"killed at step {step}"
        outcomes.append(found == new)
        shutil.rmtree(site)
        if said == "done":
            break
    assert outcomes == sorted(outcomes), "once a change is decided, it is not taken back"
    assert outcomes[0] is False
    assert outcomes[-1] is True


@pytest.mark.parametrize("act", ACTS)
def test_a_system_that_refuses_any_step_leaves_the_old_and_says_so(
    folder: Path, act: Callable[[ContentStore], None]
) -> None:
    new = after(folder, act)
    hints = []
    for step in range(1, MOST):
        site = prepared(folder, "site")

        def act_until_refused(site: Path = site, step: int = step) -> str:
            with ContentStore(site) as store:
                at_step(step, refuse)
                try:
                    act(store)
                except StorageError as error:
                    return error.hint
                return "done"

        hints.append(in_child(act_until_refused))
        found = content(site)
        if hints[-1] == "done":
            # What was refused, if anything, was to tidy up; what is left of it is swept at the next start.
            found = {name: text for name, text in found.items() if "/.tp-" not in name}
            assert found == new, f"refused at step {step}"
        else:
            assert hints[-1] == "the disk may be failing"
            assert found == OLD, f"refused at step {step}"
        with ContentStore(site):
            assert content(site) == (new if hints[-1] == "done" else OLD), f"refused at step {step}"
        shutil.rmtree(site)
        if hints[-12:] == ["done"] * 12:
            break
    assert hints.count("the disk may be failing") > 3


def test_a_change_that_was_interrupted_is_finished_by_whoever_writes_next(tmp_path: Path) -> None:
    """No matter that the store was open already when the other process was killed."""
    site = prepared(tmp_path, "site")
    with ContentStore(site) as witness:
        for step in range(1, MOST):

            def act_until_killed(step: int = step) -> str:
                with ContentStore(site) as store:
                    at_step(step, kill)
                    write_all(store)
                return "done"

            in_child(act_until_killed)
            if (site / ".twinpress/state/journal.json").exists():
                break
        source = witness.read("docs/g/a")
        assert (source.text, source.twin) == ("new", "new twin")
        witness.write("docs/b", "md", "b2")
        assert not (site / ".twinpress/state/journal.json").exists()
