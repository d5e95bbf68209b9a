"""`twinpress history`, `restore` and `undo`, as a person runs them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from builder.store import ChangeNote
from server.control import KeyKind, SiteKeys, local_database, local_site
from server.history.contents import id_of
from tests.builder.trees import make
from tests.server.commands import twinpress
from tests.server.history.sites import AGENT, STATE, files, opened


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site in which an agent has changed two pages and made a third."""
    made = make(tmp_path / "site", {"site.yml": "title: T\n", "docs/a.md": "a", "docs/g/b.mdx": "b"})
    with opened(made) as (history, store):
        history.catch_up()
        store.write("docs/a", "md", "the agent's", note=AGENT)
        store.write("docs/g/b", "md", "the agent's", "twin", note=AGENT)
        store.write("docs/new/c", "md", "c", note=AGENT)
    return made


def revision(site: Path, path: str, n: int = 0) -> str:
    """The n-th last revision of a path, as the command tells it to programs."""
    told = twinpress("history", path, "--format", "json", cwd=site)
    return str(json.loads(told.stdout)[n]["revision"])


def test_history_lists_who_changed_what_the_last_change_first(site: Path) -> None:
    make(site, {"docs/editor.md": "saved"})
    told = twinpress("history", cwd=site)
    assert told.returncode == 0, told.stderr
    words = [line.split("  ", 2)[2] for line in told.stdout.splitlines()]
    assert words == [
        "outside  +docs/editor.md",
        "agent (key k1)  +docs/new/c.md",
        "agent (key k1)  +docs/g/b.md +docs/g/b.llms.md -docs/g/b.mdx",
        "agent (key k1)  ~docs/a.md",
        "outside  the site as it was when its history began",
    ]
    assert len(twinpress("history", "-n", "2", cwd=site).stdout.splitlines()) == 2
    assert twinpress("history", "docs/none", cwd=site).stderr == "No change of docs/none is known.\n"


def test_history_of_a_path_as_json(site: Path) -> None:
    told = twinpress("history", "./docs/g/", "--site", site, "--format", "json", cwd=site.parent)
    (found,) = json.loads(told.stdout)
    assert (found["key"], found["label"], found["act"]) == ("k1", "agent", "change")
    assert found["files"] == [
        {"file": "docs/g/b.md", "change": "added"},
        {"file": "docs/g/b.llms.md", "change": "added"},
        {"file": "docs/g/b.mdx", "change": "removed"},
    ]


def test_restore_puts_a_page_or_the_whole_site_back(site: Path) -> None:
    told = twinpress("restore", f"{revision(site, 'docs/g/b')[:8]}^", "docs/g/b", cwd=site)
    assert (told.returncode, told.stdout, told.stderr) == (
        0,
        "docs/g/b.mdx: restored\ndocs/g/b.llms.md: removed\ndocs/g/b.md: removed\n",
        "Restored: 3 files.\n",
    )
    settings = {"site.yml": b"title: T\n"}
    assert files(site) == {
        "docs/a.md": b"the agent's",
        "docs/g/b.mdx": b"b",
        "docs/new/c.md": b"c",
        **settings,
    }
    twinpress("restore", f"{revision(site, 'docs/a')}^", cwd=site)
    assert files(site) == {"docs/a.md": b"a", "docs/g/b.mdx": b"b", **settings}
    assert "command line  restore" in twinpress("history", cwd=site).stdout.splitlines()[0]
    again = twinpress("restore", f"{revision(site, 'docs/a', 1)}^", cwd=site)
    assert again.stderr == "Everything is like that already.\n"


def test_settings_and_files_have_a_history_too(site: Path) -> None:
    twinpress("history", cwd=site)
    make(site, {"site.yml": "title: U\n", "static/a b.png": "1"})
    told = twinpress("history", "site.yml", cwd=site)
    assert [line.split("  ", 2)[2] for line in told.stdout.splitlines()] == [
        "outside  ~site.yml +static/a b.png"
    ]
    last = revision(site, "site.yml")
    told = twinpress("restore", f"{last}^", "site.yml", cwd=site)
    assert (told.stdout, told.stderr) == ("site.yml: restored\n", "Restored: 1 file.\n")
    assert (site / "site.yml").read_text() == "title: T\n"
    assert twinpress("restore", f"{last}^", "static/a b.png", cwd=site).stdout == "static/a b.png: removed\n"


def test_what_is_not_kept_any_more_is_said(site: Path) -> None:
    twinpress("history", cwd=site)
    with opened(site) as (_, store):
        store.replace_file("static/a.png", b"1", expected=None, note=AGENT)
        store.replace_file("static/a.png", b"2", expected=b"1", note=AGENT)
    first = revision(site, "static/a.png", 1)
    shutil.rmtree(site / STATE / "history/git/objects" / id_of(b"1")[:2])
    told = twinpress("restore", first, "static/a.png", cwd=site)
    assert (told.returncode, "not kept any more" in told.stderr) == (2, True)
    make(site, {"docs/a.md": "other"})
    told = twinpress("restore", first, cwd=site)
    assert "static/a.png: stays as it is; the bytes that it had then are not kept any more" in told.stdout


def test_undo_takes_back_what_a_key_did(site: Path) -> None:
    make(site, {"docs/editor.md": "saved"})
    told = twinpress("undo", "--key", "agent", cwd=site)
    assert (told.returncode, told.stderr) == (0, "Undone: 5 files.\n")
    assert files(site) == {
        "docs/a.md": b"a",
        "docs/g/b.mdx": b"b",
        "docs/editor.md": b"saved",
        "site.yml": b"title: T\n",
    }
    assert "command line  undo k1" in twinpress("history", cwd=site).stdout.splitlines()[0]


def test_undo_shows_conflicts_and_changes_nothing_unless_told_to_leave_them(site: Path) -> None:
    make(site, {"docs/a.md": "the editor's"})
    before = files(site)
    told = twinpress("undo", "--key", "k1", cwd=site)
    assert (told.returncode, told.stdout) == (1, "docs/a: conflict: somebody else has changed docs/a.md\n")
    assert told.stderr == (
        "Nothing was undone because of 1 conflict. With --leave-conflicts the rest is undone.\n"
    )
    assert files(site) == before
    told = twinpress("undo", "--key", "k1", "--leave-conflicts", cwd=site)
    assert told.returncode == 1
    assert files(site) == {
        "docs/a.md": b"the editor's",
        "docs/g/b.mdx": b"b",
        "site.yml": b"title: T\n",
    }


def test_undo_of_a_revision_takes_back_that_change_alone(site: Path) -> None:
    told = twinpress("undo", revision(site, "docs/g/b"), cwd=site)
    assert (told.returncode, told.stderr) == (0, "Undone: 3 files.\n")
    assert files(site) == {
        "docs/a.md": b"the agent's",
        "docs/g/b.mdx": b"b",
        "docs/new/c.md": b"c",
        "site.yml": b"title: T\n",
    }
    first = revision(site, "docs/a")
    make(site, {"docs/a.md": "the editor's"})
    told = twinpress("undo", first, cwd=site)
    assert (told.returncode, told.stdout) == (1, "docs/a: conflict: somebody else has changed docs/a.md\n")
    begun = twinpress("history", "--format", "json", cwd=site).stdout
    told = twinpress("undo", json.loads(begun)[-1]["revision"], cwd=site)
    assert (told.returncode, "the history begins with this revision" in told.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["restore", "ffffffff"], "there is no such revision"),
        (["undo", "--key", "nobody"], "no key of this name"),
        (["undo"], "Name what to undo"),
        (["undo", "ffffffff"], "there is no such revision"),
        (["undo", "ffffffff", "--key", "k1"], "Name what to undo"),
        (["history", "../elsewhere"], "no path in the site"),
    ],
)
def test_what_cannot_be_done_is_told_with_the_way_out(site: Path, arguments: list[str], said: str) -> None:
    told = twinpress(*arguments, cwd=site)
    assert (told.returncode, told.stdout) == (2, "")
    assert said in told.stderr


def test_a_site_without_history_is_told_so_and_left_as_it_is(tmp_path: Path) -> None:
    make(tmp_path, {"docs/a.md": "a"})
    for arguments in (["history"], ["restore", "ffff"], ["undo", "--key", "k"]):
        told = twinpress(*arguments, cwd=tmp_path)
        assert (told.returncode, told.stdout) == (2, "")
        assert "there is no history here yet" in told.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]


def test_names_and_labels_cannot_change_the_terminal(tmp_path: Path) -> None:
    with opened(make(tmp_path, {"docs/a.md": "a"})) as (_, store):
        store.write("docs/a", "md", "1", note=ChangeNote("k1", "\x1b[31mred"))
    assert "\x1b" not in twinpress("history", cwd=tmp_path).stdout


@pytest.mark.parametrize("name", ["id", "label", "last four", "text"])
def test_undo_knows_a_key_as_the_commands_about_keys_do(site: Path, name: str) -> None:
    with local_database(site) as database:
        made = SiteKeys(database).create(KeyKind.LONG_LIVED, local_site(database), "ci")
    names = {"id": made.record.id, "label": "ci", "last four": made.record.last_four, "text": made.text}
    with opened(site) as (_, store):
        store.write("docs/a", "md", "the key's", note=ChangeNote(made.record.id, "ci"))
    done = twinpress("undo", "--key", names[name], cwd=site)
    assert (done.returncode, done.stdout) == (0, "docs/a.md: undone\n"), done.stderr
    assert files(site)["docs/a.md"] == b"the agent's"


def test_undo_finds_a_deleted_key_before_a_new_one_of_the_same_label(site: Path) -> None:
    with local_database(site) as database:
        SiteKeys(database).create(KeyKind.LONG_LIVED, local_site(database), "agent")
    assert twinpress("undo", "--key", "agent", cwd=site).returncode == 0
    assert files(site)["docs/a.md"] == b"a"


def test_nobody_else_may_read_what_the_history_keeps(site: Path) -> None:
    with opened(site) as (history, _):
        history.catch_up()
    kept = list((site / ".twinpress/state/history").rglob("*"))
    readable = {path.name for path in kept if path.stat().st_mode & 0o077}
    assert readable == {"main"}  # the id of the last commit
