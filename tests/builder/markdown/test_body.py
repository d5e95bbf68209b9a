"""The results of rendering a body beside its HTML: ids, contents, links, findings, and where each is."""

from __future__ import annotations

import pickle

import pytest

from builder.markdown.body import render
from builder.markdown.commonmark.toc import TocEntry
from builder.markdown.context import Context
from builder.markdown.page import BodySource, OutgoingLink
from tests.builder.bodies import SITE, faults, findings, rendered, words


def test_headings_have_ids_and_entries_in_the_order_of_the_page() -> None:
    body = rendered(
        "# One\n\n<Card>\n\n## In a card {#card}\n\n</Card>\n\n## One\n\n"
        '<Endpoint method="GET" path="/a" summary="Reads a" id="get-a">\n\n### Inside\n\n</Endpoint>\n\n'
        "## `Last` *one*\n"
    )
    assert [(entry.level, entry.id) for entry in body.toc] == [
        (1, "one"),
        (2, "card"),
        (2, "one-1"),
        (3, "get-a"),
        (3, "inside"),
        (2, "last-one"),
    ]
    assert body.toc[-1] == TocEntry(2, "last-one", "Last one")
    assert body.ids >= {"one", "card", "one-1", "get-a", "inside", "last-one"}
    assert body.heading == "One"


def test_a_chosen_id_is_kept_from_headings_before_it() -> None:
    body = rendered("## Taken\n\n## Other {#taken}\n")
    assert [entry.id for entry in body.toc] == ["taken-1", "taken"]
    assert not body.diagnostics


def test_an_id_that_is_taken_or_the_themes_is_replaced() -> None:
    body = rendered('## A {#x}\n\n## B {#x}\n\n## C {#tp-c}\n\n<a id="x"></a> <a id="y"></a>\n\n## Y\n')
    assert [entry.id for entry in body.toc] == ["x", "b", "c", "y-1"]
    assert findings(body) == ["3:4 heading-id-taken", "5:4 heading-id-taken", "7:1 heading-id-taken"]
    assert body.ids == {"x", "b", "c", "y", "y-1"}


def test_ids_are_given_as_links_write_them() -> None:
    body = rendered('## Größe & Maß\n\n## C {#a&b"<}\n')
    assert body.ids == {"größe--maß", 'a&b"<'}
    assert not faults(body.html)


def test_the_themes_own_ids_are_no_targets() -> None:
    body = rendered('<Tabs labels="a">\n<TabItem>b[^1]</TabItem>\n</Tabs>\n\n[^1]: c\n')
    assert "tp-" in body.html
    assert body.ids == frozenset()


@pytest.mark.parametrize(
    ("source", "heading"),
    [
        ("# A *b* `c`\n", "A b c"),
        ("import a from 'b'\n\n# A\n", "A"),
        ("[x]: /y\n\n# A [b][x]\n", "A b"),
        ('# Use <Method method="get" /> {a}\n', "Use GET"),
        ("A\n===\n", "A"),
        ("a\n\n# B\n", None),
        ("## A\n", None),
        ("<Card>\n\n# A\n\n</Card>\n", None),
        ("", None),
    ],
)
def test_the_heading_that_the_body_begins_with(source: str, heading: str | None) -> None:
    assert rendered(source).heading == heading


def test_links_are_resolved_and_those_with_a_fragment_remembered() -> None:
    body = rendered(
        "[a](../x.md#y) and\n> [b](#z), [c](../x.md) ![d](/img/a.png) [e](https://example.com/#f)\n"
    )
    assert 'href="/docs/x#y"' in body.html
    assert 'href="#z"' in body.html
    assert 'src="/img/a.png"' in body.html
    assert body.links == (
        OutgoingLink("docs/x", "y", 1, 5, "../x.md#y"),
        OutgoingLink("docs/guide/install", "z", 2, 7, "#z"),
    )


def test_faulty_links_are_told_at_their_destination() -> None:
    body = rendered(
        "[a](nope.md)\n\n- > ![b]( <nope.png> 'c')\n\n[d][r] [e][r]\n\n[r]:\n  nope-r\n\n"
        "| a |\n| - |\n| \\| [f](../secret.md) |\n\n[g](javascript:x) <vbscript:y>\n\n"
        '<Card title="h" href="nope-h">\n\n<a href="nope-i">i</a>\n\n</Card>\n'
    )
    assert findings(body) == [
        "1:5 broken-link",
        "3:11 broken-image",
        "8:3 broken-link",
        "12:10 link-draft",
        "14:5 link-unsafe",
        "14:20 link-unsafe",
        "16:22 broken-link",
        "18:9 broken-link",
    ]


def test_a_refused_link_is_its_text() -> None:
    body = rendered("[a *b*](javascript:x) ![c](data:d) <javascript:e> [f](//g)\n")
    assert body.html == "<p>a <em>b</em> c &lt;javascript:e&gt; f</p>\n"
    assert "javascript:x" not in body.twin


def test_media_are_played() -> None:
    body = rendered("![Clip](./clip.mp4)\n")
    assert '<video class="tp-media" src="/docs/guide/clip.mp4"' in body.html


def test_components_report_at_their_place() -> None:
    body = rendered(
        'a\n\n- > <Card title="T" icon="rokcet">\n  > <Callout color="nocolour">b</Callout>\n  > </Card>\n'
    )
    assert findings(body) == ["3:26 icon-unknown", "4:20 color-unknown"]


def test_hidden_premium_parts_leave_nothing_anywhere() -> None:
    source = (
        'a\n\n<Callout color="#7c3aed">\n\n## Secret {#secret}\n\n[secret](#secret) ![secret](secret.png)\n\n'
        '```secret\nsecret\n```\n\n<a id="secret"></a> <Crad title="secret" />\n\n'
        "[r]: /secret\n\n[^1]: secret\n\n</Callout>\n\nb [r] c[^1] <Callout>secret</Callout>\n"
    )
    body = rendered(source, premium=False)
    assert "secret" not in f"{body.html}{body.twin}{body.toc}{body.ids}{body.links}".lower()
    assert "secret" not in "".join(one.message + one.hint for one in body.diagnostics)
    assert [found for found in findings(body) if "premium" in found] == [
        "3:1 premium-hidden",
        "21:13 premium-hidden",
    ]
    assert "secret" in rendered(source).twin


@pytest.mark.parametrize("depth", [33, 45])
def test_hidden_premium_parts_stay_hidden_where_nothing_is_parsed(depth: int) -> None:
    source = f"{'> ' * depth}a\n{'> ' * depth}\n{'> ' * depth}<Callout>secret</Callout>\n"
    body = rendered(source, premium=False)
    assert "secret" not in body.html
    assert "secret" not in body.twin


def test_what_is_too_deep_is_shown_as_text() -> None:
    body = rendered("<Card>\n" * 40 + "word\n" + "</Card>\n" * 40)
    assert "budget-exceeded" in [one.code for one in body.diagnostics]
    assert "word" in words(body.html)
    assert not faults(body.html)


def test_what_is_too_long_is_shown_as_text() -> None:
    body = rendered("*word* " * 1000 + "\n\n" + "- *a*\n" * 80_000 + "\nlast\n")
    assert "the page is too long" in body.diagnostics[-1].message
    assert "last" in words(body.html)
    assert "last" in words(body.twin)


def test_the_longest_page_is_parsed_whole_when_it_is_prose() -> None:
    line = "A sentence of *ordinary* prose with a [link](../x.md), some `code` and nothing else of note.\n"
    plain = (
        "Then one that has no such thing, but goes on for about as long as the one that stood before it.\n"
    )
    body = rendered((line + plain * 3 + "\n") * (1_040_000 // (len(line) * 4)))
    assert not body.diagnostics


def test_an_unclosed_fence_is_told() -> None:
    body = rendered("a\n\n- ```js\n  b\n\nc\n\n~~~\nd\n")
    assert findings(body) == ["3:3 fence-unclosed", "8:1 fence-unclosed"]


def test_line_ends_and_nul_are_made_equal() -> None:
    body = rendered("a\r\nb\rc\0\r\n\r\n<b>d</b>\r\n")
    assert body.html == "<p>a\nb\nc\ufffd</p>\n<p>d</p>\n"
    assert findings(body) == ["5:1 html-dropped"]


def test_raw_html_of_md_pages_is_resolved_and_clean() -> None:
    body = rendered(
        '<div onclick="x">\n<a href="../x.md#y">a</a>\n<img src="nope.png" alt="">\n</div>\n\n'
        "> [!TIP]\n> b\n\n```js\nc\n```\n",
        "md",
    )
    assert 'href="/docs/x#y"' in body.html
    assert "onclick" not in body.html
    assert 'class="tp-admonition tp-tip"' in body.html
    assert 'class="tp-code"' in body.html
    assert findings(body) == ["1:1 html-dropped", "3:11 broken-image"]
    assert body.links == (OutgoingLink("docs/x", "y", 2, 10, "../x.md#y"),)


def test_an_alert_is_an_admonition() -> None:
    found = rendered("> [!IMPORTANT]\n> a\n>\n> ```js\n> b\n> ```\n", "md").html
    assert found.startswith('<aside class="tp-admonition tp-')
    assert "Important" in found


def test_icons_have_a_name_where_they_stand_alone() -> None:
    body = rendered("| :icon-rocket: | :icon-rocket: a [:icon-rocket:](/docs/x) |\n| - | - |\n")
    assert body.html.count('aria-label="rocket"') == 2
    assert body.html.count('aria-hidden="true"') == 1


def test_rendering_is_pure() -> None:
    source = '# A\n\n<Tabs labels="a,b">\n<TabItem>{x}</TabItem>\n<TabItem>[y](nope)</TabItem>\n</Tabs>\n'
    assert rendered(source) == rendered(source)
    assert pickle.loads(pickle.dumps(rendered(source))) == rendered(source)


def test_lines_count_from_the_first_line_of_the_body() -> None:
    body = render(BodySource("a {b}\n", "mdx", "docs/x.mdx", 7, "docs/x"), Context(True, (), SITE))
    assert [(one.file, one.line, one.column) for one in body.diagnostics] == [("docs/x.mdx", 7, 3)]


LINKS = [
    ('target="_blank"', 'target="_blank" rel="noopener"', []),
    ('target="_blank" rel="NoFollow"', 'target="_blank" rel="nofollow noopener"', []),
    ('rel="me"', 'rel="me"', []),
    ('target="_self"', "", ["attribute-invalid"]),
    ('rel="opener" target="_blank"', 'target="_blank" rel="noopener"', ["attribute-invalid"]),
    ('class="x"', "", ["attribute-unknown"]),
]


@pytest.mark.parametrize(("given", "kept", "codes"), LINKS)
def test_a_link_of_an_mdx_page_may_open_a_tab_that_knows_no_opener(
    given: str, kept: str, codes: list[str]
) -> None:
    body = rendered(f'<a href="https://o.example/" {given}>x</a>')
    assert body.html == f'<p><a href="https://o.example/"{f" {kept}" if kept else ""}>x</a></p>\n'
    assert [found.code for found in body.diagnostics] == codes
    assert all(found.hint for found in body.diagnostics if found.code == "attribute-unknown")
