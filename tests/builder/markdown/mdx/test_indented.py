"""Within a component only fences are code, whatever the indentation; outside CommonMark stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from builder.markdown.commonmark.parser import base
from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.syntax import parse
from tests.builder.bodies import findings, rendered
from tests.builder.cases import Case, cases
from tests.builder.outline import outline
from tests.builder.pages import bodies

CASES = cases("markup_indented", 3)

PIECES = (
    "text w1", "# Heading", "> quote\n> goes on", "- a\n- b\n  - c\n\n    of c", "1. a\n\n   of a\n2. b",
    "| a | b |\n| - | - |\n| c | d |", "<Card>\n  child\n</Card>", ":::note\nsaid\n:::", "Under\n=====",
    "```js\na\n  b\n\n      c\n```", "- a\n\n  ```js\n  b\n    c\n  ```",
    "<Tabs>\n<TabItem>\na\n</TabItem>\n</Tabs>",
    "> - a\n>\n>   b", "[r]: /x", "***",
)  # fmt: skip
"""Blocks that are the same wherever they stand."""

FRAMES = (
    "<Card>\n{}\n</Card>", ":::tip\n{}\n:::", "<Steps>\n<Step>\n{}\n</Step>\n</Steps>",
    "<details>\n{}\n</details>",
    "<Unknown>\n{}\n</Unknown>",
)  # fmt: skip


def title(case: Case) -> str:
    return case.title


def codes(markdown: str) -> list[str]:
    """The indented code blocks that a parser of plain markdown sees."""
    return [token.content for token in base("md").parse(markdown, {}) if token.type == "code_block"]


@pytest.mark.parametrize("case", CASES, ids=title)
def test_a_body_with_indented_children(case: Case) -> None:
    source, expected, _ = case.parts
    assert outline(source) == expected


@pytest.mark.parametrize("case", [case for case in CASES if case.parts[2]], ids=title)
def test_the_twin_of_a_body_with_indented_children(case: Case) -> None:
    source, _, twin = case.parts
    assert rendered(source).twin.rstrip("\n") == twin


def indented(block: str, columns: int) -> str:
    return "\n".join(" " * columns + line if line else line for line in block.split("\n"))


@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.integers(4, 14)), min_size=1, max_size=5),
    st.sampled_from(FRAMES),
)
def test_children_are_the_same_however_deep_each_of_them_stands(
    pieces: list[tuple[str, int]], frame: str
) -> None:
    # A heading ends a list, so that the next piece is none of it; one at the margin has the others stay deep.
    apart = "\n\n## H\n\n"
    deep = frame.format(apart.join(["w0", *(indented(block, columns) for block, columns in pieces)]))
    flat = frame.format(apart.join(["w0", *(block for block, _ in pieces)]))
    assert rendered(deep).html == rendered(flat).html
    assert rendered(rendered(deep).twin, "md").html == rendered(rendered(flat).twin, "md").html


LINES = st.text(" \t", max_size=14).flatmap(
    lambda blanks: st.sampled_from(
        ("a", "- b", "1. c", "> d", "# e", "```", "~~~ x", "| f |", "| - |", "<Card>", "</Card>", ":::note",
         ":::", "", "===", "---", "[^1]: g", "[h]: /i", "<Unknown>", "</Unknown>", "{j}", "> - k", "- > l")
    ).map(lambda text: blanks + text)
)  # fmt: skip


@given(st.lists(LINES, max_size=12).map("\n".join), st.sampled_from(FRAMES))
@example("a\n        - b\n          c\n     - d", FRAMES[0])
def test_no_indentation_makes_code_of_a_component_s_children(text: str, frame: str) -> None:
    source = frame.format(text)
    parsed = parse(Chunk(source, 1), "mdx", premium=True)
    inside = [token for token in parsed.tokens if token.meta.get("chunk", parsed.reading.body).body]
    assert [token for token in inside if token.type == "code_block"] == []


@given(bodies())
def test_no_indentation_makes_code_of_any_body_in_a_component(body: str) -> None:
    parsed = parse(Chunk(f"<Card>\nw0q\n\n    w\n{body}\n</Card>", 1), "mdx", premium=True)
    inside = [token for token in parsed.tokens if token.meta.get("chunk", parsed.reading.body).body]
    assume(all(found.code != "budget-exceeded" for found in parsed.reading.findings))
    assert [token for token in inside if token.type == "code_block"] == []


def test_faults_in_deep_blocks_have_their_place() -> None:
    source = "<Card>\na\n\n        [x](nowhere)\n\n        - b\n          <Crad/> {y}\n</Card>\n"
    assert findings(rendered(source)) == [
        "4:13 broken-link",
        "7:11 component-unknown",
        "7:19 expression-stripped",
    ]


def test_outside_of_components_nothing_has_changed() -> None:
    twin = "a\n\n    code\n\n- b\n\n      code\n"
    assert rendered(twin).twin == twin
    assert codes(twin) == ["code\n", "code\n"]
    assert len(re.findall("<pre", rendered(twin).html)) == 2
