from pathlib import Path

import pytest

from components import icons, reference
from components.admonition import Admonition
from components.registry import EXTRAS, components_of

FOLDER = Path(__file__).parents[2] / "sample-site" / "docs" / "components"
PAGES = reference.pages()
FAMILIES = (*reference.FAMILIES, *reference.EXTRA_FAMILIES)
COMPONENTS = components_of(frozenset(EXTRAS))


def test_the_documentation_site_has_exactly_the_generated_pages():
    """After a change: `python -m components.reference sample-site/docs/components`."""
    assert {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()} == PAGES


def test_every_component_is_explained_once():
    told = [member for family in FAMILIES for member in family.members]
    assert sorted(member.tag for member in told) == sorted([*COMPONENTS, Admonition.tag])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.file)
def test_a_page_shows_each_example_and_its_source(family):
    page = PAGES[family.file]
    for member in family.members:
        for example in reference.documentation(member).examples:
            assert page.count(f"\n{example}\n") == 2


def test_the_overview_shows_every_component():
    assert all(f"<{tag}" in PAGES["index.mdx"] for tag in COMPONENTS)
    assert ":::note" in PAGES["index.mdx"]


def test_the_icon_page_lists_every_name():
    listed = {name for name in icons.KNOWN if f"`{name}`" in PAGES["icons.mdx"]}
    assert listed == icons.KNOWN


def test_the_pages_are_written_into_a_new_folder(tmp_path):
    reference.main(tmp_path / "docs" / "components")
    assert {file.name for file in (tmp_path / "docs" / "components").iterdir()} == set(PAGES)
