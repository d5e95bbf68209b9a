from __future__ import annotations

from pathlib import Path

import pytest

from builder.errors import InvalidPath, PathConflict
from builder.store import CategoryRecord, ContentStore
from tests.builder.trees import make, names


def test_a_category_is_set_field_by_field(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        assert store.set_category("docs/a", {"label": "A"}) == CategoryRecord("docs/a", "A")
        assert store.set_category("docs/a", {"position": 2.5}) == CategoryRecord("docs/a", "A", 2.5)
        record = store.set_category("docs/a", {"label": None, "collapsed": False})
        assert record == CategoryRecord("docs/a", None, 2.5, False)
        assert store.scan().categories == {"docs/a": record}
        assert (tmp_path / "docs/a/_category_.yml").read_text() == "position: 2.5\ncollapsed: false\n"
        store.set_category("docs/a", {"position": None, "collapsed": None})
        assert not (tmp_path / "docs/a").exists()
        assert store.set_category("docs/b", {"label": None}) == CategoryRecord("docs/b")
        assert not (tmp_path / "docs/b").exists()


def test_a_category_stays_in_the_file_that_it_has(tmp_path: Path) -> None:
    make(
        tmp_path,
        {"docs/a/_category_.json": '{"label": "A", "x": 1}', "docs/b/_category_.yaml": "# hi\nlabel: B\n"},
    )
    with ContentStore(tmp_path) as store:
        store.set_category("docs/a", {"position": 1})
        store.set_category("docs/b", {"position": 1})
    assert names(tmp_path) == ["docs/a/_category_.json", "docs/b/_category_.yaml"]
    assert (tmp_path / "docs/b/_category_.yaml").read_text() == "# hi\nlabel: B\nposition: 1\n"


@pytest.mark.parametrize("content", [b"label: [", b"\xff", b"#" * 70_000])
def test_a_category_file_that_cannot_be_read_is_not_overwritten(tmp_path: Path, content: bytes) -> None:
    make(tmp_path, {"docs/a/_category_.yml": content})
    with ContentStore(tmp_path) as store, pytest.raises(PathConflict):
        store.set_category("docs/a", {"label": "A"})
    assert (tmp_path / "docs/a/_category_.yml").read_bytes() == content


def test_a_value_that_a_category_cannot_have_changes_nothing(tmp_path: Path) -> None:
    with ContentStore(tmp_path) as store:
        with pytest.raises(ValueError, match="position: expected a number"):
            store.set_category("docs/a", {"position": "1"})
        with pytest.raises(InvalidPath):
            store.set_category("pages/a", {"label": "A"})
    assert names(tmp_path) == []
