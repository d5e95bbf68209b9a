"""Losses, and words shown otherwise than their author meant, are told at their place."""

from __future__ import annotations

import html

import pytest

from builder.paths import Format
from tests.builder.bodies import findings, rendered


@pytest.mark.parametrize("form", ["md", "mdx"])
def test_a_cell_that_is_left_out_is_told_at_its_place(form: Format) -> None:
    body = rendered(
        "| a | b |\n| - | - |\n| 1 | 1 | 1 | |\n| 2 | \\|\n| 3 | `x|y` |\n4 | 4 | | 4 | 4\n| 5 | 5 | | |\n\n"
        "> - | a |\n>   | - |\n>   | 6 |  6 |\n",
        form,
    )
    assert findings(body) == [f"{place} table-cell-dropped" for place in ("3:11", "5:10", "6:11", "11:12")]


@pytest.mark.parametrize("form", ["md", "mdx"])
def test_a_link_or_image_without_a_target_is_its_text(form: Format) -> None:
    body = rendered(
        '![a]()\n\nb [c]( ) [d](/docs/x)\n\n- [e](<>) [f][r]\n\n[r]: <>\n\ng <a href="">h</a>\n', form
    )
    assert findings(body) == [
        "1:6 broken-image",
        "3:7 broken-link",
        "5:7 broken-link",
        "7:6 broken-link",
        "9:12 broken-link",
    ]
    assert "src" not in body.html
    assert body.html.count("href") == 1


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (":::note\na\n:::\n", ["1:1 mdx-only"]),
        ("a\n::: TIP b\n\n> - :::info\n>   c\n", ["2:1 mdx-only", "4:5 mdx-only"]),
        ("a :::note\n\n    :::note\n\n```md\n:::note\n```\n\na:::note\n\n`:::note`\n", []),
        ('<Tabs labels="a">\n\n<TabItem>b</TabItem>\n\n</Tabs>\n', ["1:1 mdx-only", "3:1 mdx-only"]),
        ('a <Card title="b" />\n', ["1:3 mdx-only"]),
    ],
)
def test_what_only_mdx_has_is_told_in_md(source: str, found: list[str]) -> None:
    body = rendered(source, "md")
    assert findings(body) == found
    assert {one.hint for one in body.diagnostics} <= {"rename the file to `.mdx`"}


@pytest.mark.parametrize(
    ("name", "extra"), [("Badge", "badge"), ("Column", "columns"), ("Include", "includes")]
)
def test_a_component_of_an_extra_names_it_in_md(name: str, extra: str) -> None:
    (found,) = rendered(f"a <{name}>b</{name}> c\n", "md").diagnostics
    assert found.code == "mdx-only"
    acts = f"`<{name}>` acts with `{extra}` in `extras` of `site.yml`"
    assert found.hint == f"rename the file to `.mdx`, where {acts}"


@pytest.mark.parametrize(
    ("tag", "hint"),
    [
        ("<Note>", "write `:::note`"),
        ("<Warning title='a'>", "write `:::warning`"),
        ("<tip>", "write `:::tip`"),
        ("<Admonition type='danger'>", "write `:::danger`"),
        ("<Admonition type={x}>", "write `:::note`"),
        ("<Aside>", "write `:::note`"),
        ("<Hint variant='nope'>", "write `:::tip`"),
        ('<card title="x">', "did you mean `Card`?"),
        ("<code-group>", "did you mean `CodeGroup`?"),
        ("<cardgrid>", "did you mean `CardGrid`?"),
        ("<CardGroup>", "did you mean `CardGrid`?"),
        ("<Tab>", "did you mean `TabItem`?"),
        ("<Crad>", "did you mean `Card`?"),
        ("<Icon name='x'>", "write `:icon-name:` with a name of the page Icons"),
        ("<Code lang='js'>", "write a fenced code block"),
        ("<CodeBlock>", "write a fenced code block"),
        ("<video>", "write `![](clip.mp4)` for a film of your own, or a link"),
        ("<figure>", "write the image alone: `![text](plan.png)`"),
        ("<h3>", "write `###` and a blank before its text, on a line of its own"),
    ],
)
@pytest.mark.parametrize("frame", ["{}\na\n</{}>\n", "a {}b</{}>\n"], ids=["block", "inline"])
def test_a_tag_that_is_no_component_is_told_with_what_to_write(frame: str, tag: str, hint: str) -> None:
    name = tag.strip("<>").split()[0]
    assert [one.hint for one in rendered(frame.format(tag, name)).diagnostics] == [hint]


@pytest.mark.parametrize("tag", ["<div>", "<aside>", "<Xyzzy>"])
def test_other_tags_have_no_name_to_offer(tag: str) -> None:
    body = rendered(f"{tag}\na\n</{tag[1:]}\n")
    assert not any("`" in one.hint for one in body.diagnostics)


def test_a_text_that_others_have_in_an_attribute_belongs_between_the_tags() -> None:
    (found,) = rendered('<Card title="a" description="b">\n</Card>\n').diagnostics
    assert (found.code, found.column) == ("attribute-unknown", 17)
    assert found.hint == "write its text between `<Card>` and `</Card>`"


def test_a_share_of_the_width_is_told_with_what_can_be_written() -> None:
    (found,) = rendered('<img alt="a" src="https://i.example/a.png" width="70%" />\n').diagnostics
    assert (found.code, found.hint) == ("attribute-invalid", 'write pixels, as in `width="400"`')


@pytest.mark.parametrize("line", ["::: package.module", "::: my_package", "::: thing\n    options:"])
def test_a_reference_out_of_code_is_told_once(line: str) -> None:
    body = rendered(f"{line}\n", "mdx")
    assert [one.code for one in body.diagnostics] == ["foreign-syntax"]
    assert ":::" in body.html


def test_what_a_component_says_about_an_attribute_is_told_at_its_value() -> None:
    body = rendered(
        '<CardGrid\n  cols="99">\n<Card title="a"\n  icon="no-such"\n  icon={"nor-this"} {...b} />\n'
        "</CardGrid>\n\n"
        '## C\n\n- <Endpoint method="GET"\n    path="/d" id="c" />\n\n'
        '<Tabs labels="e,,f">\n<TabItem>g</TabItem>\n<TabItem>h</TabItem>\n</Tabs>\n\n'
        '<Embed src="https://i.example/" />\n<Embed />\n'
    )
    assert findings(body) == [
        "2:8 attribute-invalid",
        "5:3 attribute-invalid",
        "5:8 icon-unknown",
        "5:21 attribute-expression",
        "11:18 heading-id-taken",
        "13:14 labels-mismatch",
        "13:14 labels-mismatch",
        "18:12 embed-host",
        "19:1 attribute-missing",
    ]


def test_an_address_in_raw_html_is_told_at_its_place() -> None:
    body = rendered(
        "The gone word, see <a href=\"gone\">x</a> and <A HREF = 'gone'>y</a>.\n"
        '![b](g/nope.png) and <img alt="nope.png" src=nope.png>\n\n'
        '<div>\nnope.png <img src="nope.png" alt=""></div>\n',
        "md",
    )
    assert findings(body) == [
        "1:29 broken-link",
        "1:56 broken-link",
        "2:6 broken-image",
        "2:46 broken-image",
        "5:20 broken-image",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("{false}", "false"),
        ("{true}", "true"),
        ("{0}", "0"),
        ("{-1.5}", "-1.5"),
        ('{"x"}', "x"),
        ('{["a", true, 2]}', '["a", true, 2]'),
        ("{[]}", "[]"),
        ('"ä"', "ä"),
        ("{['ä']}", '["ä"]'),
    ],
)
def test_a_text_in_braces_is_shown_as_it_is_written(value: str, shown: str) -> None:
    body = rendered(f'<Params>\n<Param name="n" default={value} />\n</Params>')
    assert not body.diagnostics
    assert body.twin == f"- `n` default `{shown}`"
    assert f"default <code>{html.escape(shown)}</code>" in body.html.replace("&#34;", "&quot;")


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<Card href={true} />", "`href` cannot be `true`"),
        ("<Card href={[1, 'b']} />", '`href` cannot be `[1, "b"]`'),
        ("<Card title />", "`title` cannot be without a value"),
        ("<CardGrid cols={false} />", "`cols` cannot be `false`"),
    ],
)
def test_a_value_that_cannot_be_is_named_as_its_author_wrote_it(tag: str, message: str) -> None:
    assert message in [one.message for one in rendered(tag).diagnostics]
