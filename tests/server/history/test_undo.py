"""The work of one key is taken back as one change, and nobody else's work is touched."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import PageNotFound, RevisionMismatch, TwinpressError
from builder.store import PAGE_LIMIT, ContentStore
from server.history import restore, undo
from tests.builder.children import in_child
from tests.builder.trees import in_memory, make
from tests.server.history.sites import AGENT, OTHER, opened, tree
from tests.server.history.test_crash import at_step

SITE = {
    "docs/a.md": "a",
    "docs/g/b.mdx": "b\r\nb",
    "docs/g/b.llms.md": "twin of b",
    "docs/g/_category_.yml": "label: G # the owner's words\nposition: 3\n",
    "docs/g/deep/er/c.md": "\ufeffno newline at the end",
    "docs/picture.png": b"\x89PNG",
    "pages/index.mdx": "home",
}
EMPTY = ("docs/empty", "docs/g/hollow/inner")
AGENTS = [f"docs/{folder}{name}" for folder in ("", "g/", "g/deep/er/", "empty/", "g/hollow/inner/", "new/")
          for name in "abcd"] + ["pages/index", "pages/more"]  # fmt: skip
EDITORS = [f"docs/mine/{name}.md" for name in "xyz"] + ["docs/g/editor.mdx", "docs/empty/editor.md"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as made:
        yield made


def session(site: Path, store: ContentStore, dice: random.Random) -> int:
    """200 writes and deletes by one key, and an editor's saves in between; gives the number of the key's."""
    for n in range(200):
        path, act = dice.choice(AGENTS), dice.random()
        if act < 0.55:
            format = dice.choice(["md", "mdx"])
            store.write(path, format, f"{n} " * 9, dice.choice([None, f"twin {n}"]), note=AGENT)  # type: ignore[arg-type]
        elif act < 0.85:
            try:
                store.delete(path, note=AGENT)
            except PageNotFound:
                store.write(path, "md", f"instead {n}", note=AGENT)
        else:
            fields = {"label": dice.choice(["L", None]), "position": dice.choice([1, 2, None])}
            store.set_category(dice.choice(["docs/g", "docs/new", "docs/empty"]), fields, note=AGENT)
        if dice.random() < 0.3:
            save(site, dice, n)
    return 200


def save(site: Path, dice: random.Random, n: int) -> None:
    """As editors do: truncate and write, or rename over; now and then a file is deleted."""
    file = site / dice.choice(EDITORS)
    act = dice.random()
    if act < 0.2:
        file.unlink(missing_ok=True)
    elif act < 0.6:
        make(site, {str(file.relative_to(site)): f"saved {n}"})
    else:
        make(site, {str(file.relative_to(site)) + "~": f"renamed {n}"})
        file.with_name(file.name + "~").rename(file)


@pytest.mark.parametrize("seed", range(3))
def test_a_random_session_of_a_key_undone_gives_the_tree_back(folder: Path, seed: int) -> None:
    """Byte for byte, empty folders too; only what the editor did is left."""
    site, twin = make(folder / "site", SITE), make(folder / "twin", SITE)
    for name in EMPTY:
        (site / name).mkdir(parents=True)
        (twin / name).mkdir(parents=True)
    with opened(site) as (history, store):
        session(site, store, random.Random(seed))
        assert tree(site) != tree(twin)
        for name in EDITORS:  # what the editor alone did is what is to be left
            if (site / name).exists():
                make(twin, {name: (site / name).read_bytes()})
        if (site / "docs/mine").exists():
            (twin / "docs/mine").mkdir(exist_ok=True)
        done, plan = undo(history, store, "k1")
    assert plan.conflicts == ()
    assert done.changed
    assert tree(site) == tree(twin)


def test_what_an_editor_changed_after_the_key_is_a_conflict(tmp_path: Path) -> None:
    """Nothing is overwritten."""
    site = make(tmp_path, SITE)
    with opened(site) as (history, store):
        store.write("docs/a", "md", "the key's", note=AGENT)
        store.write("docs/g/b", "mdx", "the key's", note=AGENT)
        make(site, {"docs/a.md": "the editor's"})
        before = tree(site)
        done, plan = undo(history, store, "k1")
        assert [(each.path, each.files) for each in plan.conflicts] == [("docs/a", ("docs/a.md",))]
        assert (done.changed, done.removed) == ((), ())
        assert tree(site) == before
        done, plan = undo(history, store, "k1", leave_conflicts=True)
    assert done.changed == ("docs/g/b.llms.md", "docs/g/b.mdx")
    assert tree(site) == tree(make(tmp_path / "copy", {**SITE, "docs/a.md": "the editor's"}))


def test_what_others_did_between_two_changes_of_the_key_is_a_conflict(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a", "docs/b.md": "b"})
    with opened(site) as (history, store):
        store.write("docs/a", "md", "1", note=AGENT)
        make(site, {"docs/a.md": "the editor's"})
        store.write("docs/a", "md", "2", note=AGENT)
        store.write("docs/b", "md", "1", note=AGENT)
        store.write("docs/b", "md", "other", note=OTHER)
        before = tree(site)
        _, plan = undo(history, store, "k1")
    assert [each.path for each in plan.conflicts] == ["docs/a", "docs/b"]
    assert tree(site) == before


def test_a_page_that_somebody_made_anew_in_another_format_is_a_conflict(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.mdx": "a"})
    with opened(site) as (history, store):
        store.delete("docs/a", note=AGENT)
        make(site, {"docs/a.md": "anew"})
        _, plan = undo(history, store, "k1")
    assert [each.files for each in plan.conflicts] == [("docs/a.md",)]
    assert tree(site) == {"docs": None, "docs/a.md": b"anew"}


@pytest.mark.parametrize(
    ("made", "other", "files"),
    [
        ("docs/g/Case.md", "docs/g/case.md", ["docs/g/case.md"]),
        ("docs/g/Case.md", "docs/g/CASE.mdx", ["docs/g/CASE.mdx"]),
        ("docs/G/a.md", "docs/g/b.md", ["docs/g/b.md"]),
        ("docs/G/deep/a.md", "docs/g/deep/b.md", ["docs/g/deep/b.md"]),
        ("docs/\u00dc.md", "docs/\u00fc.md", ["docs/\u00fc.md"]),
    ],
)
def test_a_page_that_differs_only_in_case_is_a_conflict(
    tmp_path: Path, made: str, other: str, files: list[str]
) -> None:
    """The rest can be undone."""
    site = make(tmp_path, {made: "a", "docs/x/b.md": "b"})
    with opened(site) as (history, store):
        store.delete(made.removesuffix(".md"), note=AGENT)
        store.write("docs/x/b", "md", "the key's", note=AGENT)
        make(site, {other: "the editor's"})
        _, plan = undo(history, store, "k1")
        assert [(each.path, list(each.files)) for each in plan.conflicts] == [
            (made.removesuffix(".md"), files)
        ]
        assert (site / "docs/x/b.md").read_text() == "the key's"
        undo(history, store, "k1", leave_conflicts=True)
    assert tree(site) == tree(make(tmp_path / "copy", {other: "the editor's", "docs/x/b.md": "b"}))


def test_a_key_that_renamed_a_page_in_case_only_is_undone(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/Case.md": "a"})
    with opened(site) as (history, store):
        store.delete("docs/Case", note=AGENT)
        store.write("docs/case", "md", "a", note=AGENT)
        _, plan = undo(history, store, "k1")
    assert (plan.conflicts, tree(site)) == ((), {"docs": None, "docs/Case.md": b"a"})


def test_a_twin_that_somebody_gave_to_the_key_s_page_is_a_conflict(tmp_path: Path) -> None:
    with opened(tmp_path) as (history, store):
        store.write("docs/new", "md", "the key's", note=AGENT)
        make(tmp_path, {"docs/new.llms.md": "the editor's"})
        before = tree(tmp_path)
        _, plan = undo(history, store, "k1")
        assert [each.files for each in plan.conflicts] == [("docs/new.llms.md",)]
        undo(history, store, "k1", leave_conflicts=True)
    assert tree(tmp_path) == before


def test_a_page_that_an_editor_made_too_large_for_the_api_is_a_conflict(tmp_path: Path) -> None:
    large = "x" * (PAGE_LIMIT + 1)
    with opened(tmp_path) as (history, store):
        store.write("docs/a", "md", "the key's", note=AGENT)
        make(tmp_path, {"docs/a.md": large})
        _, plan = undo(history, store, "k1")
        assert [each.files for each in plan.conflicts] == [("docs/a.md",)]
        assert history.revisions()[0].files[0].new is not None
        restore(history, store, history.revisions()[1].id, "docs/a")
        assert (tmp_path / "docs/a.md").read_text() == "the key's"
        history.catch_up()
        restore(history, store, f"{history.revisions()[0].id}^", "docs/a")
    assert (tmp_path / "docs/a.md").read_text() == large


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("names", ["a", "abc"])
def test_what_an_editor_saves_while_an_undo_is_made_is_a_conflict(
    folder: Path, step: int, names: str
) -> None:
    """Once the hidden files are there, and before the first page is replaced; nothing is changed."""
    site = make(folder, {f"docs/{name}.md": "old" for name in names})

    def undo_meanwhile() -> str:
        with opened(site) as (history, store):
            for name in names:
                store.write(f"docs/{name}", "md", "the key's", note=AGENT)
            stop = at_step(step, save, since=".tp-")
            _, plan = undo(history, store, "k1")
            stop()
            history.catch_up()
            return (
                f"{[each.path for each in plan.conflicts]} {[each.note.act for each in history.revisions()]}"
            )

    def save() -> None:
        (site / "docs/save").write_text("saved")
        (site / "docs/save").rename(site / f"docs/{names[-1]}.md")

    told = in_child(undo_meanwhile)
    assert (site / f"docs/{names[-1]}.md").read_text() == "saved", told
    if "['docs/" in told:
        assert told.startswith(f"['docs/{names[-1]}'] ['', ")
        assert all((site / f"docs/{name}.md").read_text() == "the key's" for name in names[:-1])


def test_a_change_that_was_refused_in_the_last_moment_is_none_of_the_key_s(folder: Path) -> None:
    site = make(folder, {"docs/a.md": "old"})

    def write_meanwhile() -> str:
        with opened(site) as (history, store):
            history.catch_up()
            stop = at_step(1, lambda: make(site, {"docs/a.md": "saved"}), since=".tp-")
            try:
                store.write("docs/a", "md", "new", if_match=store.read("docs/a").revision, note=AGENT)
            except RevisionMismatch:
                stop()
                history.catch_up()
                return str([(each.note.key, each.outside) for each in history.revisions()])
            return "written"

    assert in_child(write_meanwhile) == "[('', True), ('', True)]"


def test_what_is_as_before_already_is_no_conflict(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        store.write("docs/a", "md", "1", note=AGENT)
        make(site, {"docs/a.md": "a"})
        done, plan = undo(history, store, "k1")
    assert (done.changed, done.removed, plan.conflicts) == ((), (), ())


def test_an_undo_covers_what_the_key_did_after_the_last_undo_and_others_stay(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        store.write("docs/a", "md", "1", note=AGENT)
        store.write("docs/other", "md", "o", note=OTHER)
        undo(history, store, "k1")
        assert (site / "docs/a.md").read_text() == "a"
        make(site, {"docs/a.md": "the editor's"})
        store.write("docs/a", "md", "2", note=AGENT)
        done, plan = undo(history, store, "agent")
        assert (done.changed, plan.conflicts) == (("docs/a.md",), ())
    assert tree(site) == {"docs": None, "docs/a.md": b"the editor's", "docs/other.md": b"o"}


def test_a_site_that_a_key_began_is_empty_again(tmp_path: Path) -> None:
    with opened(tmp_path) as (history, store):
        store.write("docs/x/y/z", "md", "text", "twin", note=AGENT)
        store.set_category("docs/x", {"label": "X"}, note=AGENT)
        store.write("pages/index", "mdx", "home", note=AGENT)
        undo(history, store, "k1")
    assert tree(tmp_path) == {}


def test_a_key_that_did_nothing_and_a_label_of_two_keys_are_told(tmp_path: Path) -> None:
    site = make(tmp_path, {"docs/a.md": "a"})
    with opened(site) as (history, store):
        store.write("docs/a", "md", "1", note=AGENT)
        with pytest.raises(TwinpressError, match="no key of this name"):
            undo(history, store, "nobody")
        store.write("docs/b", "md", "1", note=type(AGENT)("k3", "agent"))
        with pytest.raises(TwinpressError, match="k1, k3"):
            undo(history, store, "agent")
