"""The documentation of Twinpress and a site that was just begun are read by agents without a warning."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from tests.server.commands import twinpress
from tests.themes.conftest import SAMPLE_SITE


def documentation(folder: Path) -> Path:
    """Our own site."""
    return SAMPLE_SITE


def starter(folder: Path) -> Path:
    """A site that has just been begun, and has been told its address."""
    assert twinpress("new", folder / "starter", cwd=folder).returncode == 0
    settings = folder / "starter" / "site.yml"
    settings.write_text(settings.read_text().replace("# url: ", "url: "))
    return settings.parent


@pytest.mark.costly
@pytest.mark.parametrize("site", [documentation, starter])
def test_agents_read_all_of_it_without_a_warning(tmp_path: Path, site: Callable[[Path], Path]) -> None:
    build(site(tmp_path), FolderOutput(tmp_path / "out"), Options(cache="read"))
    shown = twinpress("score", tmp_path / "out", "--format", "json", cwd=tmp_path)
    found = json.loads(shown.stdout)
    assert (found["score"], shown.returncode) == (100, 0)
    assert [one["message"] for one in found["checks"] if one["level"] in {"warn", "fail"}] == []
