from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from pathlib import Path

import pytest

from builder.errors import PageNotFound, PageTooLarge, StorageError
from builder.store import PAGE_LIMIT, ContentStore
from tests.builder.children import drop_privileges, in_child
from tests.builder.trees import make, said, scan
from tests.sites import nest


def test_symbolic_links_are_never_followed(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"secret.md": "secret", "_category_.yml": "label: secret"})
    site = make(tmp_path / "site", {"docs/a.md": "a"})
    (site / "docs/file.md").symlink_to(outside / "secret.md")
    (site / "docs/picture.png").symlink_to(outside / "secret.md")
    (site / "docs/folder").symlink_to(outside)
    (site / "docs/nowhere.md").symlink_to("nowhere")
    (site / "docs/b").mkdir()
    (site / "docs/b/_category_.yml").symlink_to(outside / "_category_.yml")
    (site / "pages").symlink_to(outside)
    found = scan(site)
    assert [page.path for page in found.pages] == ["docs/a"]
    assert (found.files, found.categories) == ((), {})
    assert [file for file, code in said(found) if code == "symlink-skipped"] == [
        "docs/b/_category_.yml",
        "docs/file.md",
        "docs/folder",
        "docs/nowhere.md",
        "docs/picture.png",
        "pages",
    ]
    with ContentStore(site) as store:
        for path in ("docs/file", "docs/folder/secret", "docs/nowhere", "pages/secret"):
            with pytest.raises(PageNotFound):
                store.read(path)
        for file in ("docs/picture.png", "docs/file.md", "pages/secret.md", "docs/folder/secret.md"):
            with pytest.raises(StorageError, match="symbolic link"):
                store.read_file(file)
            with pytest.raises(StorageError, match="symbolic link"):
                store.open_file(file)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Make what an editor, or somebody with bad intent, may leave in a folder of pages."""
    docs = (
        make(
            tmp_path,
            {
                "docs/good.md": "Good",
                "docs/nul-char.md": "a\n\0b",
                "docs/latin.md": b"\xef\xbb\xbfok\ncaf\xe9",
            },
        )
        / "docs"
    )
    os.mkfifo(docs / "pipe.mdx")
    os.mkfifo(docs / "pipe.png")
    (docs / "folder.mdx").mkdir()
    (docs / "folder.mdx/inner.md").write_text("x")
    here = os.open(docs, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/socket.mdx")  # the address of a socket must be short
    os.close(here)
    with (docs / "sparse.md").open("wb") as sparse:
        sparse.truncate(1 << 30)
    (docs / "wide.md").write_bytes("UTF-16".encode("utf-16"))
    for name in (b"\xff\xfe.md", b"\xff.png", b"new\nline.md", b"new\nline.png"):
        Path(os.fsdecode(os.fsencode(docs) + b"/" + name)).write_text("x")
    return tmp_path


def test_hostile_things_are_diagnostics_and_the_rest_is_fine(hostile: Path) -> None:
    found = scan(hostile)
    assert [page.path for page in found.pages] == ["docs/good", "docs/latin", "docs/nul-char", "docs/wide"]
    assert found.files == ()
    assert sorted(said(found)) == [
        ("docs/\\xff.png", "path-invalid"),
        ("docs/\\xff\\xfe.md", "path-invalid"),
        ("docs/folder.mdx", "page-unreadable"),
        ("docs/new\nline.md", "path-invalid"),
        ("docs/new\nline.png", "path-invalid"),
        ("docs/pipe.mdx", "page-unreadable"),
        ("docs/pipe.png", "page-unreadable"),
        ("docs/socket.mdx", "page-unreadable"),
        ("docs/sparse.md", "page-too-large"),
    ]
    assert all(each.file.encode() for each in found.diagnostics)


def test_hostile_things_cannot_be_read_as_pages(hostile: Path) -> None:
    with ContentStore(hostile) as store:
        for path in ("docs/pipe", "docs/folder", "docs/socket", "docs/absent"):
            with pytest.raises(PageNotFound):
                store.read(path)
        with pytest.raises(PageTooLarge):
            store.read("docs/sparse")
        for file in ("docs/pipe.mdx", "docs/folder.mdx", "docs/socket.mdx", "docs/sparse.md"):
            with pytest.raises(StorageError):
                store.read_file(file)


def test_text_that_is_none_is_read_with_a_diagnostic_at_the_byte(hostile: Path) -> None:
    with ContentStore(hostile) as store:
        latin, wide, nul = (store.read(f"docs/{name}") for name in ("latin", "wide", "nul-char"))
    assert latin.text == "\ufeffok\ncaf\ufffd"
    assert [(each.code, each.line, each.column) for each in latin.diagnostics] == [("page-encoding", 2, 4)]
    assert [(each.code, each.line, each.column) for each in wide.diagnostics] == [("page-encoding", 1, 1)]
    assert "UTF-16" in wide.diagnostics[0].hint
    assert nul.text == "a\n\0b"
    assert [(each.code, each.line, each.column) for each in nul.diagnostics] == [("nul-character", 2, 1)]


def test_a_twin_that_is_too_large_is_named_and_its_page_is_read(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "a", "docs/a.llms.md": "x" * (PAGE_LIMIT + 1)})
    with ContentStore(tmp_path) as store:
        found, source = store.scan(), store.read("docs/a")
    assert said(found) == [("docs/a.llms.md", "page-too-large")]
    assert (source.text, source.twin) == ("a", None)
    assert [(each.file, each.code) for each in source.diagnostics] == [("docs/a.llms.md", "page-too-large")]


def test_a_page_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "x" * PAGE_LIMIT, "docs/b.md": "x" * (PAGE_LIMIT + 1)})
    with ContentStore(tmp_path) as store:
        assert [page.path for page in store.scan().pages] == ["docs/a"]
        assert len(store.read("docs/a").text) == PAGE_LIMIT
        with pytest.raises(PageTooLarge):
            store.read("docs/b")


def test_folders_without_end_come_to_an_end(tmp_path: Path) -> None:
    nest(make(tmp_path, {"docs/a.md": ""}) / "docs", "deeper", 200)
    found = scan(tmp_path)
    assert [page.path for page in found.pages] == ["docs/a"]
    assert [each.code for each in found.diagnostics] == ["path-invalid"]
    while (tmp_path / "docs/deeper").exists():  # too deep a path for those who tidy up
        with contextlib.chdir(tmp_path / "docs/deeper"):
            subprocess.run(["rm", "-rf", "deeper"], check=True)
        (tmp_path / "docs/deeper").rmdir()


def test_what_this_user_may_not_read_is_named_and_the_rest_is_fine(tmp_path: Path) -> None:
    make(tmp_path, {"docs/good.md": "Good", "docs/locked.md": "x", "docs/closed/a.md": "x"})
    tmp_path.chmod(0o755)
    (tmp_path / "docs/locked.md").chmod(0)
    (tmp_path / "docs/closed").chmod(0)
    (tmp_path / "docs").chmod(0o555)

    def act() -> str:
        with ContentStore(tmp_path) as store:
            drop_privileges()
            found = store.scan()
            lines = [str([page.path for page in found.pages]), str(said(found)), store.read("docs/good").text]
            with pytest.raises(StorageError) as refused:
                store.read("docs/locked")
            lines.append(str(refused.value))
            with pytest.raises(StorageError) as refused:
                store.write("docs/new", "md", "x")
            return "\n".join([*lines, str(refused.value)])

    lines = in_child(act).splitlines()
    (tmp_path / "docs").chmod(0o755)
    (tmp_path / "docs/closed").chmod(0o755)
    assert lines == [
        "['docs/good', 'docs/locked']",
        "[('docs/closed', 'page-unreadable')]",
        "Good",
        "docs/locked: the file system refuses: Permission denied (give yourself the right to it)",
        "docs/new: the file system refuses: Permission denied (give yourself the right to it)",
    ]


@pytest.mark.parametrize("begun", [False, True])
def test_a_site_that_this_user_may_not_write_is_read_unless_a_change_in_it_was_interrupted(
    tmp_path: Path, begun: bool
) -> None:
    make(tmp_path, {"docs/a.md": "a"})
    with ContentStore(tmp_path) as store:
        store.write("docs/b", "md", "b")
    tmp_path.chmod(0o755)
    state = tmp_path / ".twinpress/state"
    state.chmod(0o555)
    (state / "lock").chmod(0o444)
    if begun:
        make(tmp_path, {".twinpress/state/journal.json": '{"steps": []}'})

    def act() -> str:
        os.chdir(tmp_path)  # this user may not pass through the folders above
        drop_privileges()
        try:
            with ContentStore(Path()) as store:
                return f"{store.read('docs/a').text} {len(store.scan().pages)}"
        except StorageError as error:
            return f"{error.path}: {error.hint}"

    assert in_child(act) == (".: give yourself the right to it" if begun else "a 2")
