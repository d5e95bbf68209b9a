"""The pages for those who change Twinpress name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("CONTRIBUTING.md", "sample-site/docs/project/architecture.mdx")
PLACE = re.compile(r"`((?:builder|components|server|tests|themes)/[\w./-]*)`")
MADE = {"tests/artifacts/pictures/"}
"""Written by tests."""


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_folder_that_is_named_is_there(page: str) -> None:
    named = set(PLACE.findall((ROOT / page).read_text("utf-8"))) - MADE
    assert len(named) > 5
    assert [place for place in sorted(named) if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("part", ["builder", "server"])
def test_every_package_is_in_the_map(part: str) -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    packages = {f"`{part}/{each.parent.name}/`" for each in (ROOT / part).glob("*/__init__.py")}
    assert [package for package in sorted(packages) if package not in told] == []
