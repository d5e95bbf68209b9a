"""The registry of output paths."""

from __future__ import annotations

import pytest

from builder.plan.output_registry import Registry


@pytest.mark.parametrize(
    ("first", "second", "clash"),
    [
        ("a.html", "a.html", True),
        ("docs/Install.html", "docs/install.html", True),
        ("docs/a", "docs/a/b.html", True),
        ("docs/a/b.html", "docs/a", True),
        ("docs/a.html", "docs/a/index.html", False),
        ("straße.html", "STRASSE.html", True),
    ],
)
def test_two_sources_for_one_place_are_refused_naming_both(first: str, second: str, clash: bool) -> None:
    registry = Registry()
    assert registry.claim(first, "one.md") is None
    found = registry.claim(second, "two.md")
    assert (found is not None) is clash
    if found is not None:
        assert found.code == "path-conflict"
        assert "one.md" in found.message
        assert "two.md" in found.message
