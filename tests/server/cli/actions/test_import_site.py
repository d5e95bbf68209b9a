"""`twinpress import` as a command: what it writes, says and refuses, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.server.commands import twinpress

BOOK = {
    "book/book.toml": '[book]\ntitle = "Tides"\n',
    "book/src/SUMMARY.md": "# Summary\n\n- [Start](README.md)\n- [Low water](low.md)\n",
    "book/src/README.md": "# Start\n\nSee [low](low.md).\n",
    "book/src/low.md": "# Low water\n\nText.\n",
}
LOSSY = {**BOOK, "book/src/SUMMARY.md": BOOK["book/src/SUMMARY.md"] + "- [Later]()\n"}
REFUSED: list[tuple[list[str], str]] = [
    (["book"], "SOURCE DEST"),
    (["sphinx", "book", "new"], "is no system"),
    (["none", "new"], "there is no folder"),
    ([".", "new"], "no configuration of a system"),
    (["book", "taken"], "not empty"),
    (["--root", "taken", "book", "new"], "not in --root"),
]


def _write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in {**files, "taken/a.txt": "a"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".twinpress" not in path.parts
    }


def test_a_site_is_written_with_its_report(tmp_path: Path) -> None:
    _write(tmp_path, BOOK)
    before = _files(tmp_path / "book")
    done = twinpress("import", "book", "new", cwd=tmp_path)
    assert (done.returncode, "2 pages of mdbook" in done.stdout) == (0, True), done.stderr
    assert "2 of 2 old addresses answer" in done.stdout
    assert sorted(_files(tmp_path / "new")) == [
        "docs/index.md",
        "docs/low.md",
        "import-report.json",
        "import-report.md",
        "sidebar.yml",
        "site.yml",
    ]
    assert _files(tmp_path / "book") == before
    assert twinpress("check", "new", "--strict", cwd=tmp_path).returncode == 0


def test_a_second_import_writes_the_same(tmp_path: Path) -> None:
    _write(tmp_path, BOOK)
    twinpress("import", "book", "new", cwd=tmp_path)
    first = _files(tmp_path / "new")
    assert twinpress("import", "mdbook", "book", "new", cwd=tmp_path).returncode == 0
    assert _files(tmp_path / "new") == first


def test_a_dry_run_writes_the_report_alone(tmp_path: Path) -> None:
    _write(tmp_path, LOSSY)
    done = twinpress("import", "book", "new", "--dry-run", "--report", "lost.json", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "new").exists()) == (1, False)
    losses = json.loads((tmp_path / "lost.json").read_text())["losses"]
    assert [(loss["what"], loss["line"]) for loss in losses] == [("draft chapter", 5)]
    assert "lost: draft chapter" in done.stdout
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".new")] == []


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_what_cannot_be_imported_is_told(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = twinpress("import", *arguments, cwd=_write(tmp_path, BOOK))
    assert (done.returncode, (tmp_path / "new").exists()) == (2, False)
    assert said in done.stderr
