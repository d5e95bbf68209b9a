"""Export a site; what is exported can be imported again."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import paths
from builder.errors import InvalidPath
from server.sites.export_archive import export_archive
from server.sites.omissions import Omission
from server.sites.read_archive import import_archive
from tests.server.sites.archives import SITE, files_in


def _written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def _exported(folder: Path) -> zipfile.ZipFile:
    out = io.BytesIO()
    assert export_archive(folder, out) == ()
    return zipfile.ZipFile(out)


def test_a_site_is_exported_without_what_is_not_its_own(tmp_path: Path) -> None:
    others = (
        ".twinpress/state/keys",
        ".git/config",
        "dist/index.html",
        "docs/.index.md.swp",
        "docs/a.md~",
        "b.txt",
    )
    _written(tmp_path, SITE | {"theme/css/base.css": b"a{}"} | dict.fromkeys(others, b"secret"))
    archive = _exported(tmp_path)
    assert archive.namelist() == ["docs/index.md", "site.yml", "static/logo.png", "theme/css/base.css"]
    assert archive.read("docs/index.md") == b"# Boats\n"
    assert archive.testzip() is None


def test_an_export_is_the_same_each_time_and_keeps_times(tmp_path: Path) -> None:
    _written(tmp_path, SITE)
    os.utime(tmp_path / "site.yml", (1_000_000_001, 1_000_000_001))
    os.utime(tmp_path / "docs/index.md", (0, 0))
    one, other = io.BytesIO(), io.BytesIO()
    export_archive(tmp_path, one)
    export_archive(tmp_path, other)
    assert one.getvalue() == other.getvalue()
    archive = zipfile.ZipFile(one)
    assert archive.getinfo("site.yml").date_time == (2001, 9, 9, 1, 46, 40)
    assert archive.getinfo("docs/index.md").date_time == (1980, 1, 1, 0, 0, 0)


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    site = _written(tmp_path / "site", SITE)
    (site / "docs/a.md").symlink_to(tmp_path / "secret")
    (site / "docs/b").symlink_to(tmp_path)
    (site / "pages").symlink_to(tmp_path)
    os.mkfifo(site / "docs/pipe")
    out = io.BytesIO()
    left_out = export_archive(site, out)
    assert sorted(zipfile.ZipFile(out).namelist()) == sorted(SITE)
    assert left_out == (
        Omission("docs/a.md", "a symbolic link, which is not followed"),
        Omission("docs/b", "a symbolic link, which is not followed"),
        Omission("docs/pipe", "a named pipe, which is not followed"),
        Omission("pages", "a symbolic link, which is not followed"),
    )


class _Changing(io.RawIOBase):
    """A stream to a slow reader; before the second file is read, another program changes the site."""

    def __init__(self, site: Path) -> None:
        self.site, self.data = site, b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if not self.data:
            (self.site / "docs/gone.md").unlink()
            (self.site / "static/growing").write_bytes(b"new" * 1000)
            with (self.site / "docs/a.md").open("ab") as file:
                file.write(b"more" * 100_000)
        self.data += bytes(data)
        return len(data)


def test_a_site_can_be_exported_while_somebody_writes(tmp_path: Path) -> None:
    files = SITE | {"docs/a.md": b"a" * 1000, "docs/gone.md": b"", "static/growing": b"old"}
    out = _Changing(_written(tmp_path, files))
    export_archive(tmp_path, out)  # type: ignore[arg-type]
    archive = zipfile.ZipFile(io.BytesIO(out.data))
    assert archive.namelist() == [
        "docs/a.md",
        "docs/index.md",
        "site.yml",
        "static/growing",
        "static/logo.png",
    ]
    assert archive.read("docs/a.md") == b"a" * 1000
    assert archive.read("static/growing") == b"new" * 1000


NAMES = st.text(
    st.characters(categories=["Ll", "Lu", "Lo", "Nd"], include_characters="-_."), min_size=1, max_size=20
)


def _is_page(path: str) -> bool:
    if "node_modules" in path.split("/"):
        return False  # left out when it is imported, and listed
    try:
        return paths.parse(path) == path
    except InvalidPath:
        return False


PAGES = st.lists(NAMES, min_size=1, max_size=4).map(lambda parts: "/".join(["docs", *parts])).filter(_is_page)
FILES = st.tuples(PAGES, st.sampled_from([".md", ".mdx", ".llms.md", ".png", ".pdf", "/_category_.yml"])).map(
    "".join
)
SITES = st.dictionaries(FILES, st.binary(max_size=200), max_size=12)


def _is_tree(files: dict[str, bytes]) -> bool:
    """Return whether a file system without case can hold the files: no name is another's, or its folder's."""
    spelled: dict[str, str] = {}
    for name in files:
        parts = name.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth]) + "/"
            if spelled.setdefault(paths.fold(folder).rstrip("/"), folder) != folder:
                return False
        if spelled.setdefault(paths.fold(name), name) != name:
            return False
    return True


@given(SITES.filter(_is_tree), st.binary(max_size=100))
def test_what_is_exported_is_imported_as_it_was(files: dict[str, bytes], settings: bytes) -> None:
    files["site.yml"] = settings
    with tempfile.TemporaryDirectory() as place:
        site, again = _written(Path(place, "site"), files), Path(place, "again")
        out = io.BytesIO()
        assert export_archive(site, out) == ()
        report = import_archive(out, again)
        assert files_in(again) == files_in(site) == files
        assert (report.files, report.left_out) == (len(files), ())


def test_a_site_with_programs_comes_back_without_them(tmp_path: Path) -> None:
    site = _written(tmp_path / "site", SITE | {"static/a.js": b"", "theme/js/a.js": b""})
    out = io.BytesIO()
    export_archive(site, out)
    report = import_archive(out, tmp_path / "again")
    assert files_in(tmp_path / "again") == SITE
    assert [line.path for line in report.left_out] == ["static/a.js", "theme/"]


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        export_archive(tmp_path / "nowhere", io.BytesIO())
