"""Folders to include from, in one's own file: they count for a site that is trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.errors import TwinpressError
from server.cli.actions.include_roots import include_roots


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, which is not there yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "twinpress").mkdir()
    return tmp_path / "twinpress/config.toml"


def test_folders_of_the_command_come_first_and_a_safe_build_has_none(file: Path) -> None:
    assert include_roots((), safe=False) == ()
    file.write_text('include_roots = ["/one", "/two"]\n')
    assert include_roots((Path("/two"),), safe=False) == ("/two", "/one")
    assert include_roots((Path("/two"),), safe=True) == ()


def test_a_folder_that_cannot_be_holds_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file/below"))
    assert include_roots((), safe=False) == ()


@pytest.mark.parametrize(
    "text", ["include_roots = [", "include_roots = 3", 'include_roots = ["a"]', 'roots = ["/a"]', "\x00"]
)
def test_a_file_that_means_nothing_is_told(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(TwinpressError):
        include_roots((), safe=False)
