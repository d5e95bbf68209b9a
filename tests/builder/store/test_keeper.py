"""The changes that a keeper is told of, and its refusals; many files put back at once."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from builder.errors import InvalidPath, PageNotFound, PathConflict, RevisionMismatch, StorageError
from builder.store import ChangeAnnouncement, ChangeNote, ContentStore, Replacement
from tests.builder.trees import make, names

NOTE = ChangeNote("id", "label")


@dataclass
class Recorder:
    """A keeper that remembers what it is told, and refuses to keep anything when told so."""

    refuses: bool = False
    calls: list[str] = field(default_factory=list)
    changes: list[ChangeAnnouncement] = field(default_factory=list)

    def settle(self, root: int, state: int) -> None:
        self.calls.append("settle")

    def before(self, state: int, change: ChangeAnnouncement) -> None:
        if self.refuses:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.calls.append("before")
        self.changes.append(change)

    def done(self, root: int, state: int) -> None:
        self.calls.append("done")

    def withdrawn(self, state: int) -> None:
        self.calls.append("withdrawn")

    @property
    def files(self) -> list[tuple[str, bytes | None, bytes | None]]:
        """The files of the last change."""
        return [(each.file, each.old, each.new) for each in self.changes[-1].files]


def test_a_keeper_is_told_of_each_change_before_and_after_it(tmp_path: Path) -> None:
    site, keeper = make(tmp_path, {"docs/g/a.mdx": "old", "docs/g/a.llms.md": "twin"}), Recorder()
    with ContentStore(site, keeper) as store:
        store.write("docs/g/a", "md", "new", note=NOTE)
        assert keeper.files == [
            ("docs/g/a.md", None, b"new"),
            ("docs/g/a.mdx", b"old", None),
            ("docs/g/a.llms.md", b"twin", None),
        ]
        assert (keeper.changes[-1].note, keeper.changes[-1].made) == (NOTE, ())
        store.write("docs/x/y/b", "md", "b")
        assert keeper.changes[-1].made == ("docs/x", "docs/x/y")
        store.delete("docs/x/y/b", note=NOTE)
        assert (keeper.files, keeper.changes[-1].may_go) == (
            [("docs/x/y/b.md", b"b", None)],
            ("docs/x/y", "docs/x"),
        )
        store.set_category("docs/g", {"label": "G"}, note=NOTE)
        assert keeper.files == [("docs/g/_category_.yml", None, b"label: G\n")]
    assert keeper.calls == ["settle", "before", "done"] * 4


def test_a_keeper_hears_of_a_change_that_was_refused_and_of_none_that_was_not_begun(tmp_path: Path) -> None:
    keeper = Recorder()
    with ContentStore(make(tmp_path, {"docs/a.md": "a"}), keeper) as store, pytest.raises(PageNotFound):
        store.delete("docs/none")
    assert keeper.calls == ["settle", "settle"]


def test_what_cannot_be_kept_is_not_changed(tmp_path: Path) -> None:
    with ContentStore(make(tmp_path, {"docs/g/a.md": "a"}), Recorder(refuses=True)) as store:
        for act in (
            lambda: store.write("docs/g/a", "mdx", "new", "twin"),
            lambda: store.write("docs/new/b", "md", "new"),
            lambda: store.delete("docs/g/a"),
            lambda: store.set_category("docs/other", {"label": "x"}),
            lambda: store.put_back(Replacement({}, {"docs/c.md": b"c"})),
        ):
            with pytest.raises(StorageError, match="the disk is full"):
                act()
    assert names(tmp_path) == ["docs/g/a.md"]
    assert [path.name for path in (tmp_path / "docs").iterdir()] == ["g"]


def test_many_files_and_folders_are_put_back_as_one_change(tmp_path: Path) -> None:
    site, keeper = make(tmp_path, {"docs/a.mdx": "a", "docs/g/b.md": "b"}), Recorder()
    with ContentStore(site, keeper) as store:
        expected = {"docs/a.mdx": b"a", "docs/n/c.md": None}
        wanted = {"docs/a.md": b"A", "docs/a.mdx": None, "docs/n/c.md": b"c", "docs/g/b.md": None}
        store.put_back(Replacement(expected, wanted, ["docs/e/f"], ["docs/g", "docs"]), note=NOTE)
    assert names(tmp_path) == ["docs/a.md", "docs/n/c.md"]
    assert (tmp_path / "docs/e/f").is_dir()
    assert not (tmp_path / "docs/g").exists()
    assert keeper.changes[0].made == ("docs/n", "docs/e", "docs/e/f")
    assert len(keeper.changes) == 1


@pytest.mark.parametrize(
    ("expected", "wanted", "error"),
    [
        ({"docs/a.mdx": b"other"}, {"docs/a.mdx": b"x"}, RevisionMismatch),
        ({"docs/b.md": b"gone"}, {"docs/b.md": b"x"}, RevisionMismatch),
        ({}, {"docs/a.md": b"x"}, PathConflict),
        ({}, {"docs/A.mdx": b"x"}, PathConflict),
        ({}, {"docs/a.mdx/b.md": b"x"}, PathConflict),
        ({}, {"docs/folder.md": b"x"}, PathConflict),
        ({}, {"docs/../site.yml": b"x"}, InvalidPath),
        ({}, {"theme/page.html": b"x"}, InvalidPath),
        ({}, {"site.yaml": b"x"}, InvalidPath),
        ({}, {"docs/.hidden/a.md": b"x"}, InvalidPath),
        ({}, {"docs/../../outside.md": b"x"}, InvalidPath),
        ({}, {"docs/link/a.md": b"x"}, PathConflict),
        ({}, {"static/.htaccess": b"x"}, InvalidPath),
        ({}, {"docs/pictures": b"x"}, PathConflict),
        ({}, {"docs/pictures/A.png": b"x"}, PathConflict),
        ({}, {"docs/Pictures/b.png": b"x"}, PathConflict),
        ({}, {"docs/pictures/a.png/b.png": b"x"}, PathConflict),
    ],
)
def test_what_cannot_be_put_back_changes_nothing(
    tmp_path: Path, expected: dict[str, bytes], wanted: dict[str, bytes], error: type[Exception]
) -> None:
    site = make(
        tmp_path / "site", {"docs/a.mdx": "a", "docs/folder.md/inside.txt": "", "docs/pictures/a.png": ""}
    )
    make(tmp_path, {"outside/b.md": "b"})
    (site / "docs/link").symlink_to(tmp_path / "outside")
    before = names(tmp_path)
    with ContentStore(site) as store, pytest.raises(error):
        store.put_back(Replacement(expected, {"docs/new/n.md": b"n", **wanted}))
    assert [name for name in names(tmp_path) if not name.startswith("site/.twinpress")] == before
    assert not (site / "docs/new").exists()
