from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builder.errors import (
    InvalidPath,
    PageLimitReached,
    PageNotFound,
    PageTooLarge,
    PathConflict,
    RevisionMismatch,
)
from builder.store import PAGE_LIMIT, CategoryRecord, ContentStore, Written
from builder.store.names import other_spelling
from tests.builder.trees import make, names, snapshot


def test_a_page_is_created_and_then_replaced(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        first = store.write("docs/guide/a", "mdx", "One")
        assert first == Written(first.revision, True, "docs/guide/a.mdx")
        second = store.write("docs/guide/a", "mdx", "Two")
        assert second == Written(second.revision, False, "docs/guide/a.mdx")
        source = store.read("docs/guide/a")
    assert (source.text, source.revision) == ("Two", second.revision)
    assert first.revision != second.revision
    assert names(tmp_path) == ["docs/guide/a.mdx"]


def test_another_format_replaces_the_file_and_never_leaves_two(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        first = store.write("docs/a", "mdx", "One", "Twin")
        second = store.write("docs/a", "md", "One", "Twin")
        assert names(tmp_path) == ["docs/a.llms.md", "docs/a.md"]
        assert first.revision != second.revision
        assert not second.created
        store.write("docs/a", "mdx", "One")
    assert names(tmp_path) == ["docs/a.mdx"]


def test_a_page_that_has_both_formats_has_one_after_a_write(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "x", "docs/a.mdx": "y"})
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "z")
    assert names(tmp_path) == ["docs/a.md"]


def test_a_twin_is_written_kept_and_removed_with_its_page(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        with_twin = store.write("pages/about", "md", "One", "Twin")
        assert store.read("pages/about").twin == "Twin"
        assert store.write("pages/about", "md", "Two", "Twin").revision != with_twin.revision
        assert (store.read("pages/about").text, store.read("pages/about").twin) == ("Two", "Twin")
        assert store.write("pages/about", "md", "Two", "").revision != with_twin.revision
        assert store.read("pages/about").twin == ""
        store.write("pages/about", "md", "Two")
        assert store.read("pages/about").twin is None
    assert names(tmp_path) == ["pages/about.md"]


def test_a_write_can_ask_for_the_revision_that_was_read(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        read = store.write("docs/a", "md", "One").revision
        (tmp_path / "docs/a.md").write_text("an editor's save")
        with pytest.raises(RevisionMismatch):
            store.write("docs/a", "md", "Two", if_match=read)
        assert store.read("docs/a").text == "an editor's save"
        store.write("docs/a", "md", "Two", if_match=store.read("docs/a").revision)
        store.write("docs/a", "md", "Three", if_match="*")
        with pytest.raises(RevisionMismatch):
            store.write("docs/b", "md", "Two", if_match="*")
        with pytest.raises(RevisionMismatch):
            store.delete("docs/a", if_match=read)
    assert names(tmp_path) == ["docs/a.md"]


def test_a_write_can_ask_that_there_is_no_page_yet(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "One", create_only=True)
        with pytest.raises(RevisionMismatch):
            store.write("docs/a", "mdx", "Two", create_only=True)
        assert store.read("docs/a").text == "One"


@pytest.mark.parametrize(
    ("path", "words"), [("docs/A", "`a.md`"), ("docs/Guide/b", "`docs/guide`"), ("docs/É", "`é.md`")]
)
def test_a_path_that_differs_only_in_case_is_a_conflict(tmp_path: Path, path: str, words: str) -> None:
    make(tmp_path, {"docs/a.md": "x", "docs/guide/a.md": "x", "docs/e\u0301.md": "x"})
    before = snapshot(tmp_path)
    with ContentStore(tmp_path) as store, pytest.raises(PathConflict, match="only in case") as conflict:
        store.write(path, "mdx", "y")
    assert words in str(conflict.value).replace("e\u0301", "\u00e9")
    assert snapshot(tmp_path, without=".twinpress") == before


def test_a_name_is_no_other_spelling_of_itself(tmp_path: Path) -> None:
    """It may come to stand there between two looks: editors move the old file away and a new one in."""
    site = make(tmp_path, {"docs/race.mdx": "", "docs/Other.md": ""})
    folder = os.open(site / "docs", os.O_RDONLY)
    try:
        spelled = [other_spelling(folder, name) for name in ("race", "Race", "other", "Other", "none")]
    finally:
        os.close(folder)
    assert spelled == [None, "race.mdx", "Other.md", None, None]


def test_a_name_in_nfd_is_replaced_in_its_place(tmp_path: Path) -> None:
    make(tmp_path, {"docs/e\u0301/a\u0300.md": "x", "docs/e\u0301/a\u0300.llms.md": "x"})
    with ContentStore(tmp_path) as store:
        assert not store.write("docs/\u00e9/\u00e0", "md", "y", "z").created
        assert store.read("docs/\u00e9/\u00e0").text == "y"
        assert names(tmp_path) == ["docs/e\u0301/a\u0300.llms.md", "docs/e\u0301/a\u0300.md"]
        store.delete("docs/\u00e9/\u00e0")
    assert list(tmp_path.glob("docs/*")) == []


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    make(tmp_path, {"secret.md": "secret", "docs/file": "x"})
    (tmp_path / "docs/link.md").symlink_to("../secret.md")
    (tmp_path / "docs/folder.mdx").mkdir()
    (tmp_path / "docs/twin.llms.md").mkdir()
    (tmp_path / "docs/away").symlink_to("/")
    before = snapshot(tmp_path)
    with ContentStore(tmp_path) as store:
        for path in ("docs/link", "docs/folder", "docs/twin", "docs/away/x", "docs/file/x"):
            with pytest.raises(PathConflict):
                store.write(path, "md", "y", "twin")
            with pytest.raises(PageNotFound):
                store.delete(path)
    assert snapshot(tmp_path, without=".twinpress") == before


def test_a_page_may_have_the_limit_and_no_byte_more(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "x" * PAGE_LIMIT, "y" * PAGE_LIMIT)
        for text, twin in (("é" * PAGE_LIMIT, None), ("x", "x" * (PAGE_LIMIT + 1))):
            with pytest.raises(PageTooLarge):
                store.write("docs/a", "md", text, twin)
        assert store.read("docs/a").text == "x" * PAGE_LIMIT


def test_text_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "One")
        with pytest.raises(UnicodeEncodeError):
            store.write("docs/a", "md", "\ud800")
        with pytest.raises(InvalidPath):
            store.write("docs/../a", "md", "x")
    assert names(tmp_path) == ["docs/a.md"]


def test_delete_takes_page_twin_and_empty_folders(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a/b/c.md": "", "docs/a/b/c.mdx": "", "docs/a/b/c.llms.md": "", "docs/a/x.md": ""})
    with ContentStore(tmp_path) as store:
        store.delete("docs/a/b/c")
        assert not (tmp_path / "docs/a/b").exists()
        store.delete("docs/a/x")
        assert (tmp_path / "docs").exists()
        assert not (tmp_path / "docs/a").exists()
        with pytest.raises(PageNotFound):
            store.delete("docs/a/x")


def test_delete_leaves_a_folder_with_its_category_file(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a/b.md": "", "docs/a/_category_.yml": "label: A"})
    with ContentStore(tmp_path) as store:
        store.delete("docs/a/b")
        assert store.scan().categories == {"docs/a": CategoryRecord("docs/a", "A")}


def test_a_refused_write_leaves_the_folders_as_they_were(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "", "docs/empty/x.md/inside": ""})
    before = snapshot(tmp_path)
    with ContentStore(tmp_path) as store:
        for path in ("docs/empty/x", "docs/new/A/../b", "docs/EMPTY/new/page"):
            with pytest.raises((PathConflict, InvalidPath)):
                store.write(path, "md", "x")
    assert snapshot(tmp_path, without=".twinpress") == before


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "x"})
    (tmp_path / "docs/a.md").chmod(0o640)
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "y", "twin")
    assert stat.S_IMODE((tmp_path / "docs/a.md").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_belongs_to_whom_it_belonged_to_so_that_an_editor_can_save_it(
    tmp_path: Path,
) -> None:
    make(tmp_path, {"docs/a.md": "x", "docs/theirs/b.md": "x"})
    os.chown(tmp_path / "docs/a.md", 1001, 1002)
    os.chown(tmp_path / "docs/theirs", 1003, 1004)
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "y", "twin")
        store.write("docs/theirs/b", "md", "y")
        store.write("docs/theirs/new/c", "md", "y")
    owners = {name: ((found := (tmp_path / name).stat()).st_uid, found.st_gid) for name in names(tmp_path)}
    assert owners == {
        "docs/a.md": (1001, 1002),
        "docs/a.llms.md": (0, 0),
        "docs/theirs/b.md": (0, 0),
        "docs/theirs/new/c.md": (1003, 1004),
    }
    assert (tmp_path / "docs/theirs/new").stat().st_uid == 1003


def test_a_site_takes_so_many_pages_and_no_more(tmp_path: Path) -> None:
    with ContentStore(make(tmp_path / "other", {"docs/a.md": "a", "pages/b.mdx": "b"})) as store:
        with pytest.raises(PageLimitReached):
            store.write("docs/c", "md", "c", most=2)
        store.write("docs/c", "md", "c", most=3)
    make(tmp_path, {"docs/a.md": "a", "docs/a.llms.md": "twin", "docs/x.md/y": "", "docs/deep/er/b.mdx": "b"})
    with ContentStore(tmp_path) as store:
        for most in (0, 1, 2):
            with pytest.raises(PageLimitReached):
                store.write("docs/c", "md", "c", most=most)
        store.write("docs/a", "mdx", "new", most=2)
        store.write("docs/c", "md", "c", most=3)
        with pytest.raises(PageLimitReached):
            store.rehearse("docs/d", "md", "d", most=3)
        assert store.rehearse("docs/a", "md", "d", most=3).created is False


LARGE = "x" * (PAGE_LIMIT + 1)


def test_a_twin_that_is_too_large_to_be_read_stays_and_is_part_of_the_revision(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "a", "docs/a.llms.md": LARGE})
    with ContentStore(tmp_path) as store:
        before = store.read("docs/a").revision
        written = store.write("docs/a", "md", "b", if_match=before)
        assert (written.large_twin, written.removed) == ("docs/a.llms.md", ())
        assert (tmp_path / "docs/a.llms.md").read_text() == LARGE
        assert store.read("docs/a").revision == written.revision != before
        make(tmp_path, {"docs/a.llms.md": LARGE + "x"})
        for act in (lambda: store.write("docs/a", "md", "c", if_match=written.revision),
                    lambda: store.delete("docs/a", if_match=written.revision)):  # fmt: skip
            with pytest.raises(RevisionMismatch):
                act()
        assert store.write("docs/a", "md", "c", "new twin").large_twin == ""
        assert store.read("docs/a").twin == "new twin"


def test_a_page_in_both_formats_has_another_revision_when_either_changes(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "a", "docs/a.mdx": "a"})
    with ContentStore(tmp_path) as store:
        before = store.read("docs/a").revision
        make(tmp_path, {"docs/a.md": "b"})
        with pytest.raises(RevisionMismatch):
            store.write("docs/a", "mdx", "c", if_match=before)
        assert (tmp_path / "docs/a.md").read_text() == "b"


def test_the_stores_own_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "y")
    assert stat.S_IMODE((tmp_path / ".twinpress/state").stat().st_mode) == 0o700


TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\ufeffa", "a\r\nb\rc\n", "\0", ""]
)
FORMATS: list[Literal["md", "mdx"]] = ["md", "mdx"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(TEXTS, st.none() | TEXTS, st.sampled_from(FORMATS))
def test_what_is_written_is_read_to_the_byte(
    tmp_path: Path, text: str, twin: str | None, format: Literal["md", "mdx"]
) -> None:
    with ContentStore(tmp_path) as store:
        written = store.write("docs/a", format, text, twin)
        source = store.read("docs/a")
        assert (source.text, source.twin, source.format) == (text, twin, format)
        assert (source.revision, source.file) == (written.revision, written.file)
        assert (tmp_path / written.file).read_bytes() == text.encode()
    assert len(names(tmp_path)) == 1 + (twin is not None)
