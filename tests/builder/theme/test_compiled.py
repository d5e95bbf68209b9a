"""Files kept beside the theme are taken when they are whole and made of this text, and never needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

import themes
from builder.theme import Folders, ThemeFiles, assets, theme_files
from builder.theme.templates import Compiled
from tests.sites import write_site

SITE = {"site.yml": "title: T\n", "docs/index.md": "# Start\n", "theme/templates/footer.html": "<p>Own</p>\n"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of templates, in a process that keeps compiled files."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "page.html").write_text("Hello {{ name }}")
    return tmp_path


def shown(folder: Path) -> str:
    """Render the template where none was met before."""
    environment = Environment(
        loader=FileSystemLoader(folder), bytecode_cache=Compiled(folder), autoescape=True
    )
    return environment.get_template("page.html").render(name="<you>")


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").iterdir())


def no_compiler(*_: object) -> None:
    raise AssertionError("compiled anew")


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(folder) == "Hello &lt;you&gt;"
    assert [path.suffix for path in kept(folder)] == [".pyc"]
    monkeypatch.setattr(Environment, "_generate", no_compiler)
    assert shown(folder) == "Hello &lt;you&gt;"


def test_another_text_is_compiled_anew(folder: Path) -> None:
    shown(folder)
    (folder / "page.html").write_text("Goodbye {{ name }}")
    assert shown(folder) == "Goodbye &lt;you&gt;"
    assert len(kept(folder)) == 1


def test_what_another_maker_makes_of_the_same_text_is_not_taken(folder: Path) -> None:
    shown(folder)
    (path,) = kept(folder)
    before = path.read_bytes()
    environment = Environment(
        loader=FileSystemLoader(folder), bytecode_cache=Compiled(folder, b"another"), autoescape=True
    )
    environment.get_template("page.html")
    assert path.read_bytes() != before


@pytest.mark.parametrize("cut", [0, 5, 16, 40, -1])
def test_what_is_damaged_is_made_anew(folder: Path, cut: int) -> None:
    shown(folder)
    (path,) = kept(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    assert shown(folder) == "Hello &lt;you&gt;"
    assert path.read_bytes() == whole


def test_one_changed_byte_is_noticed(folder: Path) -> None:
    shown(folder)
    (path,) = kept(folder)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"Hello", b"Hallo"))
    assert shown(folder) == "Hello &lt;you&gt;"


def test_without_a_place_it_goes_on(folder: Path) -> None:
    (folder / "__pycache__").write_text("a file")
    assert shown(folder) == "Hello &lt;you&gt;"


def test_who_wants_no_compiled_files_gets_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    shown(folder)
    assert not (folder / "__pycache__").exists()


def test_of_a_sites_own_theme_nothing_is_kept(tmp_path: Path) -> None:
    site, compiled = write_site(tmp_path / "site", SITE), tmp_path / "compiled"
    command = [
        sys.executable,
        "-X",
        f"pycache_prefix={compiled}",
        "-c",
        "import server.cli; server.cli.run()",
    ]
    run = [*command, "build", str(site), "-o", str(tmp_path / "out")]
    subprocess.run(run, check=True, capture_output=True, env={"PATH": "/usr/bin:/bin"})
    assert "<p>Own</p>" in (tmp_path / "out/docs/index.html").read_text()
    assert [*compiled.rglob("*.jinja-*")] == []
    assert [*compiled.rglob("*.files")] == []
    (site / "theme/templates/footer.html").unlink()
    subprocess.run(run, check=True, capture_output=True, env={"PATH": "/usr/bin:/bin"})
    assert {path.name.partition(".")[0] for path in compiled.rglob("*.jinja-*")} == {"page"}
    assert str(themes.default()) in str(next(compiled.rglob("*.jinja-*")))
    assert len([*compiled.rglob("*.files")]) == 1


def files_of(folder: Path) -> ThemeFiles:
    """The files of the theme in a folder, where none was met before."""
    theme_files.cache_clear()
    return theme_files(Folders(folder))


def test_style_sheets_and_scripts_are_made_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = write_site(folder, {"css/a.css": "a { b: c }"}) / "css/a.css"
    made = files_of(folder)
    (path,) = kept(folder)
    whole = path.read_bytes()
    sheet.write_text("a { b: d }")
    assert files_of(folder).css.data == b"a{b:d}"
    sheet.write_text("a { b: c }")
    path.write_bytes(whole.replace(b"b:c", b"b:x"))
    assert files_of(folder) == made
    assert path.read_bytes() == whole
    path.write_bytes(whole[:40])
    assert files_of(folder) == made
    monkeypatch.setattr(assets, "compact_css", no_compiler)
    assert files_of(folder) == made
