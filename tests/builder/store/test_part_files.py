"""Files that pages include are read from the site's folder alone."""

from __future__ import annotations

import os
import pickle
import unicodedata
from pathlib import Path

import pytest

from builder.store import PAGE_LIMIT
from builder.store.part_files import PartFile, PartFiles, is_written_so, way
from tests.builder.trees import make

FILES = {
    "site/docs/_p.mdx": "part\r\nline\r\n",
    "site/.git/config": "secret",
    "site/.env": "secret",
    "site/.twinpress/state/keys.db": "secret",
    "site/docs/.hidden/x.txt": "secret",
    "site/dist/_tp/manifest.json": "{}",
    "site/dist/docs/page.html": "built",
    "site/large.txt": "x" * (PAGE_LIMIT + 1),
    "other/site.yml": "secret",
    "code/app.py": "app",
    "code/.env": "secret",
}
REFUSED = [
    ".git/config",
    ".env",
    ".twinpress/state/keys.db",
    "docs/.hidden/x.txt",
    "dist/docs/page.html",
    "large.txt",
    "../other/site.yml",
    "../code/app.py",
    "/etc/passwd",
    "..",
    ".",
    "",
    "docs",
    "docs/_p.mdx/x",
    "docs//_p.mdx",
    "link.txt",
    "away/site.yml",
    "docs/./_p.mdx",
    "docs/../.env",
    "fifo",
    "docs/_p.mdx\0.txt",
    "../../etc/passwd",
]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site, with another one and code beside it, and links that lead there."""
    make(tmp_path, FILES)
    (tmp_path / "site/link.txt").symlink_to("/etc/passwd")
    (tmp_path / "site/away").symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "site/fifo")
    return tmp_path / "site"


def test_a_file_is_read_with_plain_line_ends(site: Path) -> None:
    assert PartFiles(str(site)).read("docs/_p.mdx").text == "part\nline\n"


@pytest.mark.parametrize("file", REFUSED)
def test_nothing_else_is_read(site: Path, file: str) -> None:
    found = PartFiles(str(site)).read(file)
    assert found.problem
    assert not found.text


def test_folders_that_are_named_are_read_too(site: Path) -> None:
    files = PartFiles(str(site), (str(site.parent / "code"),))
    assert files.read("../code/app.py").text == "app"
    assert files.read("../code/.env").problem
    assert files.read("../other/site.yml").problem


def test_what_was_read_is_read_again_when_it_is_another(site: Path) -> None:
    files, path = PartFiles(str(site)), site / "docs/_p.mdx"
    os.utime(path, ns=(1, 1))
    assert files.read("docs/_p.mdx").text == "part\nline\n"
    path.write_text("another")
    assert files.read("docs/_p.mdx").text == "another"
    path.unlink()
    assert files.read("docs/_p.mdx").is_missing


COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "docs/_é/_ü.mdx") for form in ("NFC", "NFD"))


@pytest.mark.parametrize("there", [COMPOSED, DECOMPOSED])
@pytest.mark.parametrize("asked", [COMPOSED, DECOMPOSED])
def test_a_name_is_found_in_whatever_form_it_is_written(tmp_path: Path, there: str, asked: str) -> None:
    make(tmp_path, {there: "part"})
    assert PartFiles(str(tmp_path)).read(way("docs/a.mdx", f"/{asked}")).text == "part"


def test_a_name_in_other_case_is_no_file_and_is_told(tmp_path: Path) -> None:
    make(tmp_path, {"docs/_Parts/Über.mdx": "part", "docs/_Parts/b.mdx": "", "docs/_parts/c.mdx": ""})
    files = PartFiles(str(tmp_path))
    for asked in ("docs/_Parts/über.mdx", "docs/_PARTS/Über.mdx"):
        assert files.read(asked) == PartFile("", "there is no such file", True, "docs/_Parts/Über.mdx")
    assert files.read("docs/_parts/x.mdx").near == ""
    assert files.read("docs/_parts/b.mdx").is_missing


def test_a_system_that_knows_no_case_finds_no_more_than_others(tmp_path: Path) -> None:
    names = {"a.mdx": True, "A.mdx": False, "ü.mdx": True, "Ü.mdx": False, "1": True}
    for name in ("a.mdx", unicodedata.normalize("NFD", "ü.mdx"), "1"):
        (tmp_path / name).touch()
    there = [path.name for path in tmp_path.iterdir()]
    for name, other in (("A.mdx", "a.mdx"), ("Ü.mdx", unicodedata.normalize("NFD", "ü.mdx"))):
        assert is_written_so(name, there) is names[name]
        assert is_written_so(other, there)


def test_they_travel_to_other_processes(site: Path) -> None:
    assert pickle.loads(pickle.dumps(PartFiles(str(site)))).read("docs/_p.mdx").text
