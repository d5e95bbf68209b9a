"""Parts, own components, code from files and variables in the places where pages ask for them."""

from __future__ import annotations

import html

import pytest

from builder.markdown.parts.expansion import MOST
from tests.builder.cases import Case, cases
from tests.builder.included import BOTH, expanded, files_of, told
from tests.time_bounds import processor_seconds

PREMIUM = {
    "in a part": {"docs/_p.mdx": "Free.\n\n<Callout>Paid.</Callout>\n"},
    "opened by a part": {"docs/_p.mdx": "Free.\n\n<Callout>\n", "docs/_q.mdx": "Paid.\n</Callout>\n"},
    "opened by a value": {
        "docs/_p.mdx": "Free.\n\n<Include src='/_q.mdx' x='<Callout>' />",
        "_q.mdx": "%{x}Paid.",
    },
    "in a slot": {
        "docs/_p.mdx": "Free.\n\n<Box>Paid.</Box>",
        "_components/Box.mdx": "<Callout><Slot/></Callout>",
    },
}
QUOTES, TABS, FAR = ">" * 5_000, f"\n{chr(9) * 40}>>", f"\n{chr(9) * 9_000}x"
LETTERS = "abcdefghijklmnopqrstuvwxyz" * 8
BOMBS = {
    "values of values": {
        **{f"docs/_{n}.mdx": f"<Include src='_{n + 1}.mdx' v='{'%{v}' * 200}x' />\n" for n in range(8)},
        "docs/_8.mdx": "%{v}\n",
    },
    "unknown names": {
        "docs/_0.mdx": f"<Include src='_1.mdx' {' '.join(f'{LETTERS[n] * 40}{n}=x' for n in range(190))} />",
        "docs/_1.mdx": " ".join(f"%{{{LETTERS[n % 190] * 39}z{n}}}" for n in range(9_000)),
    },
    "indented, quoted": {
        "docs/_0.mdx": f"{QUOTES}<Box>{TABS * 9_000}</Box>\n\n<Box>{FAR * 30}x</Box>\n",
        "_components/Box.mdx": "<Slot/>",
    },
    "empty lines": {"docs/_0.mdx": f"<Box>{chr(10) * 400_000}x</Box>\n", "_components/Box.mdx": "<Slot/>"},
    "far from the margin, everywhere": {
        "docs/_0.mdx": "".join(f"    <Include src='_{n}.mdx' />\n\n- x\n" for n in range(1, 90)),
        **{f"docs/_{n}.mdx": f"    - %{{v}} *a*\n{n}" * 3_000 for n in range(1, 90)},
    },
    "tens of tens": {
        **{f"docs/_{n}.mdx": f"<Include src='_{n + 1}.mdx' />\n\n" * 10 for n in range(8)},
        "docs/_8.mdx": "end\n",
    },
    "a large part": {"docs/_0.mdx": "<Include src='_1.mdx' />\n" * 20_000, "docs/_1.mdx": "x" * 300_000},
    "an empty part": {"docs/_0.mdx": "<Include src='_1.mdx' />\n" * 40_000, "docs/_1.mdx": ""},
    "slots in slots": {
        "docs/_0.mdx": "<Two>" * 60 + "x" + "</Two>" * 60, "_components/Two.mdx": "<Slot/> <Slot/>",
    },
    "far from the margin": {
        "docs/_0.mdx": f"{' ' * 3_000}- <Include src='_1.mdx' />\n" * 30,
        "docs/_1.mdx": "x\n" * 30_000,
    },
    "values": {"docs/_0.mdx": f"<Include src='_1.mdx' v='{'v' * 9_000}' />\n", "docs/_1.mdx": "%{v}" * 9_000},
    "code": {"docs/_0.mdx": "```txt file='/a.txt'\n```\n" * 9_000, "a.txt": "line\n" * 20_000},
}  # fmt: skip


@pytest.mark.parametrize("case", cases("parts", 3), ids=lambda case: case.title)
def test_what_is_asked_for_stands_in_its_place(case: Case) -> None:
    files = files_of(case.parts[0])
    found = expanded(files.pop("page"), files)
    assert found.twin.strip("\n") == case.parts[1].strip("\n")
    assert "\n".join(told(found)) == case.parts[2].strip("\n")


@pytest.mark.parametrize("files", PREMIUM.values(), ids=PREMIUM)
def test_premium_parts_are_hidden_after_all_is_in_its_place(files: dict[str, str]) -> None:
    page = "".join(f"<Include src='{file[5:]}' />\n" for file in files if file.startswith("docs/"))
    found = expanded(page, files, premium=False)
    assert "Free." in found.html
    assert "Paid." not in found.html + found.twin


def test_a_part_of_several_blocks_is_the_definition_of_a_term() -> None:
    part = {"docs/_p.mdx": "One.\n\n- a\n\n```sh\nx\n```\n"}
    text = "Term\n: <Include src='_p.mdx' />\n\nAfter.\n"
    found = expanded(text, part, extras=BOTH | {"definition-lists"})
    begin, _, rest = found.html.partition("</dd>")
    assert [begin.count(one) for one in ("<p>One.</p>", "<li>a</li>", "<figure")] == [1, 1, 1]
    assert rest.strip() == "</dl>\n<p>After.</p>"
    assert found.twin.startswith("Term\n: One.\n\n  - a\n\n  ```sh\n  x\n")


ROW = "| a | b |\n|---|---|\n| x | {} |\n| y | z |\n"


@pytest.mark.parametrize(
    ("tag", "part", "is_left_out"),
    [
        ("<Include src='_p.mdx' />", "One\n\ntwo.", True),
        ("<Include src='_p.mdx' />", "One two.\n", False),
        ("<Box>in</Box>", "- <Slot/>\n- b", True),
        ("<Box>in</Box>", "_<Slot/>_", False),
        ("<Box/>", "<Include src='/docs/_lines.mdx' />", True),
    ],
)
def test_what_has_several_lines_does_not_tear_a_row_of_a_table(
    tag: str, part: str, is_left_out: bool
) -> None:
    files = {"docs/_p.mdx": part, "_components/Box.mdx": part, "docs/_lines.mdx": "One\n\ntwo."}
    found = expanded(ROW.format(tag), files)
    assert "<td>y</td>\n<td>z</td>" in found.html
    assert [one.code for one in found.diagnostics] == ["include-refused"] * is_left_out


@pytest.mark.parametrize("files", BOMBS.values(), ids=BOMBS)
def test_what_grows_without_end_is_left_out(files: dict[str, str]) -> None:
    with processor_seconds(2):
        found = expanded("<Include src='_0.mdx' />\n", files)
    assert len(found.html) < 24 * MOST


def test_headings_of_parts_are_in_the_table_of_contents() -> None:
    found = expanded("# P\n\n<Include src='_p.mdx' />\n", {"docs/_p.mdx": "## A\n\n### B\n"})
    assert [entry.label for entry in found.toc] == ["P", "A", "B"]


@pytest.mark.parametrize("text", ["<Include src='_p.mdx' /> %{v}", "<Plan/>", "```py vars\n%{v}\n```"])
def test_without_extras_and_variables_nothing_is_another(text: str) -> None:
    files = {"docs/_p.mdx": "part", "_components/Plan.mdx": "plan"}
    assert expanded(text, files, extras=frozenset()) == expanded(text, {}, extras=frozenset())
    assert "part" not in expanded(text, files, extras=frozenset()).html


def test_the_hint_says_what_to_switch_on() -> None:
    hints = [one.hint for one in expanded("<Include src='_p.mdx' />", {}, extras=frozenset()).diagnostics]
    assert hints == ["add `includes` to `extras` in `site.yml`"]


def test_the_hint_for_an_import_is_the_line_to_write() -> None:
    found = expanded("import X from './_x.mdx'\n\n<X/>\n", {}, extras=frozenset())
    assert '<Include src="./_x.mdx" />' in found.diagnostics[0].hint


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hello %{name}.", "Hello Ann."),
        ("[x](/docs/%{page})", "[x](https://o.example/docs/start)"),
        ('<Card title="%{name}" href="/docs/start">x</Card>', "- [Ann](https://o.example/docs/start): x"),
        ("\\%{name}", "%\\{name}"),
        ("`%{name}`", "`%{name}`"),
        ("```sh vars\n%{name}\n```", "```sh\nAnn\n```"),
        ("```sh\n%{name}\n```", "```sh\n%{name}\n```"),
        ("```sh vars\n\\%{name} %{name}\n\\%{name}\n```", "```sh\n%{name} Ann\n%{name}\n```"),
        ("> ```sh vars\n> \\%{name}\n> ```", "> ```sh\n> %{name}\n> ```"),
        ('```sh title="of %{name}"\n%{name}\n```', '```sh title="of Ann"\n%{name}\n```'),
        ('```sh vars title="\\%{name}"\nx\n```', '```sh title="\\%{name}"\nx\n```'),
        ('```sh file="/examples/%{page}.sh" vars\n```', "```sh\nAnn %{name} %{none}\n```"),
        ("{name} %{other}", " %\\{other}"),
    ],
)
def test_a_variable_stands_for_its_text(text: str, shown: str) -> None:
    files = {"examples/start.sh": "%{name} \\%{name} %{none}\n"}
    known = {"name": "Ann", "page": "start"}
    found = expanded(text, files, known, extras=BOTH if "file=" in text else frozenset())
    assert found.twin.strip("\n") == shown


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ('"%{odd}"', "a \"b' `c` & &lt; \\"),
        ("'%{odd}'", "a \"b' `c` & &lt; \\"),
        ('"\\%{odd}"', "%{odd}"),
    ],
)
def test_the_title_of_code_has_a_value_as_it_is(given: str, title: str) -> None:
    found = expanded(f"```sh title={given}\nx\n```", {}, {"odd": "a \"b' `c` & &lt; \\"}, extras=frozenset())
    assert f">{title}<" in html.unescape(found.html)


def test_a_value_cannot_leave_its_attribute() -> None:
    found = expanded('<Card title="%{v}">x</Card>', {}, {"v": '" href="/docs/start'}, extras=frozenset())
    assert 'href="/docs/start' not in found.html
