"""Own changes undone among those of others: the bytes of others stay, and an undo can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from builder.errors import PageNotFound
from builder.store import ChangeNote, ContentStore
from server.history import History, undo
from server.history.own_changes import (
    ALL,
    UndoChoice,
    UndoneAlready,
    UnknownChange,
    change_id,
    chosen,
    plan_undo,
    undone_among,
)
from server.history.recent_revisions import RecentRevisions
from server.history.restoring import put
from server.history.revision import Revision
from tests.builder.trees import make
from tests.server.history.sites import AGENT, OTHER, files, opened, tree

SITE = {"site.yml": "title: T\n", "docs/a.md": "a", "docs/g/b.mdx": "b", "docs/g/b.llms.md": "twin"}
PATHS = ["docs/a", "docs/g/b", "docs/g/c", "docs/new/d"]
Who = Literal["own", "other", "editor"]


class Work:
    """Writers of one site; each change of a key gets the number of its turn as id."""

    def __init__(self, site: Path, history: History, store: ContentStore) -> None:
        self.site, self.history, self.store = site, history, store
        self.past = RecentRevisions(history)
        self._turn = 0

    def note(self, who: ChangeNote, **more: str) -> ChangeNote:
        self._turn += 1
        return replace(who, id=f"{self._turn:016x}", **more)

    def do(self, who: Who, path: str, text: str) -> None:
        """Write a page, or delete it where the text is empty."""
        if who == "editor":
            self.save(path, text)
            return
        note = self.note(AGENT if who == "own" else OTHER)
        if text:
            self.store.write(path, "md" if len(text) % 2 else "mdx", text, text[1:] or None, note=note)
            return
        try:
            self.store.delete(path, note=note)
        except PageNotFound:
            self.store.set_category("docs/g", {"position": self._turn}, note=note)

    def save(self, path: str, text: str) -> None:
        found = [self.site / f"{path}{suffix}" for suffix in (".md", ".mdx")]
        file = next((each for each in found if each.exists()), found[0])
        if text:
            make(self.site, {file.relative_to(self.site).as_posix(): text})
        else:
            file.unlink(missing_ok=True)

    def revisions(self) -> Sequence[Revision]:
        self.history.catch_up()
        return self.past.last(1_000)[0]

    def undo(self, choice: UndoChoice) -> tuple[str, tuple[str, ...]]:
        """Undo own changes; gives the id of the undo, or "", and files in conflict."""
        revisions = self.revisions()
        changes = chosen(revisions, AGENT.key, choice)
        plan = plan_undo(revisions, changes, self.history.files_at(revisions[0].id))
        if plan.conflicts or not plan.changes:
            return "", tuple(file for one in plan.conflicts for file in one.files)
        about = ALL if choice.is_all else " ".join(map(change_id, changes))
        note = self.note(AGENT, act="undo", about=about)
        put(self.history, self.store, dict(plan.changes), note, make=plan.make, drop=plan.drop)
        return note.id, ()


turns = st.lists(
    st.tuples(
        st.sampled_from(["own", "other", "editor"]), st.sampled_from(PATHS), st.text("xyz", max_size=3)
    ),
    min_size=1,
    max_size=10,
)
choices = st.one_of(st.just(UndoChoice()), st.builds(UndoChoice, last=st.integers(1, 4)))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(turns=turns, choice=choices)
def test_others_keep_every_byte_and_the_undo_of_an_undo_gives_the_bytes_back(
    turns: list[tuple[Who, str, str]], choice: UndoChoice
) -> None:
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        site = make(Path(folder) / "site", SITE)
        with opened(site) as (history, store):
            work = Work(site, history, store)
            history.catch_up()
            start = work.revisions()[0].id
            for who, path, text in turns:
                work.do(who, path, text)
            before = tree(site)
            revisions = work.revisions()
            undone, conflicts = work.undo(choice)
            after = tree(site)
            own = {each.file for rev in revisions if rev.note.key == AGENT.key for each in rev.files}
            last_by = {each.file: rev.note.key for rev in reversed(revisions) for each in rev.files}
            for name, data in before.items():
                if data is not None and (name not in own or last_by[name] != AGENT.key):
                    assert after.get(name) == data
            if conflicts:
                assert after == before
            elif choice.is_all and all(who == "own" for who, _, _ in turns):
                assert history.files_at(work.revisions()[0].id) == history.files_at(start)
            if undone:
                work.undo(UndoChoice((undone,)))
                assert files(site) == {name: data for name, data in before.items() if data is not None}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return make(tmp_path / "site", SITE)


def test_what_is_undone_is_told_also_of_undos_that_are_undone(site: Path) -> None:
    with opened(site) as (history, store):
        work = Work(site, history, store)
        for text in ("one", "two"):
            work.do("own", "docs/a", text)
        first, _ = work.undo(UndoChoice(last=1))
        second, _ = work.undo(UndoChoice(last=1))
        assert told(work) == [False, False, True, True]
        work.undo(UndoChoice((second,)))
        assert told(work) == [False, True, False, True, False]
        with pytest.raises(UndoneAlready):
            work.undo(UndoChoice((second,)))
        with pytest.raises(UnknownChange):
            work.undo(UndoChoice((first, "f" * 16)))
        undo(history, store, AGENT.key)
        assert told(work)[-2:] == [True, True]
        assert work.undo(UndoChoice()) == ("", ())


def told(work: Work) -> list[bool]:
    """Of each change of the key, from the last, whether it is undone."""
    revisions = work.revisions()
    undone = undone_among(revisions)
    return [each.id in undone for each in revisions if each.note.key == AGENT.key]


def test_the_same_bytes_by_another_hand_are_a_conflict_unless_they_come_of_an_undo(site: Path) -> None:
    with opened(site) as (history, store):
        work = Work(site, history, store)
        work.do("own", "docs/a", "one")
        work.do("other", "docs/a", "two..")
        assert work.undo(UndoChoice())[1]
        undo(history, store, OTHER.key)
        last, _ = work.undo(UndoChoice())
        assert last
        assert files(site) == {name: text.encode() for name, text in SITE.items()}
        work.undo(UndoChoice((last,)))
        work.do("editor", "docs/a", "two..")
        work.revisions()
        work.do("editor", "docs/a", "one")
        assert work.undo(UndoChoice()) == ("", ("docs/a.md",))


def test_new_revisions_join_those_that_are_known_and_deleted_ones_go(site: Path) -> None:
    with opened(site) as (history, store):
        work = Work(site, history, store)
        for turn in range(60):
            work.do("own", "docs/a", f"{turn}")
            if turn in {0, 3, 57}:
                assert list(work.revisions()) == history.revisions()
        revisions = work.revisions()
        assert list(revisions) == history.revisions()
        assert history.begin_later(revisions[4].time) >= 50
        assert list(work.revisions()) == history.revisions()
        assert work.past.last(3)[1]


def test_a_change_keeps_its_id_through_the_file_of_pending_changes(site: Path) -> None:
    with opened(site) as (history, store):
        store.write("docs/a", "md", "x", note=replace(AGENT, id="c" * 16))
    with opened(site) as (history, store):
        history.catch_up()
        assert history.revisions("docs/a", 1)[0].note == replace(AGENT, id="c" * 16)
