"""The sections of a page's source: where each heading begins, and where what stands under it ends."""

from __future__ import annotations

import pytest

from tests.builder.bodies import rendered

CASES = {
    "to the next of its level": ("# A\n\n## B\n\nText.\n\n### C\n\nMore.\n\n## D\n\nEnd.\n", [
        ("a", 1, 13), ("b", 3, 10), ("c", 7, 10), ("d", 11, 13),
    ]),
    "a fence has none": ("## A\n\n```sh\n## no\n```\n\n## B\n", [("a", 1, 6), ("b", 7, 7)]),
    "underlined": ("Text\n\nTwo\n---\n\nMore\n\nThree\n===\n", [("two", 3, 7), ("three", 8, 9)]),
    "a chosen id": ("## A {#b}\n\n## B\n", [("b", 1, 2), ("b-1", 3, 3)]),
    "a comment has none": ("{/* ## no */}\n\n## A\n", [("a", 3, 3)]),
    "a quote and a list have none": ("> ## no\n\n- ## no\n\n## A\n", [("a", 5, 5)]),
    "within a component": (
        "## A\n\n<Steps>\n<Step title='x'>\n\n### B\n\nText.\n\n</Step>\n</Steps>\n\nC\n\n## D\n",
        [("a", 1, 14), ("b", 6, 9), ("d", 15, 15)],
    ),
    "line ends of Windows": ("## A\r\n\r\nText.\r\n\r\n## B\r\n", [("a", 1, 4), ("b", 5, 5)]),
    "none": ("Text.\n", []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_section_has_these_lines(name: str) -> None:
    text, expected = CASES[name]
    assert [(one.id, one.first, one.last) for one in rendered(text).sections] == expected


def test_many_components_with_headings_cost_no_square() -> None:
    body = rendered("<Steps>\n" + "<Step title='x'>\n\n## A\n</Step>\n" * 200 + "</Steps>\n")
    assert len(body.sections) == 200
