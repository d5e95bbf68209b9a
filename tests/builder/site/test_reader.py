"""Pages that are read after they were listed."""

from __future__ import annotations

from pathlib import Path

from builder.site.reader import read
from builder.store import ContentStore
from tests.builder.trees import make


def test_a_page_that_was_deleted_since_it_was_listed_is_no_fault(tmp_path: Path) -> None:
    with ContentStore(make(tmp_path / "site", {"docs/a.md": "a", "docs/g/b.md": "b"})) as store:
        pages = store.scan().pages
        (tmp_path / "site/docs/a.md").unlink()
        (tmp_path / "site/docs/g/b.md").unlink()
        (tmp_path / "site/docs/g").rmdir()
        assert [(each.page, each.diagnostics) for each in (read(store, file) for file in pages)] == [
            (None, ())
        ] * 2


def test_a_page_that_is_there_and_cannot_be_read_is_told(tmp_path: Path) -> None:
    with ContentStore(make(tmp_path / "site", {"docs/a.md": "a"})) as store:
        [page] = store.scan().pages
        (tmp_path / "site/docs/a.md").unlink()
        (tmp_path / "site/docs/a.md").mkdir()
        assert [each.code for each in read(store, page).diagnostics] == ["page-unreadable"]
