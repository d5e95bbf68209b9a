"""A build reads nothing where the last one has seen the same files and nobody has touched what it wrote."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from builder.build import Result, build
from builder.errors import OutputError
from builder.output import FolderOutput
from builder.output.written_files import WrittenFiles
from builder.plan.options import Options
from builder.store import FRESH
from tests.sites import nest, write_site

SITE = {
    "site.yml": "title: T\nurl: https://e.org\nextras: [includes]\n",
    "docs/a.mdx": "# A\n\n<Include src='/parts/_part.mdx' />\n\n[nowhere](/docs/none)\n",
    "docs/b.md": "# B\n\n![Picture](pic.svg)\n",
    "docs/pic.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='3'/>\n",
    "docs/guide/_category.yml": "label: Guide\n",
    "docs/guide/c.md": "# C\n",
    "static/robots.txt": "User-agent: *\n",
    "static/.well-known/security.txt": "Contact: mailto:a@b.example\n",
    "theme/templates/footer.html": "<footer>Ours</footer>\n",
    "parts/_part.mdx": "Shared.\n",
    "outside/code.py": "x = 1\n",
}
OPTIONS = Options(cache="keep", trusted=True)

Change = Callable[[Path], object]
CHANGES: dict[str, Change] = {
    "a page": lambda root: (root / "site/docs/b.md").write_text("# B\n\nMore.\n"),
    "a page with its old time and size": lambda root: rewritten(root / "site/docs/guide/c.md", "# D\n"),
    "another page": lambda root: (root / "site/docs/new.md").write_text("# New\n"),
    "a page less": lambda root: (root / "site/docs/b.md").unlink(),
    "another name": lambda root: (root / "site/docs/b.md").rename(root / "site/docs/bb.md"),
    "a part in a folder of its own": lambda root: (root / "site/parts/_part.mdx").write_text("Other.\n"),
    "a category": lambda root: (root / "site/docs/guide/_category.yml").write_text("label: Else\n"),
    "the settings": lambda root: (root / "site/site.yml").write_text("title: Other\n"),
    "a picture": lambda root: (root / "site/docs/pic.svg").write_text("<svg/>"),
    "a file at a hidden place": lambda root: (root / "site/static/.well-known/security.txt").write_text("x"),
    "the theme": lambda root: (root / "site/theme/templates/footer.html").write_text("<p>Else</p>"),
    "a folder for a page": lambda root: (
        (root / "site/docs/b.md").unlink(),
        (root / "site/docs/b.md").mkdir(),
    ),
    "a link for a page": lambda root: (
        (root / "site/docs/b.md").unlink(),
        (root / "site/docs/b.md").symlink_to("a.mdx"),
    ),
    "an output": lambda root: (root / "out/docs/b.html").write_text("else"),
    "an output less": lambda root: (root / "out/docs/a.md").unlink(),
    "a link for an output": lambda root: (
        (root / "out/docs/a.md").unlink(),
        (root / "out/docs/a.md").symlink_to("b.md"),
    ),
    "the folder": lambda root: shutil.rmtree(root / "out"),
    "a copy for the folder": lambda root: (
        shutil.copytree(root / "out", root / "copy"),
        shutil.rmtree(root / "out"),
        (root / "copy").rename(root / "out"),
    ),
    "the cache": lambda root: shutil.rmtree(root / "site/.twinpress"),
}


def rewritten(file: Path, text: str) -> None:
    """Write another text of the same size, and set the time that the file had."""
    before = file.stat()
    file.write_text(text)
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


class Opened:
    """The files that this process opens, while it is on."""

    paths: list[str] | None = None

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and self.paths is not None:
            self.paths.append(str(arguments[0]))


OPENED = Opened()
sys.addaudithook(OPENED.hear)


@contextmanager
def opened() -> Iterator[list[str]]:
    OPENED.paths = found = list[str]()
    try:
        yield found
    finally:
        OPENED.paths = None


def settled() -> None:
    """Wait until files that were written would show that they are written again."""
    time.sleep(FRESH / 1e9 + 0.02)


def built(root: Path, options: Options = OPTIONS) -> tuple[bool, Result]:
    """Build; tell whether the site was read, too."""
    with opened() as found:
        result = build(root / "site", FolderOutput(root / "out"), options)
    return any(path.endswith("site.yml") for path in found), result


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A site that was built, and a build of it has nothing to do."""
    write_site(tmp_path / "site", SITE)
    settled()
    built(tmp_path)
    settled()
    return tmp_path


def told(result: Result) -> tuple[object, ...]:
    return result.diagnostics, result.pages, result.files


def test_nothing_is_read_where_nothing_has_changed(root: Path) -> None:
    before = files(root / "out")
    expected = build(root / "site", FolderOutput(root / "clean"), Options(trusted=True))
    for _ in range(2):
        was_read, result = built(root)
        assert not was_read
        assert told(result) == told(expected)
        assert files(root / "out") == before
    assert [each.code for each in expected.diagnostics] == ["broken-link"]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_has_changed_is_found(root: Path, change: Change) -> None:
    change(root)
    was_read, result = built(root)
    assert was_read
    expected = build(root / "site", FolderOutput(root / "clean"), Options(trusted=True))
    assert told(result) == told(expected)
    assert files(root / "out") == files(root / "clean")


@pytest.mark.parametrize(
    "options", [Options(cache="keep"), Options(cache="keep", trusted=True, url="https://x.org")]
)
def test_other_options_are_another_build(root: Path, options: Options) -> None:
    assert built(root, options)[0]


def test_a_build_that_notes_nothing_leaves_no_older_note_in_force(root: Path) -> None:
    """Drafts that one build has published go with the next."""
    write_site(root / "site", {"docs/d.md": "---\ndraft: true\n---\n\n# Draft\n"})
    settled()
    before = told(built(root)[1])
    settled()
    assert not built(root)[0]
    built(root, Options(cache="keep", trusted=True, drafts=True, verify_cache=1.0))
    assert (root / "out/docs/d.html").exists()
    assert told(built(root)[1]) == before
    assert not (root / "out/docs/d.html").exists()


@pytest.fixture(params=[1, 5_000], ids=["several processes", "one process"])
def processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have sites of so many files looked at by several processes."""
    monkeypatch.setattr("builder.produce.last_build.LARGE", request.param)
    monkeypatch.setattr("builder.produce.early_look.WORTH", request.param)


@pytest.mark.usefixtures("processes")
def test_what_was_there_for_a_moment_goes(root: Path) -> None:
    before = files(root / "out")
    write_site(root / "site", {"docs/new.md": "# New\n"})
    built(root)
    (root / "site/docs/new.md").unlink()
    settled()
    built(root)
    assert files(root / "out") == before


class Meanwhile(FolderOutput):
    """Has something happen when a build begins to write, and not be so any more when it ends."""

    def __init__(self, folder: Path, do: Callable[[], object], undo: Callable[[], object]) -> None:
        super().__init__(folder)
        self.do, self.undo = do, undo

    def is_as_left(self, site: Path, written: WrittenFiles) -> bool:
        self.do()
        return False

    def finish(self) -> None:
        super().finish()
        self.undo()


@pytest.mark.usefixtures("processes")
def test_what_changes_during_a_build_is_found_by_the_next(root: Path) -> None:
    """A folder that is away while a build reads, and back when it ends."""
    before, guide, away = files(root / "out"), root / "site/docs/guide", root / "away"
    output = Meanwhile(root / "out", lambda: guide.rename(away), lambda: away.rename(guide))
    build(root / "site", output, OPTIONS)
    assert "docs/guide/c.html" not in files(root / "out")
    settled()
    for _ in range(2):
        built(root)
        assert files(root / "out") == before


@pytest.mark.parametrize("name", ["docs", "static", "theme"])
def test_a_folder_that_is_read_counts_whatever_lies_in_it(root: Path, name: str) -> None:
    write_site(root / "site", {f"{name}/_tp/manifest.json": '{"files": []}'})
    settled()
    built(root)
    settled()
    built(root)
    write_site(root / "site", {"docs/b.md": "# Bee\n"} if name == "docs" else {f"{name}/x.css": "p {}"})
    assert built(root)[0]


def test_a_way_through_a_link_and_back_is_that_of_the_system(root: Path) -> None:
    write_site(root / "other/site", SITE)
    (root / "other/deep").mkdir()
    write_site(root / "x/site", SITE)
    (root / "x/link").symlink_to(root / "other/deep")
    site = root / "x/link/../site"
    settled()
    for _ in range(2):
        build(site, FolderOutput(root / "there"), OPTIONS)
        settled()
    write_site(root / "other/site", {"docs/b.md": "# Other B\n"})
    build(site, FolderOutput(root / "there"), OPTIONS)
    assert "Other B" in (root / "there/docs/b.html").read_text()


def test_folders_may_be_very_deep() -> None:
    """Not below the folder of pytest, which could not delete it."""
    root = Path(tempfile.mkdtemp())
    try:
        write_site(root / "site", SITE)
        nest(root / "site", "x", 1_100)
        assert built(root)[1].pages == 3
    finally:
        subprocess.run(["rm", "-r", str(root)], check=True)


def test_a_folder_without_its_list_of_files_is_refused_as_ever(root: Path) -> None:
    (root / "out/_tp/manifest.json").unlink()
    with pytest.raises(OutputError, match="in the way"):
        built(root)


def test_other_processes_are_the_same_build(root: Path) -> None:
    assert not built(root, Options(cache="keep", trusted=True, jobs=2))[0]


def test_a_file_that_may_change_without_a_sign_is_read_again(root: Path) -> None:
    (root / "site/docs/b.md").write_text("# B\n")
    assert built(root)[0]
    assert built(root)[0]


def test_files_of_another_folder_that_pages_may_include_count(root: Path) -> None:
    (root / "elsewhere").mkdir()
    (root / "elsewhere/part.mdx").write_text("Elsewhere.\n")
    options = Options(cache="keep", trusted=True, include_roots=(str(root / "elsewhere"),))
    settled()
    assert built(root, options)[0]
    settled()
    assert not built(root, options)[0]
    (root / "elsewhere/part.mdx").write_text("Otherwise.\n")
    assert built(root, options)[0]


def test_a_commit_counts_as_it_has_a_day(root: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b.example", *arguments],
            cwd=root / "site",
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    git("add", "docs")
    git("commit", "-qm", "One")
    assert built(root)[0]
    settled()
    assert not built(root)[0]
    git("commit", "-qm", "Two", "--allow-empty")
    assert built(root)[0]


def test_an_output_within_the_site_is_none_of_its_sources(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    settled()
    for name in ("dist", "deep/dist") * 2:
        build(site, FolderOutput(site / name), OPTIONS)
        settled()
    for name in ("dist", "deep/dist"):
        with opened() as found:
            build(site, FolderOutput(site / name), OPTIONS)
        assert not any(path.endswith("site.yml") for path in found), name
