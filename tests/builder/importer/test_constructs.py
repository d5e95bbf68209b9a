"""At least 95 % of the constructs of each site are mapped, and none is lost without a line in the report.

The constructs are counted by a parser that is not the importer's, and looked for in the built pages.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.importer.old_site import System
from tests import corpora
from tests.builder.importer.counting.comparison import Comparison, table
from tests.builder.importer.counting.counted_site import count_site
from tests.builder.importer.imported import write_origin

LEAST = 95
TREES: list[tuple[System, str]] = [
    ("docusaurus", "website"),
    ("mdbook", "guide"),
    ("mintlify", "docs"),
    ("mkdocs", ""),
    ("starlight", "docs"),
]
_TEXT = (
    "## First\n\nSee [other](./other.md), [there](https://example.org) and `code`.\n\n"
    "| A | B |\n| --- | --- |\n| 1 | 2 |\n\n![Alt](./a.png)\n\n```js\nlet a = 1\n```\n\n"
)
SITES: list[tuple[System, dict[str, str | bytes]]] = [
    (
        "mkdocs",
        {
            "mkdocs.yml": "site_name: A\n",
            "docs/index.md": (
                f'# T {{ #top }}\n\n{_TEXT}!!! note "N"\n    Text\n\n??? tip "More"\n    Text\n\n'
                '=== "One"\n    A\n\n=== "Two"\n    B\n\n```py title="a.py" hl_lines="1"\na = 1\n```\n'
            ),
            "docs/other.md": "# Other\n",
            "docs/a.png": b"",
        },
    ),
    (
        "docusaurus",
        {
            "docusaurus.config.js": "module.exports = {title: 'A', presets: [['classic', {}]]}\n",
            "docs/index.md": (
                f"---\nsidebar_label: S\n---\n# T {{#top}}\n\n{_TEXT}:::note[N]\nText\n:::\n\n"
                '<Tabs><TabItem value="x" label="One">\n\nA\n\n</TabItem></Tabs>\n\n'
                '```js title="a.js"\n// highlight-next-line\nlet b\n```\n'
            ),
            "docs/other.md": "# Other\n",
            "docs/a.png": b"",
        },
    ),
    (
        "mintlify",
        {
            "docs.json": '{"name": "A", "navigation": {"pages": ["index", "other"]}}',
            "index.mdx": (
                f"---\ntitle: T\ndescription: D\n---\n{_TEXT.replace('./other.md', '/other')}"
                "<Note>Text</Note>\n\n<AccordionGroup>\n    <Accordion title='Q'>\n        Text `x`\n"
                "    </Accordion>\n</AccordionGroup>\n\n<CardGroup>\n  <Card title='C' href='/other'>\n"
                "    Text\n  </Card>\n</CardGroup>\n\n<Steps>\n  <Step title='S'>Do</Step>\n</Steps>\n"
            ),
            "other.mdx": "---\ntitle: Other\n---\nText\n",
            "a.png": b"",
        },
    ),
    (
        "mdbook",
        {
            "book.toml": "[book]\ntitle = 'A'\n",
            "src/SUMMARY.md": "# Summary\n\n- [T](index.md)\n- [Other](other.md)\n",
            "src/index.md": f"# T {{#top}}\n\n{_TEXT}> [!NOTE]\n> Text\n\nA[^1].\n\n[^1]: B.\n",
            "src/other.md": "# Other\n",
            "src/a.png": b"",
        },
    ),
]


def _assert_counts(found: Comparison) -> None:
    counted = found.kinds.values()
    untold = [f"{kind}: {each}" for kind, one in found.kinds.items() for each in one.untold]
    shown = table(found.kinds)
    assert sum(one.mapped for one in counted) * 100 >= LEAST * sum(one.all for one in counted), shown
    assert not untold, shown


@pytest.mark.parametrize(("system", "files"), SITES, ids=[each[0] for each in SITES])
def test_constructs_of_a_small_site_are_mapped(
    tmp_path: Path, system: System, files: dict[str, str | bytes]
) -> None:
    root = write_origin(tmp_path / "old", files)
    _assert_counts(count_site(tmp_path / "new", system, root))


@pytest.mark.slow
@pytest.mark.parametrize(("system", "base"), TREES, ids=[each[0] for each in TREES])
def test_constructs_of_whole_trees_are_mapped(tmp_path: Path, system: System, base: str) -> None:
    _assert_counts(count_site(tmp_path, system, corpora.folder() / "move" / system, base))
