from __future__ import annotations

from pathlib import Path

import pytest

from builder.errors import PageNotFound
from builder.store import ContentStore
from tests.builder.trees import make


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_hidden_files_are_none_of_the_site(tmp_path: Path) -> None:
    make(
        tmp_path,
        {".env": "secret", ".twinpress/state/keys": "secret", "docs/.git/config": "secret", "site.yml": "a"},
    )
    with ContentStore(tmp_path) as store:
        assert store.read_file("site.yml") == b"a"
        for file in (
            ".env",
            ".twinpress/state/keys",
            "docs/.git/config",
            "../x",
            "docs/../.env",
            "",
            "/etc/passwd",
            "a\0",
            "\ud800",
        ):
            with pytest.raises(FileNotFoundError):
                store.read_file(file)
            with pytest.raises(FileNotFoundError):
                store.open_file(file)


def test_a_file_can_be_read_as_a_stream(tmp_path: Path) -> None:
    make(tmp_path, {"static/big.bin": b"x" * 3_000_000})
    with ContentStore(tmp_path) as store, store.open_file("static/big.bin") as stream:
        assert len(stream.read()) == 3_000_000


def test_reading_leaves_nothing_behind(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "a"})
    with ContentStore(tmp_path) as store:
        store.scan()
        store.read("docs/a")
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a/b/c.md": "a", "docs/a/b/c.llms.md": "a"})
    before = open_descriptors()
    with ContentStore(tmp_path) as store:
        for _ in range(3):
            store.scan()
            store.read("docs/a/b/c")
            store.write("docs/a/b/d", "md", "x", "twin")
            store.delete("docs/a/b/d")
            with pytest.raises(PageNotFound):
                store.read("docs/a/b/x")
        assert open_descriptors() == before + 1
    assert open_descriptors() == before
