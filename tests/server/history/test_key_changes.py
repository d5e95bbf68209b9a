"""Changes of a key, undone in any order, give the same bytes; an undone undo gives those of before."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.store import ChangeNote, ContentStore
from server.history import History
from server.history.key_changes import undo_own

KEY, OWNER = ChangeNote(key="k1", label="agent"), ChangeNote(key="k2")
PAGES = ("docs/a", "docs/g/b", "pages/c")
STEPS = st.lists(st.tuples(st.sampled_from(PAGES), st.sampled_from(["", "One.\n", "Two.\n"])), max_size=6)


def _texts(site: Path) -> dict[str, bytes]:
    files = (file for file in site.rglob("*") if file.is_file() and ".twinpress" not in file.parts)
    return {file.relative_to(site).as_posix(): file.read_bytes() for file in files}


def _do(store: ContentStore, page: str, text: str, note: ChangeNote) -> None:
    if text:
        store.write(page, "md", text, note=note)
    elif any(store.root.glob(f"{page}.md")):
        store.delete(page, note=note)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(first=STEPS, steps=STEPS, counts=st.lists(st.integers(1, 3), max_size=4))
def test_whatever_a_key_did_is_undone_to_the_byte_and_done_again(
    first: list[tuple[str, str]], steps: list[tuple[str, str]], counts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        (site / ".twinpress" / "state").mkdir(parents=True)
        (site / "site.yml").write_text("title: T\n")
        with History(site / ".twinpress" / "state") as history, ContentStore(site, history) as store:
            for page, text in first:
                _do(store, page, text, OWNER)
            before = _texts(site)
            for page, text in steps:
                _do(store, page, text, KEY)
            after = _texts(site)
            for count in counts:
                undo_own(history, store, KEY, last=count)
            undo_own(history, store, KEY)
            assert _texts(site) == before
            history.catch_up()
            own = [each for each in history.revisions() if each.note.act == "undo"]
            for each in own:
                undo_own(history, store, KEY, change=each.id)
            assert _texts(site) == after
            undo_own(history, store, KEY)
            assert _texts(site) == before
