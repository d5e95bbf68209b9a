"""Names that change places in one step, and what is done where the system knows no such step."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import RevisionMismatch
from builder.store import ContentStore, atomic_rename, replace_file
from builder.store.atomic_rename import Unsupported, exchange, has_exchange, move, replace_in_steps
from tests.builder.trees import make

FILES = {"one": "1", "other": "2"}


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture(params=["a system that exchanges", "a system that does not"])
def exchanges(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Tell whether names can be exchanged."""
    able = request.param == "a system that exchanges"
    if not able:
        monkeypatch.setattr(atomic_rename, "_NAME", "")
    atomic_rename._call.cache_clear()
    yield able
    atomic_rename._call.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    """A folder with two files."""
    descriptor = os.open(make(tmp_path, FILES), os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_two_files_have_each_others_names_or_nothing_has_changed(
    tmp_path: Path, folder: int, exchanges: bool
) -> None:
    if exchanges:
        exchange(folder, "one", "other")
        assert content(tmp_path) == {"one": "2", "other": "1"}
        return
    with pytest.raises(Unsupported):
        exchange(folder, "one", "other")
    assert content(tmp_path) == FILES


def test_whether_it_can_be_done_is_found_out_and_leaves_nothing(
    tmp_path: Path, folder: int, exchanges: bool
) -> None:
    assert has_exchange(folder) is exchanges
    assert content(tmp_path) == FILES


@pytest.mark.usefixtures("exchanges")
def test_a_file_is_moved_and_takes_no_others_place(tmp_path: Path, folder: int) -> None:
    with pytest.raises(FileExistsError):
        move(folder, "one", "other")
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        move(folder, "one", "link")
    (tmp_path / "link").unlink()
    with pytest.raises(FileNotFoundError):
        move(folder, "none", "third")
    assert content(tmp_path) == FILES
    move(folder, "one", "third")
    assert content(tmp_path) == {"third": "1", "other": "2"}


def test_in_steps_the_old_file_has_the_other_name_in_the_end(tmp_path: Path, folder: int) -> None:
    assert replace_in_steps(folder, "one", "other")
    assert content(tmp_path) == {"one": "2", "other": "1"}
    with pytest.raises(FileNotFoundError):
        replace_in_steps(folder, "one", "none")
    with pytest.raises(FileNotFoundError):
        replace_in_steps(folder, "none", "other")
    assert content(tmp_path) == {"one": "2", "other": "1"}


def refuse(number: int) -> None:
    raise OSError(number, os.strerror(number))


def test_where_no_file_has_two_names_the_old_one_is_no_more(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", lambda *_, **__: refuse(errno.EPERM))
    assert not replace_in_steps(folder, "one", "other")
    assert content(tmp_path) == {"other": "1"}


@pytest.mark.usefixtures("exchanges")
def test_a_file_that_is_not_the_one_that_was_meant_stays(tmp_path: Path, folder: int) -> None:
    with pytest.raises(RevisionMismatch):
        replace_file.replace(folder, "one", "other", lambda *_: False)
    with pytest.raises(RevisionMismatch):
        replace_file.replace(folder, "one", "none", lambda *_: True)
    with pytest.raises(RevisionMismatch):
        replace_file.remove(folder, "other", lambda *_: False)
    with pytest.raises(RevisionMismatch):
        replace_file.remove(folder, "none", lambda *_: True)
    with pytest.raises(RevisionMismatch):
        replace_file.create(folder, "one", "other")
    assert content(tmp_path) == FILES


@pytest.mark.usefixtures("exchanges")
def test_pages_are_changed_all_the_same(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "docs/a.llms.md": "twin"})
    with ContentStore(site) as store:
        store.write("docs/a", "md", "new", "twin")
        store.write("docs/a", "mdx", "newer", "new twin")
        store.write("docs/b", "md", "b", create_only=True)
        store.set_category("docs/c", {"label": "C"})
        store.write("docs/gone", "md", "x", "y")
        store.delete("docs/gone")
        found = {path.name: path.read_text() for path in (site / "docs").rglob("*") if path.is_file()}
    assert found == {
        "a.mdx": "newer",
        "a.llms.md": "new twin",
        "b.md": "b",
        "_category_.yml": found["_category_.yml"],
    }
