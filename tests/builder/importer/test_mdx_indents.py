"""Indentation of MDX, which is never code: text that would be code here moves, all other stays as it is."""

from __future__ import annotations

import pytest

from builder.importer.mdx_page import unindented

MOVED: list[tuple[str, str, str]] = [
    (
        "text within a tag",
        "<A>\n    <details>\n    <summary>x</summary>\n\n        Text\n        more\n    </details>\n</A>\n",
        "<A>\n<details>\n<summary>x</summary>\n\nText\nmore\n</details>\n</A>\n",
    ),
    (
        "items with what is nested in them",
        "        - a\n            more\n\n            - b\n        - c\n",
        "- a\n    more\n\n    - b\n- c\n",
    ),
    (
        "tags in an item",
        "1.  Do\n\n        <Tabs>\n\n    ```sh\n    a\n    ```\n\n           </Tabs>\n\nEnd\n",
        "1.  Do\n\n    <Tabs>\n\n    ```sh\n    a\n    ```\n\n    </Tabs>\n\nEnd\n",
    ),
    ("a fence with its code", "    ```js\n    a\n\n      b\n    ```\n", "```js\na\n\n  b\n```\n"),
    ("tabs", "\t- a\n\t- b\n", "- a\n- b\n"),
]
STAYS: list[tuple[str, str]] = [
    ("items", "- a\n  - b\n    - c\n\n      text of c\n"),
    ("numbers with text", "10. a\n\n    text\n\n    - b\n"),
    ("lazy lines", "text\n    more\n"),
    ("code", "```sh\n    a\n\n    b\n```\n"),
    ("raw text", "<pre>\n    x\n\n    y\n</pre>\n"),
    ("attributes", "<Card\n    title='x'\n    href='y'\n/>\n"),
    ("a block of HTML", "<div>\n    <p>\n      x\n    </p>\n</div>\n"),
]


@pytest.mark.parametrize(("text", "expected"), [each[1:] for each in MOVED], ids=[each[0] for each in MOVED])
def test_text_that_would_be_code_moves(text: str, expected: str) -> None:
    assert unindented(text) == expected
    assert unindented(expected) == expected


@pytest.mark.parametrize("text", [each[1] for each in STAYS], ids=[each[0] for each in STAYS])
def test_all_other_text_stays(text: str) -> None:
    assert unindented(text) == text
