"""A site of which a build keeps no texts in memory has the same files as one of which it keeps all."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from builder.build import build
from builder.cache import Cache
from builder.output import FolderOutput
from builder.plan import llms_full
from builder.plan.options import Options
from builder.site import load
from builder.store import FRESH, ContentStore
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\nurl: https://e.org\n",
    "pages/index.mdx": "---\ntitle: Home\n---\n\nBegin here.\n",
    "pages/about.md": "# About\n\nStandalone.\n",
    "docs/a.md": "# A\n\nFirst words.\n\n## Part\n\nMore words of a page.\n",
    "docs/b.md": "---\nunlisted: true\n---\n\n# Hidden\n\nNot in lists.\n",
    "docs/c.md": "# Ç\n\nÜmlauts.\n",
    "docs/c.llms.md": "Written by hand.\n\n",
    "docs/d.md": '---\ntitle: "half \\ud800"\n---\n\nNot to be kept.\n',
    "docs/e.md": "---\ndraft: true\n---\n\n# Draft\n",
    **{f"docs/f/{number}.md": f"# F {number}\n\n{'Words. ' * 40}\n" for number in range(12)},
}
Change = Callable[[Path], None]


def nothing(site: Path) -> None:
    """Leave all as it is."""


def edit(site: Path) -> None:
    """Have a page say something else."""
    (site / "docs/f/3.md").write_text("# F 3\n\nOther words, and longer.\n\n## New\n\nSection.\n")


def delete(site: Path) -> None:
    """Delete a page."""
    (site / "docs/f/5.md").unlink()


def forget(site: Path) -> None:
    """Delete the cache."""
    shutil.rmtree(site / ".twinpress")


def edit_first(site: Path) -> None:
    """Have the first page rendered, and those behind it not."""
    (site / "docs/a.md").write_text("# A\n\nOther first words.\n")


CHANGES = [nothing, edit, nothing, delete, edit_first, forget, edit_first]


def files(folder: Path) -> dict[str, bytes]:
    """All files by their paths."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def built(root: Path, name: str, pages: Mapping[str, str]) -> Iterator[dict[str, bytes]]:
    """The files of builds over each other, after each change."""
    site, out = write_site(root / name, pages), root / f"{name}-out"
    for change in CHANGES:
        if (site / ".twinpress").exists():
            change(site)
        build(site, FolderOutput(out), Options(cache="keep"))
        yield files(out)


@pytest.mark.parametrize("left_out", ["", "pages/index.mdx"])
@pytest.mark.parametrize("largest", [10_000_000, 1_500])
def test_it_has_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int, left_out: str
) -> None:
    pages = {name: text for name, text in SITE.items() if name != left_out}
    monkeypatch.setattr(llms_full, "LARGEST", largest)
    expected = [*built(tmp_path, "small", pages)]
    monkeypatch.setattr("builder.site.reader.LARGE", 3)
    for number, found in enumerate(built(tmp_path, "large", pages)):
        assert found == expected[number], f"build {number}"
    assert ("docs/f/llms-full.txt" in expected[0]) == (largest < 10_000)


def test_parts_of_the_text_are_those_of_each_output_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another build has kept the keys of parts meanwhile, and written into another folder."""
    monkeypatch.setattr(llms_full, "LARGEST", 1_500)
    site, one, two = write_site(tmp_path / "site", SITE), tmp_path / "one", tmp_path / "two"
    for out in (one, two):
        build(site, FolderOutput(out), Options(cache="keep"))
    edit(site)
    for out in (two, one):
        build(site, FolderOutput(out), Options(cache="keep"))
    assert files(one) == files(two)
    assert any("Other words" in file.read_text() for file in (one / "docs/f").glob("llms-full-*.txt"))


@pytest.mark.parametrize("worth", [1, 10_000])
def test_what_was_done_to_the_output_is_seen_while_the_site_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int
) -> None:
    monkeypatch.setattr("builder.produce.early_look.WORTH", worth)
    monkeypatch.setattr("builder.produce.last_build.LARGE", worth)
    site, out = write_site(tmp_path / "site", SITE), tmp_path / "out"
    for change in (nothing, edit, delete, edit_first):
        change(site)
        time.sleep(2 * FRESH / 1e9)  # else times tell nothing, and each file is read
        build(site, FolderOutput(out), Options(cache="keep"))
        build(site, FolderOutput(tmp_path / "clean"), Options(cache="no"))
        assert files(out) == files(tmp_path / "clean")
        (out / "docs/f/1.html").write_text("Somebody's own.")
        (out / "docs/f/2.md").unlink()


def test_a_folder_in_the_place_of_a_file_is_left_by_nobody(tmp_path: Path) -> None:
    site, out = write_site(tmp_path / "site", {**SITE, "static/x": "file"}), tmp_path / "out"
    build(site, FolderOutput(out), Options(cache="keep"))
    (site / "static/x").unlink()
    write_site(site, {"static/x/k.txt": "in a folder"})
    for _ in range(2):
        output = FolderOutput(out)
        build(site, output, Options(cache="keep"))
        assert output.left == ()
        assert files(out)["x/k.txt"] == b"in a folder"


def test_files_are_counted_as_by_a_build_from_nothing(tmp_path: Path) -> None:
    """The page that tells of addresses that are not there has one file."""
    site = write_site(tmp_path / "site", {**SITE, "pages/404.md": "# Nothing here\n"})
    build(site, FolderOutput(tmp_path / "out"), Options(cache="keep"))
    edit(site)
    time.sleep(2 * FRESH / 1e9)
    again = build(site, FolderOutput(tmp_path / "out"), Options(cache="keep"))
    clean = build(site, FolderOutput(tmp_path / "clean"), Options(cache="no"))
    assert (again.pages, again.files) == (clean.pages, clean.files)


class Deleted(FolderOutput):
    """Somebody deletes the folder before the build begins to write."""

    def begin(self, site: Path, planned: Collection[str] = ()) -> None:
        shutil.rmtree(self.folder)
        super().begin(site, planned)


@pytest.mark.parametrize("worth", [1, 10_000])
def test_an_output_that_was_deleted_while_the_site_was_read_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int
) -> None:
    monkeypatch.setattr("builder.produce.early_look.WORTH", worth)
    site, out = write_site(tmp_path / "site", SITE), tmp_path / "out"
    build(site, FolderOutput(out), Options(cache="keep"))
    edit_first(site)
    build(site, Deleted(out), Options(cache="keep"))
    build(site, FolderOutput(tmp_path / "clean"), Options(cache="no"))
    assert files(out) == files(tmp_path / "clean")


def test_a_build_reads_the_texts_that_another_one_has_replaced(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    time.sleep(2 * FRESH / 1e9)
    build(site, FolderOutput(tmp_path / "out"), Options(cache="keep"))
    with ContentStore(site) as store, closing(Cache(site, "keep")) as cache:
        pages = {page.path: page for page in load(store, memory=cache.memory).pages}
        edit_first(site)
        build(site, FolderOutput(tmp_path / "other"), Options(cache="keep"))
        assert pages["docs/a"].document.body == SITE["docs/a.md"]
