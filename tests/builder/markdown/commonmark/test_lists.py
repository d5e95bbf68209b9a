"""Plain lists are told at one look, and with the same tokens as by markdown-it's own rule."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it.rules_block import list_block

from builder.markdown.commonmark.budget import MAX_BLOCKS
from builder.markdown.commonmark.fast import rules
from builder.markdown.commonmark.parser import Parser, base
from builder.paths import Format

PLAIN = (
    "- a",
    "- b",
    "- `c` d",
    "- **b** c",
    "- _e_ f",
    "- [l](u) x",
    "- 2020 x",
    "- a  ",
    "- a\tb",
    "- é ü",
)
NUMBERED = ("1. a", "2. `c`", "10. d", "01. z", "3. [l](m) c", "4. D")
OTHERS = (
    *(
        "* x",
        "+ y",
        "-  two",
        "- ",
        "-",
        "-\ta",
        "  more",
        "    deep",
        " - in",
        "lazy",
        "",
        " ",
        "\t",
        "---",
        "# H",
    ),
    *(
        "- a | b",
        "- | -",
        "| a | b |",
        "|---|---|",
        "- [ ] t",
        "- [x] t",
        "- [x](y)",
        "- [a]: /b",
        "- [^n]: o",
    ),
    *(
        "- 1. x",
        "- 3) y",
        "1) p",
        "- > q",
        "> - q",
        "- # h",
        "- - n",
        "- * * *",
        "- ___",
        "- ```",
        "- ~~~x",
        "```",
    ),
    *(
        "- import x from 'y'",
        "- export y",
        "- e f",
        "- in",
        "- <b>x</b>",
        "- :x: y",
        "- {a}",
        "1\u0662. x",
        "\u0662. x",
        "1\u0662) x",
        "- \u0662. x",
        "- a\\",
        "1234567890. x",
    ),
)
LINES = st.sampled_from((*PLAIN, *NUMBERED)) | st.sampled_from(OTHERS)
TEXTS = st.lists(LINES, min_size=1, max_size=9).map("\n".join)
FORMATS: tuple[Format, ...] = ("md", "mdx")


@cache
def by_rule(form: Format) -> Parser:
    parser = base(form)
    parser.block.ruler.at("list", list_block, {"alt": ["paragraph", "reference", "blockquote"]})
    return parser


@cache
def quick(form: Format) -> Parser:
    return base(form)


def tokens(parser: Parser, text: str) -> list[dict[str, object]]:
    return [token.as_dict() for token in parser.parse(text)]


@pytest.mark.parametrize("form", FORMATS)
@given(TEXTS, st.sampled_from(["", "\n", "\n\n"]))
@example("- a | b\n- | -", "")
@example("1\u0662. x", "")
@example("- a\n\n- b", "\n")
@example("- a\n\n  more", "")
def test_a_list_has_the_tokens_of_the_rule(form: Format, text: str, end: str) -> None:
    assert tokens(quick(form), text + end) == tokens(by_rule(form), text + end)


@pytest.mark.parametrize("text", [*PLAIN, *NUMBERED, "- a\n- b\n\nText\n", "1. a\n2. b\n\n- c"])
def test_a_plain_list_is_told_at_one_look(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        rules,
        "list_block",
        lambda state, start, end, silent: silent and list_block(state, start, end, silent),
    )
    assert any(token.type.endswith("_list_open") for token in quick("md").parse(text))


def test_a_list_that_is_too_long_for_the_page_is_left_to_the_rule() -> None:
    text = "- a\n" * (MAX_BLOCKS // rules.TOKENS)
    assert tokens(quick("md"), text) == tokens(by_rule("md"), text)


class Counted:
    """A pattern that is counted each time it looks ahead."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.times = 0

    def match(self, *given: object) -> re.Match[str] | None:
        self.times += 1
        return self.pattern.match(*given)


def test_lines_that_are_many_lists_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(rules._ITEMS["-"])
    monkeypatch.setitem(rules._ITEMS, "-", counted)
    text = "- a\n- - -\n" * 100
    assert sum(token["type"] == "bullet_list_open" for token in tokens(quick("md"), text)) == 100
    assert counted.times == 1
