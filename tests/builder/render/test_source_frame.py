"""Bodies of every kind: the page around the article is that of a harmless body."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from builder.paths import Format
from tests.builder.pages import bodies
from tests.builder.whole_pages import parsed
from tests.sites import build_site

HEAD = "---\ntitle: Title\ndescription: About\n---\n"
CONTENTS = (
    re.compile(r'<details class="tp-contents-bar">.*?</details>\n', re.DOTALL),
    re.compile(r'<nav class="tp-contents" .*?</nav>\n', re.DOTALL),
)
"""The parts that a body's headings add to the page: taken away before pages are compared."""


def page(form: Format, body: str) -> str:
    """The HTML of a page with this body."""
    with TemporaryDirectory() as folder:
        files = {"site.yml": "title: T\nplan: premium\n", f"docs/a.{form}": HEAD + body, "docs/b.md": "b"}
        return build_site(Path(folder), files).text("docs/a.html")


def bare(html: str) -> str:
    """The page without what it has by its headings."""
    for pattern in CONTENTS:
        html = pattern.sub("", html)
    return html


def frame(html: str) -> tuple[str, str]:
    """Return what stands before and after the article's content."""
    before, start, rest = bare(html).partition('<article class="tp-prose">\n')
    _, end, after = rest.rpartition("</article>\n")
    assert start
    assert end
    return before, after


def outline(html: str) -> list[str]:
    """The elements outside the article, as a browser finds them."""
    tree = parsed(bare(html))
    article = next(tree.iter("article"))
    inside = {id(element) for element in article.iter()}
    return [f"{element.tag}{sorted(element.items())}" for element in tree.iter() if id(element) not in inside]


@cache
def harmless(form: Format) -> str:
    return page(form, "Harmless\n")


@pytest.mark.parametrize("form", ["md", "mdx"])
@settings(max_examples=80)
@given(body=bodies() | st.text(max_size=200))
@example(body="</article></main></body></html>")
@example(body="<div>\n\n</div></div></div></article><script>")
@example(body="<!--")
@example(body="<!-- --><title><textarea><plaintext>")
@example(body="<table><tr><td></article>")
@example(body="# Own\n\n## Part\n\n<Callout color='#123456'>a</Callout>\n\n### Part")
@example(body="{{ site.title }} {% raw %} ${a} \ud800")
def test_the_page_around_the_article_is_that_of_a_harmless_body(form: Format, body: str) -> None:
    text = body.encode("utf-8", "replace").decode()
    html = page(form, text)
    assert frame(html) == frame(harmless(form))
    assert outline(html) == outline(harmless(form))
