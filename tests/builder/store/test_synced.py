"""Changes are on the disk for good before they are told, and in an order in which no power failure hurts.

What Python asks the system for is written down, in a process of its own: audit hooks stay for ever.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.store import ContentStore, Replacement
from tests.builder.children import in_child
from tests.builder.store.test_crash import OLD
from tests.builder.trees import make

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no other system tells names of descriptors")

Call = tuple[str, str, str]
"""A call: its kind, the file or folder of the site, and the name that it has got, if any."""
EVENTS = {"os.rename", "os.mkdir", "os.rmdir", "os.remove"}
STATE, JOURNAL = ".twinpress/state", ".twinpress/state/journal.json"


def calls(site: Path, act: Callable[[ContentStore], object]) -> list[Call]:
    """List what a change asks the system for, in order."""

    def observed() -> str:
        found: list[Call] = []
        sync = os.fsync

        def named(descriptor: object) -> str:
            return os.path.relpath(Path(f"/proc/self/fd/{descriptor}").readlink(), site)

        def place(folder: object, name: object) -> str:
            return os.path.normpath(f"{named(folder)}/{name}")

        def synced(descriptor: int) -> None:
            sync(descriptor)
            found.append(("sync", named(descriptor), ""))

        def hook(event: str, given: tuple[object, ...]) -> None:
            if event == "os.rename":
                found.append((event, place(given[2], given[0]), place(given[3], given[1])))
            elif event in EVENTS:
                found.append((event, place(given[-1], given[0]), ""))

        with ContentStore(site) as store:
            os.fsync = synced
            sys.addaudithook(hook)
            act(store)
            return json.dumps(found)

    return [(call, one, other) for call, one, other in json.loads(in_child(observed))]


ACTS: dict[str, Callable[[ContentStore], object]] = {
    "a page": lambda store: store.write("docs/b", "md", "new b"),
    "a new page": lambda store: store.write("docs/c", "md", "new"),
    "a page in new folders": lambda store: store.write("docs/x/y/z", "md", "new"),
    "a page and its twin": lambda store: store.write("docs/g/a", "mdx", "new", "new twin"),
    "another format": lambda store: store.write("docs/g/a", "md", "new"),
    "a page is deleted": lambda store: store.delete("docs/b"),
    "a folder is left empty": lambda store: store.delete("docs/g/a"),
    "a category": lambda store: store.set_category("docs/g", {"label": "G"}),
    "a file": lambda store: store.replace_file("static/a.txt", b"a", expected=None),
    "the settings": lambda store: store.replace_file("site.yml", b"title: B\n", expected=b"title: A\n"),
    "a restore": lambda store: store.put_back(
        Replacement({"docs/b.md": b"b"}, {"docs/b.md": None, "docs/n/c.md": b"c"}, drop=["docs/m"])
    ),
}


def done(tmp_path: Path, name: str) -> list[Call]:
    site = make(tmp_path / "site", {**OLD, "site.yml": "title: A\n"})
    (site / "docs/m").mkdir()
    with ContentStore(site) as store:
        store.write("docs/first", "md", "so that there is a state folder")
    return calls(site, ACTS[name])


def folder_of(file: str) -> str:
    return str(Path(file).parent)


def is_hidden(file: str) -> bool:
    """Return whether a file is one that is swept at the next start, whatever becomes of it."""
    return Path(file).name.startswith(".tp-") or file.endswith("journal.tmp")


@pytest.mark.parametrize("name", ACTS)
def test_what_a_file_says_is_synced_before_it_has_its_name(tmp_path: Path, name: str) -> None:
    found = done(tmp_path, name)
    placed = [n for n, (call, _, other) in enumerate(found) if call == "os.rename" and not is_hidden(other)]
    assert bool(placed) == (name != "a page is deleted")
    for n in placed:
        assert ("sync", found[n][1], "") in found[:n], found[n]


@pytest.mark.parametrize("name", ACTS)
def test_each_name_is_synced_before_the_change_is_told(tmp_path: Path, name: str) -> None:
    found = done(tmp_path, name)
    named = [
        (n, file)
        for n, (call, *files) in enumerate(found)
        for file in files
        if call in EVENTS and file and not is_hidden(file)
    ]
    assert named
    for n, file in named:
        assert ("sync", folder_of(file), "") in found[n:], file


@pytest.mark.parametrize("name", ACTS)
def test_a_change_of_several_files_is_written_down_while_it_is_made(tmp_path: Path, name: str) -> None:
    found = done(tmp_path, name)
    journal = [n for n, (_, *files) in enumerate(found) if JOURNAL in files]
    content = [n for n, (call, *_) in enumerate(found) if call == "os.rename" and n not in journal]
    assert len(journal) == (2 if len(content) > 1 else 0)
    if journal:
        begun, ended = journal
        assert begun < content[0] < content[-1] < ended
        folders = {("sync", folder_of(found[n][1]), "") for n in content}
        assert folders <= {*found[:begun]}, "the hidden names, of which the journal tells"
        assert ("sync", STATE, "") in found[begun : content[0]]
        assert folders <= {*found[content[-1] : ended]}
        assert ("sync", STATE, "") in found[ended:]
