"""Files that are no pages: settings and images, replaced as safely as pages are."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.errors import InvalidPath, PathConflict, RevisionMismatch, TwinpressError
from builder.store import ContentStore


def test_a_file_is_created_replaced_and_removed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with ContentStore(tmp_path) as store:
        for file in ("site.yml", "static/img/boat.png", "docs/guide/plan.svg", "static/.well-known/x.txt"):
            store.replace_file(file, b"one", expected=None)
            assert store.read_file(file) == b"one"
            store.replace_file(file, b"two", expected=b"one")
            assert (tmp_path / file).read_bytes() == b"two"
            store.replace_file(file, None, expected=b"two")
            assert not (tmp_path / file).exists()


@pytest.mark.parametrize(
    "file",
    ["docs/a.md", "docs/a.mdx", "docs/a.llms.md", "docs/_category_.yml", "pages/a.md", "static/.hidden",
     "x.png", ".twinpress/state/x", "static/../x", "static", "static//x", "docs/.git/x", "theme/page.html",
     "/etc/x", "docs/.well-known/x.txt", "static/a\\b.png", "static/boat\u202egnp.exe", "static/a\nb.png"],
)  # fmt: skip
def test_other_names_are_refused(tmp_path: Path, file: str) -> None:
    (tmp_path / "docs").mkdir()
    with ContentStore(tmp_path) as store, pytest.raises(InvalidPath):
        store.replace_file(file, b"one", expected=None)
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]


def test_what_somebody_else_has_saved_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "site.yml").write_bytes(b"theirs")
    with ContentStore(tmp_path) as store:
        for expected in (None, b"older"):
            with pytest.raises(RevisionMismatch):
                store.replace_file("site.yml", b"mine", expected=expected)
        with pytest.raises(RevisionMismatch):
            store.replace_file("static/a/b.png", b"mine", expected=b"older")
    assert (tmp_path / "site.yml").read_bytes() == b"theirs"
    assert not (tmp_path / "static").exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    site, other = tmp_path / "site", tmp_path / "other"
    site.mkdir()
    other.mkdir()
    (site / "static").symlink_to(other)
    with ContentStore(site) as store, pytest.raises(PathConflict):
        store.replace_file("static/a.png", b"one", expected=None)
    assert not list(other.iterdir())


def test_who_may_not_any_more_changes_nothing(tmp_path: Path) -> None:
    def refuse() -> None:
        raise TwinpressError("no")

    with ContentStore(tmp_path) as store, pytest.raises(TwinpressError, match="no"):
        store.replace_file("site.yml", b"one", expected=None, permit=refuse)
    assert not (tmp_path / "site.yml").exists()


def test_a_file_beside_one_that_differs_only_in_case_is_refused(tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    with ContentStore(tmp_path) as store:
        store.replace_file("static/Logo.png", b"one", expected=None)
        with pytest.raises(PathConflict, match=r"Logo\.png"):
            store.replace_file("static/logo.png", b"two", expected=None)
    assert [path.name for path in (tmp_path / "static").iterdir()] == ["Logo.png"]


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.replace_file("static/a/b.png", b"one", expected=None)
        with pytest.raises(PathConflict, match="a folder"):
            store.replace_file("static/a", b"two", expected=None)
        with pytest.raises(PathConflict):
            store.replace_file("static/a/b.png/c.png", b"two", expected=None)
    assert (tmp_path / "static/a/b.png").read_bytes() == b"one"


def test_what_an_interrupted_change_of_a_file_has_left_is_swept(tmp_path: Path) -> None:
    left = [tmp_path / folder / ".tp-0123456789abcdef.tmp" for folder in ("", "static", "docs/img")]
    for path in left:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
    (tmp_path / ".twinpress/state").mkdir(parents=True)
    with ContentStore(tmp_path):
        assert not any(path.exists() for path in left)
