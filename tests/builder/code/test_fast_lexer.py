"""The quick loop gives what Pygments' own gives, whatever the language and the text."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class, get_all_lexers

from builder.code import fast_lexer, highlight
from builder.code.lexers import ENDLESS, lexer

ROOT = Path(__file__).parents[3]
NAMES = sorted({name for name, *_ in get_all_lexers(plugins=False)} - ENDLESS)
MOST = 250
"""Characters of a text: on so many every lexer is quick, and so is this test of six hundred of them."""


def fences(path: str) -> list[str]:
    page = (ROOT / "sample-site/docs" / path).read_text("utf-8")
    return re.findall(r"^ *```.*\n((?:.*\n)*?) *```$", page, re.MULTILINE)


FILES = (
    "builder/code/lexers.py",
    "themes/default/search/terms.js",
    "themes/default/css/base.css",
    "themes/default/templates/page.html",
    "sample-site/site.yml",
    "sample-site/docs/writing/markdown.mdx",
    ".ci/run",
)
TEXTS = [
    *((ROOT / path).read_text("utf-8")[-MOST:] for path in FILES),
    "".join(map(chr, range(128))),
    " ".join(f"{chr(code)}a{chr(code)}1" for code in range(32, 127)),
    *("".join(f"\n{chr(code)} {chr(code)}b" for code in range(at, at + 24)) for at in range(32, 127, 24)),
    "#include <a.h>\nint main(void) { char *s = \"%d\\n\"; /* b */ return 0x1F + 'c'; } // d\n\n",
    "SELECT 'it''s' FROM \"c\" WHERE d >= 1.5e-3 -- e\nclass A<T> extends B { @C public void f() {} }\n",
    "ｆｏｏ é \u212a\u0131\u0130\u017f \u2028 日本 = «𝒳» 🙂\n\tİf (ſtr == K) {\r\n}\x1c\x1f\x85\xa0",
    "",
]


@cache
def both(name: str) -> tuple[Lexer, Lexer]:
    found = find_lexer_class(name)
    assert found is not None
    return found(), fast_lexer.quick(found())


def same(name: str, texts: list[str]) -> bool:
    """Return whether a lexer was made quick; fail when it gives something else than before."""
    slow, quick = both(name)
    for text in texts:
        assert list(quick.get_tokens_unprocessed(text)) == list(slow.get_tokens_unprocessed(text)), text
    return type(quick) is not type(slow)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_lexer, "PATIENCE", 0)


@pytest.mark.parametrize("part", range(8))
def test_every_lexer_gives_the_same_pieces(part: int) -> None:
    pieces = re.findall(r"\w+|\s+|.", "".join(TEXTS))
    mixed = random.Random(part)
    made = [
        same(name, [*TEXTS, "".join(mixed.choices(pieces, k=60))]) for name in islice(NAMES, part, None, 8)
    ]
    assert sum(made) > len(made) / 2


@given(st.sampled_from(["JavaScript", "Python", "Bash", "CSS", "Rust", "SQL"]), st.text(max_size=60))
def test_any_text_gives_the_same_pieces(name: str, text: str) -> None:
    assert same(name, [text])


@pytest.mark.parametrize("path", ["writing/code-blocks.mdx", "writing/markdown.mdx", "writing/mdx-rules.mdx"])
def test_a_figure_is_the_same_before_and_after_the_patterns_are_read(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = [(code, info) for code in fences(path) for info in ("js", "python", "md", "sh", "java")]
    quick = [highlight.fence.__wrapped__(*block) for block in blocks]
    monkeypatch.setattr(fast_lexer, "PATIENCE", 10**9)
    assert [highlight.fence.__wrapped__(*block) for block in blocks] == quick


def test_rules_that_cannot_match_are_not_tried() -> None:
    states = vars(type(lexer("python")))["_states"]
    assert len(states["root"]["#"]) < len(states["root"]["é"]) / 5


@pytest.mark.parametrize("language", ["json", "csharp", "console", "html+jinja"])
def test_a_lexer_that_does_not_use_the_loop_stays_as_it_is(language: str) -> None:
    found = lexer(language)
    assert type(found).__module__.startswith("pygments.")
