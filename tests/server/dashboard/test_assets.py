"""Styles, scripts and templates of the dashboard: small, and kept by browsers until they change."""

from __future__ import annotations

import gzip
import re

import pytest

from server.dashboard.pages import STATIC
from tests.server.dashboard.conftest import Dashboard

TEMPLATES = STATIC.with_name("templates")


@pytest.mark.parametrize(("kind", "most"), [("js", 6 * 1024), ("css", 10 * 1024)])
def test_all_of_a_kind_together_are_small(kind: str, most: int) -> None:
    found = [len(gzip.compress(path.read_bytes(), 9, mtime=0)) for path in STATIC.glob(f"*.{kind}")]
    assert found
    assert sum(found) <= most


def test_each_is_kept_for_a_year_under_an_address_of_its_own(dashboard: Dashboard) -> None:
    assert dashboard.desk.pages.files
    for path, data in dashboard.desk.pages.files.items():
        answer = dashboard.browser().get(path)
        assert (answer.status, answer.text.encode()) == (200, data)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_state_with_elements_in_its_words_holds_them_together() -> None:
    """A state is a grid: each element of its own in the words would begin a line."""
    words = r"(?!<span>)(?:(?!</span>).)*?"
    element = r"(?:\|(?:code|moment|clock|day)\b|<(?:a|code)\b)"
    loose = re.compile(rf'class="state[^>]*>\{{\{{ icon\([^}}]*\) \}}\}}{words}{element}')
    found = {file.name: loose.findall(file.read_text("utf-8")) for file in TEMPLATES.glob("*.html")}
    assert len(found) > 50
    assert {name: states for name, states in found.items() if states} == {}
