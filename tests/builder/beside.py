"""A good site with something hostile put into it, and something beside it that is none of its business."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.build import build
from builder.output import MemoryOutput
from tests.builder.trees import snapshot
from tests.sites import Built, write_site

GOOD = {"site.yml": "title: T\n", "docs/good.md": "Good words\n", "docs/more/fine.mdx": "Fine words\n"}
OUTSIDE = {
    "secret.md": "secretive",
    "secret.yml": "title: secretive\nlabel: secretive\n",
    "in/secret.md": "secretive",
}


def built_beside(folder: Path) -> Built:
    """Build the site, and see that all is as before outside of it."""
    before = snapshot(folder, "site")
    output = MemoryOutput()
    built = Built(output, build(folder / "site", output))
    assert snapshot(folder, "site") == before
    assert not any(b"secretive" in data for data in output.written.values())
    assert "Good words" in built.text("docs/good.html")
    assert "Fine words" in built.text("docs/more/fine.html")
    return built


@pytest.fixture
def around(tmp_path: Path) -> Path:
    """A folder with a good site, and something beside it that is none of its business."""
    write_site(tmp_path / "site", GOOD)
    (tmp_path / "site/static").mkdir()
    write_site(tmp_path / "outside", OUTSIDE)
    return tmp_path
