from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.code import fast_lexer as colours
from builder.code import highlight, lexers
from builder.code import info as fences
from builder.code.rendered_fence import Fence
from tests.security import dangers
from tests.time_bounds import processor_seconds

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "fences.json").read_text("utf-8"))


def shown(html: str) -> str:
    """The code that a reader sees, its caption left out."""
    return unescape(
        re.sub(r"<[^>]+>", "", re.sub(r"<figcaption>.*?</figcaption>", "", html, flags=re.DOTALL))
    )


@pytest.mark.parametrize(("text", "language", "title", "marks", "numbers"), CASES["infos"])
def test_an_info_string_is_read(
    text: str, language: str, title: str, marks: list[int], numbers: bool
) -> None:
    assert fences.info(text) == fences.Info(language, title, frozenset(marks), numbers)


@pytest.mark.parametrize(("text", "classes"), CASES["changes"])
def test_an_info_string_names_changed_lines(text: str, classes: dict[str, str]) -> None:
    found = fences.info(text)
    assert (found.language, found.title) == ("js", "")
    assert {str(line): name for line, name in found.classes().items()} == classes


@pytest.mark.parametrize(("code", "left", "classes"), CASES["lines"])
def test_comments_to_us_are_taken_out(code: str, left: str, classes: dict[str, str]) -> None:
    found = fences.lines(code, {})
    assert found.code == left
    assert {str(line): name for line, name in found.classes.items()} == classes


@pytest.mark.parametrize("language", ["md", "mdx", "markdown", "Markdown", "text"])
def test_comments_to_us_stay_where_they_are_written_about(language: str) -> None:
    code = "a # [!code ++]\n// highlight-next-line\nb\n"
    found = highlight.fence(code, f"{language} {{3}}")
    assert shown(found.html).replace("\n", "") == code.replace("\n", "")
    assert found.html.count("tp-marked") == 1
    assert "tp-added" not in found.html


@pytest.mark.parametrize("language", ["md", "mdx", "markdown"])
def test_a_page_has_frontmatter_and_headings(language: str) -> None:
    found = highlight.fence("---\ntitle: A\nn: 3\n---\n\n# B\n\n## C\n\nD\n---\n", language).html
    assert '<span class="nt">title</span>: A\n<span class="nt">n</span>' in found
    assert re.findall(r'<span class="k">([^<]*)</span>', found) == ["# B", "## C", "D", "---"]
    assert shown(found).strip() == "---\ntitle: A\nn: 3\n---\n\n# B\n\n## C\n\nD\n---"


@pytest.mark.parametrize(
    "code", ["---\n", "---\na\n", "---\n---\n", "--- \na\n---", "---\n\n# a\n", "a\n---\nb: c\n"]
)
def test_any_frontmatter_is_shown_as_it_is(code: str) -> None:
    assert shown(highlight.fence(code, "md").html).rstrip("\n") == code.rstrip("\n")


def test_a_fence_is_a_figure_with_its_title() -> None:
    found = highlight.fence('const a = "<b>"\n', 'js title="a & b.js"')
    assert found.html == (
        '<figure class="tp-code" data-language="js"><figcaption>a &amp; b.js</figcaption><pre tabindex="0">'
        '<code class="language-js"><span class="k">const</span> a = <span class="s">"&lt;b&gt;"</span>\n'
        "</code></pre></figure>\n"
    )
    assert (found.title, found.language, found.over_budget) == ("a & b.js", "js", False)


def test_a_marked_line_is_a_span_and_colours_end_with_the_line() -> None:
    found = highlight.fence("/* a\nb */\nc\n", "js {2} showLineNumbers")
    assert '<figure class="tp-code tp-numbers"' in found.html
    assert (
        '<span class="tp-line"><span class="c">/* a</span>\n</span>'
        '<span class="tp-line tp-marked"><span class="c">b */</span>\n</span>'
        '<span class="tp-line">c\n</span>'
    ) in found.html


@pytest.mark.parametrize("language", ["nosuchlanguage", "mermaid", "text", ""])
def test_an_unknown_language_is_plain_and_keeps_its_label(language: str) -> None:
    found = highlight.fence("a <b>\n", language)
    assert "a &lt;b&gt;\n</code>" in found.html
    assert found.language == language
    assert (f'data-language="{language}"' in found.html) is bool(language)


@pytest.mark.parametrize("language", ["console", "shell-session", "sh-session"])
def test_prompts_and_output_stay_as_they_are(language: str) -> None:
    assert shown(highlight.fence("$ ls\na.txt\n", language).html) == "$ ls\na.txt\n\n"


def test_the_same_block_is_coloured_once() -> None:
    assert highlight.fence("x = 1\n", "python") is highlight.fence("x = 1\n", "python")


def test_what_is_remembered_is_taken_by_code_and_info() -> None:
    before = Fence("<p>before</p>", language="python")
    highlight.remember({highlight.key("y = 2\n", "python {1}"): before})
    try:
        assert highlight.fence("y = 2\n", "python {1}") is before
        assert highlight.fence("y = 2\n", "python {2}") is not before
        assert highlight.key("a", "b {1}") != highlight.key("a {1}", "b")
    finally:
        highlight.remember({})
        highlight.fence.cache_clear()


@pytest.mark.parametrize(
    ("language", "code", "prompts"),
    [
        ("bash", "$ make \\\n  demo\n$ ls\n", 2),
        ("Shell", "$ ls\nREADME.md\n", 1),
        ("python", ">>> 1 + 1\n2\n", 1),
        ("bash", "$HOME/bin/x\n", 0),
        ("js", "$ ls\n", 0),
    ],
)
def test_code_that_begins_with_a_prompt_is_a_session(language: str, code: str, prompts: int) -> None:
    found = highlight.fence(code, language)
    assert shown(found.html) == f"{code}\n"
    assert found.html.count('class="gp"') == prompts
    assert found.language == language


@pytest.mark.parametrize(
    "code",
    [
        "x\n" * (lexers.MAX_CODE // 2 + 1),
        "x\n" * 600 + "x" * (lexers.MAX_LINE + 1) + "\n",
        "x\n" * 600 + "\n" * (lexers.MAX_BLANK + 1),
        "/*\n" * 600,
    ],
    ids=["too long", "a long line", "much white space", "comments that do not end"],
)
def test_over_the_budget_it_is_plain_and_says_so(code: str) -> None:
    found = highlight.fence(code, "js")
    assert found.over_budget
    assert "<span" not in found.html
    assert shown(found.html) == f"{code}\n"
    assert not highlight.fence(code, "nosuchlanguage").over_budget


def test_long_code_is_coloured_in_pieces_and_nothing_is_lost() -> None:
    code = "def f():\n    return 'a'\n\n" * 1500 + "x" * 900 + "\n"
    found = highlight.fence(code, "python")
    assert shown(found.html) == f"{code}\n"
    assert found.html.count('<span class="nf">f</span>') == 1500


def test_a_page_can_be_shown_plain() -> None:
    found = highlight.plain("x = 1\n", 'python title="a" {1}')
    assert '<span class="tp-line tp-marked">x = 1\n</span>' in found.html
    assert (found.title, found.over_budget) == ("a", True)


@given(st.text(), st.text(max_size=60), st.sampled_from(["", "js ", "html ", "python ", "diff ", "console "]))
def test_any_code_is_shown_as_it_is_whatever_the_info_says(code: str, info: str, language: str) -> None:
    code = re.sub(r"\[!code|highlight-", "", code.replace("\0", ""))
    found = highlight.fence(code, f"{language}{info}")
    assert dangers(found.html) == []
    assert shown(found.html).rstrip("\n") == code.rstrip("\n")


@given(st.text(alphabet="ab/*#<!->\n[]code +hiltg:2", max_size=80))
def test_any_comments_leave_whole_lines(code: str) -> None:
    found = fences.lines(code, dict.fromkeys((1, 2), fences.MARKED))
    assert all(line in code for line in found.code.split("\n"))


@pytest.mark.parametrize("language", sorted(lexers.ALIASES))
def test_every_alias_names_a_language_or_none(language: str) -> None:
    known = lexers.ALIASES[language]
    assert (lexers.lexer(language) is not None) is bool(known)


def test_all_classes_are_few_and_short() -> None:
    classes = set(colours.CLASSES.values())
    assert len(classes) <= 14
    assert all(len(name) <= 2 for name in classes)


@pytest.mark.parametrize(("language", "part"), CASES["slow"])
def test_text_that_a_lexer_is_slow_on_is_plain_or_done_in_time(language: str, part: str) -> None:
    code = "".join(f"{part * (240 // len(part))}\n" for _ in range(lexers.MAX_CODE // 242))
    if "\n" in part:
        code = part * (lexers.MAX_CODE // len(part))
    with processor_seconds(5):  # a lexer that is not quick takes a minute
        assert shown(highlight.fence(code, language).html).startswith(part)


OPEN = '"' + "\na" * 200 + "\n"


@pytest.mark.parametrize(("language", "code"), [("maple", OPEN), ("smithy", OPEN), ("mcschema", "<!--\n")])
def test_what_would_take_for_ever_is_plain(language: str, code: str) -> None:
    assert shown(highlight.fence(code, language).html) == f"{code}\n"


TAGS = [("nt", "&lt;Card"), ("na", "title="), ("s", '"A b"'), ("na", "flag"), ("k", ":::note")]


@pytest.mark.parametrize("language", ["md", "mdx"])
@pytest.mark.parametrize(("kind", "text"), TAGS)
def test_tags_and_admonitions_in_pages_are_coloured(language: str, kind: str, text: str) -> None:
    html = highlight.fence('<Card title="A b" flag />\n\n:::note T\na < b\n:::\n', language).html
    assert f'<span class="{kind}">{text}</span>' in html
    assert "a &lt; b" in html


PLUGIN = """
from pygments.lexer import RegexLexer
from pygments.token import Keyword
class SailLexer(RegexLexer):
    name = "Sail"
    aliases = ["sail"]
    tokens = {"root": [(r"sail", Keyword)]}
"""


def test_lexers_that_one_machine_has_beside_pygments_are_not_used(tmp_path: Path) -> None:
    """Pages would be other ones elsewhere."""
    (tmp_path / "sail.py").write_text(PLUGIN)
    about = tmp_path / "sail-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: sail\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pygments.lexers]\nsail = sail:SailLexer\n")
    script = (
        "from pygments.lexers import get_lexer_by_name; from builder.code.lexers import lexer;"
        "print(get_lexer_by_name('sail').name, lexer('sail'), lexer('python').name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "Sail None Python\n"
