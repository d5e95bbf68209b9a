"""Whole documentation trees of five systems are imported: each page and each old address is there.

The smallest one is imported always, the others take seconds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.importer.old_site import System
from tests import corpora
from tests.builder.importer.imported import checked

SMALL: System = "mdbook"
TREES: dict[System, tuple[str, int]] = {
    "docusaurus": ("website", 85),
    "mdbook": ("guide", 32),
    "mintlify": ("docs", 243),
    "mkdocs": ("", 89),
    "starlight": ("docs", 37),
}


@pytest.mark.parametrize(
    "system", [pytest.param(each, marks=[] if each == SMALL else [pytest.mark.slow]) for each in TREES]
)
def test_each_page_and_each_old_address_is_there(tmp_path: Path, system: System) -> None:
    base, pages = TREES[system]
    report = checked(tmp_path, system, corpora.folder() / "move" / system, base).report
    assert len(report.pages) == pages
    assert [each.address for each in report.addresses if not each.answers] == []
