"""A page that this store has just written itself is taken to be whole: nobody else is half way through it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.store import ContentStore, open_elsewhere
from tests.builder.trees import make

Save = Callable[[Path], object]


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the store waits; the time goes by as always."""
    kept, sleep = list[float](), time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: (kept.append(seconds), sleep(seconds)))
    return kept


@pytest.mark.parametrize("twins", [(None, None), ("a twin", "another"), (None, "a twin")])
def test_a_page_is_written_again_and_again_without_waiting(
    tmp_path: Path, waited: list[float], twins: tuple[str | None, str | None]
) -> None:
    make(tmp_path, {"docs/a.md": "first"})
    os.utime(tmp_path / "docs/a.md", (0, 0))
    with ContentStore(tmp_path) as store:
        for number in range(5):
            now = store.read("docs/a").revision
            store.write("docs/a", "md", f"text {number}", twins[number % 2], if_match=now)
        store.delete("docs/a", if_match=store.read("docs/a").revision)
    assert waited == []


@pytest.mark.parametrize(
    "save",
    [
        lambda file: file.write_text("by an editor\n"),
        lambda file: file.with_name("b").write_text("by one\n") and file.with_name("b").replace(file),
    ],
    ids=["in place", "another file"],
)
def test_one_that_somebody_else_has_just_saved_is_waited_for(
    tmp_path: Path, waited: list[float], monkeypatch: pytest.MonkeyPatch, save: Save
) -> None:
    monkeypatch.setattr(open_elsewhere, "SETTLED", 1_000_000_000)
    make(tmp_path, {"docs/a.md": "first"})
    with ContentStore(tmp_path) as store:
        store.write("docs/a", "md", "by the store", None, if_match=store.read("docs/a").revision)
        save(tmp_path / "docs/a.md")
        waited.clear()
        store.write("docs/a", "md", "again", None, if_match=store.read("docs/a").revision)
    assert len(waited) == 1
