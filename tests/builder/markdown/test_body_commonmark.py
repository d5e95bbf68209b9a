"""CommonMark and GFM as pages: what `mdx` adds changes nothing where there is no HTML, but for the list.

`md` pages are compared with the specifications in `test_commonmark` and `test_gfm`.
"""

from __future__ import annotations

import pytest

from tests.builder.bodies import rendered
from tests.builder.markdown.commonmark.test_commonmark import has_html
from tests.corpora import examples

EXCEPTIONS = {
    "<a href='bar'title=title>\n": "a tag whose attributes stand close is a tag, as browsers and JSX have it",
    '`Foo\n----\n`\n\n<a title="a lot\n---\nof dashes"/>\n': "no line within a tag begins a block, as in JSX",
}
"""Sources that `mdx` renders otherwise than `md`, and why."""


@pytest.mark.parametrize(("corpus", "count"), [("commonmark-0.31.2", 580), ("gfm-0.29", 600)])
def test_mdx_renders_markdown_as_md_does(corpus: str, count: int) -> None:
    sources = [example["markdown"] for example in examples(corpus) if not has_html(example)]
    assert len(sources) == count
    different = {source for source in sources if rendered(source, "md").html != rendered(source).html}
    assert different == set(EXCEPTIONS)


@pytest.mark.parametrize("corpus", ["commonmark-0.31.2", "gfm-0.29"])
def test_the_twin_of_markdown_is_the_markdown(corpus: str) -> None:
    """But for links, which become absolute, and what the parser reads as HTML."""
    for example in examples(corpus):
        source = example["markdown"]
        if has_html(example) or source in EXCEPTIONS or any(mark in source for mark in ("](", "]:", "<")):
            continue
        assert rendered(source).twin == source, example["example"]
