"""A quick look tells which texts may have a link to a page: it misses none that a parser finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.moves.link_places import LinkedText, LinkFinder
from builder.moves.moved_links import Moves
from builder.moves.named_places import NamedPlaces
from builder.plan.layout import lay_out
from builder.plan.make_shared import link_table
from builder.site import load
from builder.store import ContentStore

SAMPLE = Path(__file__).parents[3] / "sample-site"

LINKS = [
    ("docs/g/a", "[a](./a)", "docs/g/b", True),
    ("docs/g/a", "[a](a.mdx#x)", "docs/g/b", True),
    ("docs/g/a", "[a](/docs/g/a)", "pages/about", True),
    ("docs/g/a", "[a](../a)", "docs/g/deep/b", True),
    ("docs/g/a", "[a](../g/a)", "docs/h/b", True),
    ("docs/g/a", "[a](../../a)", "docs/g/deep/er/b", True),
    ("docs/g/a", "[a](./a)", "docs/h/b", False),
    ("docs/g/a", "[a](../h/a) and a word", "docs/h/b", False),
    ("docs/g/a", "a word", "docs/g/deep/b", False),
    ("docs/g/index", "[g](/docs/g)", "docs/h/b", True),
    ("docs/g/index", "[g](../g/)", "docs/h/b", True),
    ("docs/ä/ö", "[ö](/docs/%C3%A4/%C3%B6)", "docs/h/b", True),
]


@pytest.mark.parametrize(("place", "text", "base", "may"), LINKS)
def test_a_text_may_link_where_a_link_has_the_name_as_it_is_seen_from_there(
    place: str, text: str, base: str, may: bool
) -> None:
    assert NamedPlaces.of([place]).may_be_in((text,), base) is may


def test_no_link_of_the_sample_site_is_missed() -> None:
    with ContentStore(SAMPLE) as store:
        site = load(store, drafts=True)
    table = link_table(lay_out(site), drafts=True)
    plain, finder, checked = Moves(table, table, {}, {}, {}), LinkFinder(frozenset(site.config.extras)), 0
    for page in site.pages:
        text = LinkedText(page.file, page.document.body, page.format, page.path, whole=True)
        for link in finder.links(text):
            place = plain.wanted(link.address, link.base, link.kind)
            within = place is not None and place[1].startswith("docs/") and place[1] != page.path
            if place is not None and within and place[0] == "page":
                assert NamedPlaces.of([place[1]]).may_be_in((text.text,), text.base), (page.path, link)
                checked += 1
    assert checked > 100
