"""`twinpress import` as a command: what it writes, says and refuses, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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
    (["mkdocs", "taken", "new"], "error: taken: there is no `mkdocs.yml`"),
    (["none", "new"], "there is no folder"),
    ([".", "new"], "`book` has one of mdbook: name that folder"),
    (["taken", "new"], "no configuration of a system"),
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
    assert "3 of 3 old addresses answer" in done.stdout
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


def test_addresses_beyond_ascii_answer(tmp_path: Path) -> None:
    summary = "- [Start](README.md)\n- [Low](é.md)\n"
    _write(tmp_path, {**BOOK, "book/src/SUMMARY.md": summary, "book/src/é.md": "# Low\n"})
    done = twinpress("import", "book", "new", cwd=tmp_path)
    assert "3 of 3 old addresses answer" in done.stdout


def test_a_second_import_writes_the_same(tmp_path: Path) -> None:
    _write(tmp_path, BOOK)
    twinpress("import", "book", "new", cwd=tmp_path)
    first = _files(tmp_path / "new")
    assert twinpress("import", "mdbook", "book", "new", cwd=tmp_path).returncode == 0
    assert _files(tmp_path / "new") == first


def test_a_new_site_within_the_old_one_is_not_imported_again(tmp_path: Path) -> None:
    _write(tmp_path, {"old/docs.json": '{"navigation": {"pages": ["index"]}}', "old/index.mdx": "Text.\n"})
    said = [twinpress("import", "old", "old/new", cwd=tmp_path).stdout for _ in range(2)]
    assert ["1 page of mintlify" in each for each in said] == [True, True]
    assert "0 written, 0 deleted" in said[1]


def test_a_second_import_touches_what_has_changed_alone(tmp_path: Path) -> None:
    new = _write(tmp_path, BOOK) / "new"
    twinpress("import", "book", "new", cwd=tmp_path)
    before = {path: path.stat().st_mtime_ns for path in new.rglob("*.*") if path.is_file()}
    _write(tmp_path, {"book/src/low.md": "# Low water\n\nOther text.\n"})
    (new / "docs/own.md").write_text("# Own\n")
    done = twinpress("import", "book", "new", cwd=tmp_path)
    assert "Files: 1 written, 0 deleted, 3 unchanged." in done.stdout
    touched = {
        path.relative_to(new).as_posix() for path, at in before.items() if path.stat().st_mtime_ns != at
    }
    assert touched == {"docs/low.md", "import-report.json"}
    assert (new / "docs/own.md").read_text() == "# Own\n"


def _edit(new: Path, file: str) -> None:
    (new / file).write_text("# Mine\n")


def _delete(new: Path, file: str) -> None:
    (new / file).unlink()


def _link(new: Path, file: str) -> None:
    _delete(new, file)
    (new / file).symlink_to("../../taken/a.txt")


def _fill(new: Path, file: str) -> None:
    _delete(new, file)
    (new / file).mkdir()
    (new / file / "mine.txt").write_text("mine")


def _lie(new: Path, _file: str) -> None:
    (new / "docs/low.md").write_text("# Mine\n")
    (new / "import-report.json").write_text("[" * 100_000)


@pytest.mark.parametrize("act", [_edit, _delete, _link, _fill, _lie])
def test_what_has_been_edited_is_not_overwritten(tmp_path: Path, act: Callable[[Path, str], None]) -> None:
    new = _write(tmp_path, BOOK) / "new"
    twinpress("import", "book", "new", cwd=tmp_path)
    act(new, "docs/low.md")
    before = _files(tmp_path)
    done = twinpress("import", "book", "new", cwd=tmp_path)
    assert (done.returncode, _files(tmp_path)) == (2, before)
    assert "`docs/low.md`" in done.stderr
    assert "--force" in done.stderr


@pytest.mark.parametrize("act", [_edit, _delete, _link])
def test_force_overwrites_what_has_been_edited(tmp_path: Path, act: Callable[[Path, str], None]) -> None:
    new = _write(tmp_path, BOOK) / "new"
    twinpress("import", "book", "new", cwd=tmp_path)
    before = _files(new)
    act(new, "docs/low.md")
    assert twinpress("import", "book", "new", "--force", cwd=tmp_path).returncode == 0
    assert (_files(new), (tmp_path / "taken/a.txt").read_text()) == (before, "a")
    assert not (new / "docs/low.md").is_symlink()


@pytest.mark.parametrize(("is_edited", "stays"), [(False, False), (True, True)])
def test_a_page_that_is_gone_is_deleted_unless_it_was_edited(
    tmp_path: Path, *, is_edited: bool, stays: bool
) -> None:
    new = _write(tmp_path, BOOK) / "new"
    summary = "- [Start](README.md)\n- [Deep](deep/er.md)\n"
    _write(tmp_path, {"book/src/SUMMARY.md": summary, "book/src/deep/er.md": "x"})
    twinpress("import", "book", "new", cwd=tmp_path)
    assert (new / "docs/deep/er.md").exists()
    if is_edited:
        _edit(new, "docs/deep/er.md")
    _write(tmp_path, BOOK)
    (tmp_path / "book/src/deep/er.md").unlink()
    done = twinpress("import", "book", "new", cwd=tmp_path)
    assert (done.returncode, (new / "docs/deep").exists()) == (0, stays), done.stderr
    assert ("docs/deep/er.md is no part of the site any more" in done.stdout) == stays


def test_a_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    new = _write(tmp_path, BOOK) / "new"
    twinpress("import", "book", "new", cwd=tmp_path)
    (new / "docs").rename(tmp_path / "elsewhere")
    (new / "docs").symlink_to("../elsewhere")
    before = _files(tmp_path / "elsewhere")
    _write(tmp_path, {"book/src/low.md": "# Low water\n\nOther text.\n"})
    for force in ([], ["--force"]):
        assert twinpress("import", "book", "new", *force, cwd=tmp_path).returncode == 2
    assert _files(tmp_path / "elsewhere") == before


def test_a_dry_run_writes_nothing_at_all(tmp_path: Path) -> None:
    _write(tmp_path, BOOK)
    places = (tmp_path, tmp_path / "far")
    before = [_files(tmp_path), {path.name for path in tmp_path.iterdir()}]
    for dest in ("new", "far/away/new"):
        assert twinpress("import", "book", dest, "--dry-run", cwd=tmp_path).returncode == 0
    assert [_files(tmp_path), {path.name for path in tmp_path.iterdir()}] == before
    assert not places[1].exists()


def test_each_step_is_told_on_a_line_without_a_terminal(tmp_path: Path) -> None:
    done = twinpress("import", "book", "new", cwd=_write(tmp_path, BOOK))
    assert done.stderr.splitlines() == ["Rewriting 2 pages", "Checking 2 pages"]


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
