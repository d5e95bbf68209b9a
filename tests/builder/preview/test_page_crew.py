"""Pages of a large site are made by several processes, the same as by one."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from builder.preview import PageCrew, Preview, Unfinished
from builder.preview.page_readers import PageReaders
from builder.site import Memory
from builder.store import ContentStore
from tests.builder.preview.test_edits import OPTIONS, Clean, given
from tests.sites import write_site
from tests.waiting import until

PAGES = 80
SITE = {
    "site.yml": "title: Site\n",
    **{f"docs/p{n}.md": f"# Page {n}\n\n## Part\n\n[on](p{(n + 1) % PAGES}.md#part)\n" for n in range(PAGES)},
    "docs/broken.md": "# Broken\n\n[nowhere](p1.md#none), [at all](nothing.md)\n",
}


@contextmanager
def large(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Preview]:
    """A preview of a site that counts as large, whose pages are made by a crew."""
    monkeypatch.setattr("builder.site.reader.LARGE", 0)
    monkeypatch.setattr("builder.preview.preview.FEW", 0)
    preview = Preview(write_site(root, SITE), OPTIONS, crew=PageCrew(2))
    with closing(preview):
        preview.update()
        yield preview


def crew() -> list[int]:
    """The processes of the crew, by their ids."""
    found = multiprocessing.active_children()
    return [each.pid or 0 for each in found if each.name == "twinpress-check"]


def test_a_crew_makes_what_a_build_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with large(tmp_path, monkeypatch) as preview:
        clean = Clean(tmp_path, None)
        preview.work(0.0)
        preview.work(0.01)
        assert len(crew()) == 2
        assert preview.diagnostics() == clean.diagnostics
        assert {name: given(preview, name) for name in clean.files} == clean.files
    assert crew() == []


def test_a_page_that_is_saved_while_it_is_made_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with large(tmp_path, monkeypatch) as preview:
        preview.work(0.001)
        changed = {f"docs/p{n}.md": f"# Page {n}\n\n## Part\n\nSaved.\n" for n in range(PAGES)}
        write_site(tmp_path, changed)
        preview.update(changed.keys())
        clean = Clean(tmp_path, None)
        assert preview.diagnostics() == clean.diagnostics
        assert {name: given(preview, name) for name in clean.files} == clean.files


def test_pages_of_a_process_that_has_ended_are_made_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with large(tmp_path, monkeypatch) as preview:
        preview.work(0.001)
        for process in crew():
            os.kill(process, signal.SIGKILL)
        clean = Clean(tmp_path, None)
        assert preview.diagnostics() == clean.diagnostics
        assert given(preview, "docs/p1.html") == clean.files["docs/p1.html"]


def test_pages_are_read_by_several_processes_as_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.preview.page_readers.MANY", 20)
    write_site(tmp_path, SITE)
    with ContentStore(tmp_path) as store:
        files = store.scan().pages
        ours, theirs = Memory(tmp_path), Memory(tmp_path)
        until(lambda: [ours.read(store, file) for file in files] and len(ours.known) == len(files))
        PageReaders(2, lambda: True)(store, files, theirs)
        assert theirs.known == ours.known
        nobody = Memory(tmp_path)
        with pytest.raises(Unfinished):
            PageReaders(2, lambda: False)(store, files, nobody)
        assert nobody.known == {}
