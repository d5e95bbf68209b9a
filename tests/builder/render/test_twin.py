"""The text above the body in a derived twin."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sites import build_site

HEAD = "---\ntitle: T\ndescription: A `badge` for *all* lines.\n---\n"
QUOTED = "# T\n\n> A \\`badge\\` for \\*all\\* lines.\n\n"

CASES = [
    ("Other text.\n", QUOTED + "Other text.\n"),
    ("A `badge` for *all* lines.\n", "# T\n\nA `badge` for *all* lines.\n"),
    (
        "A `badge` for\n*all* lines. And more.\n\nRest.\n",
        "# T\n\nA `badge` for\n*all* lines. And more.\n\nRest.\n",
    ),
    ("A `badge` for *all* linesmen.\n", QUOTED + "A `badge` for *all* linesmen.\n"),
    ("- A `badge` for *all* lines.\n", QUOTED + "- A `badge` for *all* lines.\n"),
    ("", QUOTED.rstrip("\n") + "\n"),
]


@pytest.mark.parametrize(("body", "twin"), CASES)
def test_the_description_is_not_said_twice(tmp_path: Path, body: str, twin: str) -> None:
    assert build_site(tmp_path, {"docs/a.md": HEAD + body}).twin("docs/a.md") == twin


def test_a_description_below_the_pages_own_heading_is_not_said_twice(tmp_path: Path) -> None:
    source = "---\ndescription: About it.\n---\n# Own\n\nAbout it. And more.\n"
    assert build_site(tmp_path, {"docs/a.md": source}).twin("docs/a.md") == "# Own\n\nAbout it. And more.\n"
