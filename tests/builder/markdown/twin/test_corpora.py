"""The twins of documentation that was written for five other systems: no component's tag is left in them.

Tags that pages are about stand in code there, so no page is excepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.frontmatter import split
from builder.markdown.commonmark import raw_html
from builder.markdown.commonmark.parser import base
from builder.paths import PAGE_SUFFIXES
from tests.builder.bodies import rendered
from tests.corpora import folder

SYSTEMS = ("docusaurus", "mdbook", "mintlify", "mkdocs", "starlight")
_TAG = re.compile(r"</?[A-Z][\w.]*")
_KINDS = frozenset({"html_block", "html_inline", "code_block", "text"})


def pages(system: str) -> list[Path]:
    """The pages of a system's tree."""
    found = sorted(
        path for path in (folder() / "move" / system).rglob("*.md*") if path.suffix in PAGE_SUFFIXES
    )
    assert len(found) > 10
    return found


def twin(page: Path) -> str:
    """The twin of a page's body."""
    body = split(page.read_text("utf-8"), page.name).body
    return rendered(body, PAGE_SUFFIXES[page.suffix]).twin


def tags(markdown: str) -> Iterator[str]:
    """Tags of components outside code spans and fences, as a parser of plain markdown sees them."""
    parser = base("md")
    parser.disable(raw_html.RULE)  # which would take them away
    for token in parser.parse(markdown, {}):
        pieces = token.children or [token]
        yield from (found for one in pieces if one.type in _KINDS for found in _TAG.findall(one.content))


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_tag_of_a_component_is_left_in_a_twin(system: str) -> None:
    left = {page.name: found for page in pages(system) if (found := list(tags(twin(page))))}
    assert left == {}


def test_a_page_whose_fences_stand_at_the_margin_of_indented_children() -> None:
    page = folder() / "move/mintlify/docs/open-source/features/rest-api.mdx"
    shown = twin(page)
    assert (
        "\n  **Run with Docker**\n\n  Pull image\n\n  ```bash\n  docker pull mem0/mem0-api-server\n" in shown
    )
    assert "\n  3. Visit `http://localhost:8000`.\n\n  **Run directly (no Docker)**\n" in shown


def test_tags_are_found_where_there_are_any() -> None:
    assert list(tags("a <Card>b</Card>\n\n<Tabs>\n\n    <Tab>\n\n\\<Step>\n\n`<Code>`\n")) == [
        "<Card", "</Card", "<Tabs", "<Tab", "<Step",
    ]  # fmt: skip
