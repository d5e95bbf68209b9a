"""Text that goes into the twin means in markdown what it meant as text."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from components import twin
from components.html import one_line

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

# Text as the builder hands it over: NUL is replaced before, lone carriage returns are line breaks.
special = st.sampled_from(
    [*"*_`[]()<>~|\\&#-+=.:!1 \na", "&amp;", "**", "```", "http://a.b", "[^1]", "<b>", "{x}"]
)
texts = st.lists(special).map("".join) | st.text(st.characters(exclude_characters="\0"), max_size=40)


def shown(markdown):
    """Return what a reader sees of one block: text and code, without the markup."""
    tokens = PARSER.parse(markdown)
    return "".join(
        part.content if part.type in ("text", "code_inline") else ""
        for token in tokens
        for part in token.children or []
    )


def kinds(markdown):
    return [token.type for token in PARSER.parse(markdown)]


@given(texts)
def test_a_paragraph_shows_its_text_and_nothing_else(text):
    line = one_line(text)
    if not line.strip():
        return
    markdown = twin.paragraph(text)
    assert kinds(markdown) == ["paragraph_open", "inline", "paragraph_close"]
    assert shown(markdown).strip() == line.strip()


@given(texts.map(lambda text: text.replace("`", "")))
def test_a_title_is_bold_and_complete(text):
    if not text.strip():
        assert twin.title(text) == ""
        return
    markdown = twin.title(text)
    [inline] = [token for token in PARSER.parse(markdown) if token.type == "inline"]
    assert [part.type for part in inline.children if part.type != "text"] == ["strong_open", "strong_close"]
    assert shown(markdown) == one_line(text).strip()


@given(texts)
def test_a_code_span_holds_its_text(text):
    line = one_line(text)
    if not line.strip():
        return
    [inline] = [token for token in PARSER.parse(f"x {twin.code(text)}") if token.type == "inline"]
    assert inline.children[-1].type == "code_inline"
    assert inline.children[-1].content == line


@given(texts)
def test_a_link_keeps_its_text_and_its_target(text):
    line = one_line(text)
    if not line.strip():
        return
    [inline] = [
        token for token in PARSER.parse(f"x {twin.link(text, '/a b(c)&amp;<d>|`')}") if token.type == "inline"
    ]
    [link] = [part for part in inline.children if part.type == "link_open"]
    assert link.attrs["href"] == "/a%20b%28c%29&amp;%3Cd%3E%7C%60"
    assert shown(f"x {twin.link(text, '/')}") == f"x {line}"


@given(texts, texts)
def test_an_entry_is_one_list_item_with_term_and_text(term, text):
    body = twin.blocks([twin.paragraph(text), "- inner", "```\ncode\n```"])
    markdown = twin.entry(twin.title(term), body)
    assert kinds(markdown).count("bullet_list_open") == 2
    assert kinds(markdown).count("fence") == 1
    assert markdown.startswith("- ")


def test_an_entry_puts_a_block_below_its_term():
    for block in (
        "# a",
        "- a",
        "1. a",
        "> a",
        "```\na\n```",
        "| a |\n|---|",
        "a\n===",
        "a | b\n--|--",
        "    a",
        "[a]: b",
    ):
        assert twin.entry("term", block) == twin.item("-", f"term\n\n{block}")
    for prose in ("a", "a\nb", "`a` b", "*a* b", "[a](b)", "1a", "-a", "#a"):
        assert twin.entry("term", prose) == twin.item("-", f"term: {prose}")


def test_a_quote_prefixes_every_line():
    assert twin.quote("a\n\n```\n\nb\n```") == "> a\n>\n> ```\n>\n> b\n> ```"


def test_an_item_indents_by_the_width_of_its_marker():
    assert twin.item("10.", "a\n\nb") == "10. a\n\n    b"
