"""The search of a folder that is built anew while tools are open on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.http.failure import Failure
from server.mcp.find import Finder
from tests.sites import build_site

SITE = {
    "site.yml": "title: T\n",
    "docs/a.md": "# A\n\n## Alpha\n\nWords.\n\n## Beta\n\nUniqueword.\n",
    "docs/b.md": "# Other\n",
}
SHORTER = {"docs/a.md": "# A\n\nUniqueword.\n"}


def test_sections_that_are_gone_are_looked_for_in_the_new_index(tmp_path: Path) -> None:
    files = dict(build_site(tmp_path, SITE).output.written)
    finder = Finder(files.get, 1_000_000)
    assert finder.find("other", 0, 5)[0].path == "/docs/b"
    files |= build_site(tmp_path, SHORTER).output.written
    assert [found.anchor for found in finder.find("uniqueword", 0, 5)] == [""]


def test_while_a_build_is_at_work_the_search_says_so(tmp_path: Path) -> None:
    files = dict(build_site(tmp_path, SITE).output.written)
    finder = Finder(files.get, 1_000_000)
    files["docs/a.md"] = build_site(tmp_path, SHORTER).output.written["docs/a.md"]
    with pytest.raises(Failure, match="being built"):
        finder.find("uniqueword", 0, 5)
