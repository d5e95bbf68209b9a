"""Edits of every kind, looked at whenever: the preview shows what a build from nothing writes."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from builder.build import build
from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.output import MemoryOutput
from builder.plan.options import Options
from builder.preview import CONFIG_INVALID, Later, Preview
from tests.builder.cache.test_edits import Site
from tests.sites import write_site

EDITS = 110
OPTIONS = Options(trusted=True, drafts=True, reload="/_tp/reload.js")
SEARCH = "_tp/search.json"


class Edited(Site):
    """A site whose edits are told file by file, as a watcher tells them."""

    def changed(self) -> frozenset[str]:
        """Edit, and give the files that are other ones afterwards."""
        before = states(self.root)
        self.chance.choice(
            [self.edit] * 8 + [self.text] * 6 + [self.lost, self.notfound, self.broken_theme]
        )()
        after = states(self.root)
        return frozenset(name for name in before.keys() | after if before.get(name) != after.get(name))

    def text(self) -> None:
        """Add a paragraph to a page that is there, as writers do most."""
        if found := self.pages():
            page = self.chance.choice(found)
            more = self.chance.choice(
                ("More.", "## Here {#there}", "[up](#here)", "[b](/docs/guide/b#there)")
            )
            page.write_bytes(page.read_bytes() + f"\n\n{more}\n".encode())
            self.said.append(f"text {page}: {more}")

    def lost(self) -> None:
        """A folder goes, with all that is in it."""
        shutil.rmtree(self.root / "docs/guide", ignore_errors=True)
        self.said.append("no guide")

    def notfound(self) -> None:
        """A page for addresses that lead nowhere, or none."""
        page = self.root / "pages/404.md"
        if page.exists():
            page.unlink()
        else:
            write_site(self.root, {"pages/404.md": "# Lost\n", "pages/index.md": f"# {self.word()}\n"})
        self.said.append("404")

    def broken_theme(self) -> None:
        """A template that fails, or nothing of the theme's any more."""
        own = self.root / "theme"
        if own.exists():
            shutil.rmtree(own)
        else:
            write_site(self.root, {"theme/templates/page.html": "{{ nothing.of.that }}"})
        self.said.append("theme that fails")


def states(root: Path) -> dict[str, tuple[int, ...]]:
    """Return the marks that tell one file from another, by path."""
    found = {path.relative_to(root).as_posix(): path.stat() for path in root.rglob("*") if path.is_file()}
    return {name: (at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for name, at in found.items()}


def given(preview: Preview, output: str) -> bytes | None:
    """The file at an output path."""
    found = preview.get(output)
    return found.files().get(output) if isinstance(found, Later) else found


class Clean:
    """A build from nothing; where it cannot be used, `fails` and is the one that was shown before."""

    def __init__(self, root: Path, last: Clean | None) -> None:
        output = MemoryOutput()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        with suppress(TwinpressError):
            self.diagnostics = build(root, output, OPTIONS).diagnostics
        self.sound = all(one.code != CONFIG_INVALID for one in self.diagnostics)
        self.fails = not output.written or (last is not None and last.sound and not self.sound)
        self.files = last.files if self.fails and last else output.written
        self.copied = last.copied if self.fails and last else output.copied
        if self.fails and last:
            self.sound = last.sound


@pytest.mark.parametrize("seed", [21, 22])
def test_the_preview_shows_what_a_build_from_nothing_writes(tmp_path: Path, seed: int) -> None:
    site = Edited(tmp_path, seed)
    preview, clean, waiting = Preview(site.root, OPTIONS), None, frozenset[str]()
    preview.update()
    clean = Clean(site.root, None)
    for _ in range(EDITS):
        waiting |= site.changed()
        if site.chance.random() < 0.2:
            continue  # a second edit before the first is looked at
        clean = Clean(site.root, clean)
        refused = clean.fails
        try:
            assert bool(preview.update(waiting)) <= refused, site.said
        except TwinpressError:
            assert refused, site.said
        waiting = frozenset()
        if site.chance.random() < 0.5:
            preview.work(site.chance.choice((0.0, 0.002, 1.0)))
        for output in site.chance.sample(sorted(clean.files), 4):
            if not output.startswith("_tp/search/"):
                assert given(preview, output) == clean.files[output], (output, site.said)
        if site.chance.random() < 0.5:
            _all_is_right(preview, clean, site)


def _all_is_right(preview: Preview, clean: Clean, site: Edited) -> None:
    """Look at everything."""
    found = preview.diagnostics()
    if not clean.fails:
        assert found == clean.diagnostics, site.said
    given(preview, SEARCH)
    assert set(preview.places) == clean.files.keys() | clean.copied.keys(), site.said
    for output, data in clean.files.items():
        assert given(preview, output) == data, (output, site.said)
    assert preview.state.copied == clean.copied


def test_a_file_of_an_earlier_search_is_there_for_the_browser_that_knows_it(tmp_path: Path) -> None:
    preview = Preview(write_site(tmp_path, {"docs/a.md": "# Apple\n"}), OPTIONS)
    preview.update()
    found = preview.get(SEARCH)
    assert isinstance(found, Later)
    earlier = found.files()
    write_site(tmp_path, {"docs/a.md": "# Apple\n\nPears.\n"})
    preview.update({"docs/a.md"})
    for output, data in earlier.items():
        if output != SEARCH:
            assert given(preview, output) == data
    assert given(preview, SEARCH) != earlier[SEARCH]
    assert given(preview, "_tp/search/none.json") is None


def test_a_save_makes_one_page(tmp_path: Path) -> None:
    preview = Preview(write_site(tmp_path, {f"docs/{n}.md": f"# {n}\n" for n in range(9)}), OPTIONS)
    preview.update()
    assert preview.pending == 9
    preview.work(10.0)
    assert preview.pending == 0
    write_site(tmp_path, {"docs/3.md": "# 3\n\nMore.\n"})
    preview.update({"docs/3.md"})
    assert preview.pending == 1
    write_site(tmp_path, {"docs/4.md": "# Four\n"})
    preview.update({"docs/4.md"})
    assert preview.pending == 9


def test_a_standalone_page_stays_in_the_sidebar_when_it_is_saved(tmp_path: Path) -> None:
    about, config = {"pages/about.md": "# About\n"}, "sidebar: [docs/a, pages/about]\n"
    preview = Preview(
        write_site(tmp_path, {"docs/a.md": "# A\n", **about, "site.yml": "title: T\n"}), OPTIONS
    )
    preview.update()
    before = given(preview, "about.html")
    write_site(tmp_path, {"site.yml": f"title: T\n{config}"})
    preview.update({"site.yml"})
    assert given(preview, "about.html") == Clean(tmp_path, None).files["about.html"] != before
    preview.work(10.0)
    write_site(tmp_path, {"pages/about.md": "# About\n\nMore.\n"})
    preview.update({"pages/about.md"})
    assert preview.pending == 1
    assert given(preview, "about.html") == Clean(tmp_path, None).files["about.html"]
