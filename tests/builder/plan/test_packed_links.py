"""Links of pages, packed and unpacked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from builder.markdown.page import OutgoingLink
from builder.plan.anchor_check import PageLinks
from builder.plan.packed_links import PackedLinks

TEXT = st.text(st.characters(exclude_categories=()), max_size=5)
"""Also with halves of surrogate pairs, which authors can write as `&#xD800;`."""
NUMBER = st.integers(0, 1 << 30)
LINK = st.builds(OutgoingLink, TEXT, TEXT, NUMBER, NUMBER, TEXT, TEXT)
PAGE = st.builds(PageLinks, TEXT, TEXT, st.frozensets(TEXT), st.lists(LINK, max_size=3).map(tuple))


@given(st.lists(PAGE, max_size=4))
def test_what_was_packed_comes_again_as_often_as_it_is_asked_for(pages: list[PageLinks]) -> None:
    packed = PackedLinks()
    for page in pages:
        packed.append(page)
    assert len(packed) == len(pages)
    assert list(packed) == pages
    assert list(packed) == pages
