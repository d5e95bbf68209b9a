"""Whole documentation trees of five systems are imported: pages, addresses, and words that went."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.importer.old_site import System
from tests import corpora
from tests.builder.importer.imported import checked

TREES: list[tuple[System, str, str, int]] = [
    ("docusaurus", "docusaurus", "website", 85),
    ("mdbook", "mdbook", "guide", 32),
    ("mintlify", "mintlify", "docs", 243),
    ("mkdocs", "mkdocs", "", 89),
    ("starlight", "starlight", "docs", 37),
]


@pytest.mark.parametrize(("system", "tree", "base", "pages"), TREES, ids=[each[0] for each in TREES])
def test_each_page_and_each_old_address_is_there(
    tmp_path: Path, system: System, tree: str, base: str, pages: int
) -> None:
    report = checked(tmp_path, system, corpora.folder() / "move" / tree, base).report
    assert len(report.pages) == pages
    assert [each.address for each in report.addresses if not each.answers] == []
