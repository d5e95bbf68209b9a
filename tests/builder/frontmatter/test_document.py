"""Bodies of pages, packed where a site has many of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from builder.frontmatter.document import Document
from builder.frontmatter.meta import Meta

TEXT = st.text(st.characters(exclude_categories=()))


@given(TEXT, TEXT)
def test_a_body_is_the_same_when_it_is_packed(body: str, other: str) -> None:
    document = Document({}, Meta(), body, 1)
    for _ in range(2):
        document.pack()
        assert (document.text, document.body) == ("", body)
    assert document.with_body(other).body == other
