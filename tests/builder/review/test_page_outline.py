"""The outline of a page says what stands in it as it is rendered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from builder.review import Review
from builder.review.outline_structs import MOST, Landmark, OutlineImage, PageOutline
from builder.store import ContentStore
from tests.sites import write_site

RICH = """---
title: Guide
draft: true
---

Some %{product} words. [Here](/docs/other) [and](#steps) [there](https://example.com/x) <a@b.example>

<CardGrid>
  <Card title="A">One <Method type="get" /></Card>
  <Card title="B">Two</Card>
  <Card title="C">Three</Card>
</CardGrid>

## Steps

<Steps>

  <Step title="First">

  ```sh title="terminal"
  one
  two
  ```

  </Step>

  <Step title="Second">

  :::note
  Within.
  :::

  </Step>

</Steps>

### A *fine* table {#fine}

| Name | Value |
| --- | --- |
| a | 1 |
| b | 2 |

![A box](./box.svg) ![Gone](./gone.png) ![Far](https://example.com/far.png)

## Troubleshooting

$x^2$

`<h2>no heading</h2>`
"""
SITE = {
    "site.yml": "title: T\nurl: https://t.example/base\nextras: [math, diagrams]\n"
    "variables: {product: Twin Press}\n",
    "docs/guide.mdx": RICH,
    "docs/box.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"></svg>',
    "docs/other.md": "# Other\n\n<table><tr><td>raw</td></tr></table>\n",
    "docs/long.md": "# Long\n\n" + "".join(f"## H{number}\n\n" for number in range(MOST + 5)),
    "docs/empty.mdx": "",
    "docs/params.mdx": "# P\n\n"
    + "".join(
        f'<Param name="p{number}" type="text">\n\n:::note\nN\n:::\n\n</Param>\n\n' for number in range(12)
    ),
    "docs/drawn.mdx": "# D\n\n```mermaid\nflowchart LR\nA --> B\n```\n\n```sh\nls\n```\n",
}


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Review]:
    root = write_site(tmp_path_factory.mktemp("outline"), SITE)
    with ContentStore(root) as store:
        yield Review(root, store)


@pytest.fixture(scope="module")
def rich(review: Review) -> PageOutline:
    found = review.outline_of("docs/guide", full=True)
    assert found is not None
    return found


def test_a_short_outline_sums_components_up_and_leaves_landmarks_out(review: Review) -> None:
    found, params = review.outline_of("docs/guide"), review.outline_of("docs/params")
    assert found is not None
    assert params is not None
    assert found.landmarks is None
    assert [(one.name, one.line, one.count, one.holds) for one in found.components] == [
        ("CardGrid", 3, 1, {"Card": 3, "Method": 1}),
        ("Steps", 11, 1, {"Step": 2, "Admonition": 1}),
    ]
    assert [(one.name, one.count, one.holds) for one in params.components] == [
        ("Param", 12, {"Admonition": 12})
    ]


def test_a_diagram_is_one_entry_and_neither_image_nor_code(review: Review) -> None:
    found = review.outline_of("docs/drawn")
    assert found is not None
    assert [(bool(one.alt), bool(one.width), bool(one.height)) for one in found.diagrams] == [
        (True, True, True)
    ]
    assert found.images == []
    assert [(one.language, one.lines) for one in found.code] == [("sh", 1)]


def test_headings_have_level_text_and_id_with_the_title_first(rich: PageOutline) -> None:
    assert [(one.level, one.text, one.id) for one in rich.headings] == [
        (1, "Guide", ""),
        (2, "Steps", "steps"),
        (3, "A fine table", "fine"),
        (2, "Troubleshooting", "troubleshooting"),
    ]


def test_components_have_their_lines_in_the_body_and_what_they_hold(rich: PageOutline) -> None:
    body = RICH.partition("---\n\n")[2].splitlines()
    found = [(one.name, one.depth, one.holds) for one in rich.components]
    assert found == [
        ("CardGrid", 0, {"Card": 3}),
        ("Card", 1, {"Method": 1}),
        ("Method", 2, {}),
        ("Card", 1, {}),
        ("Card", 1, {}),
        ("Steps", 0, {"Step": 2}),
        ("Step", 1, {}),
        ("Step", 1, {"Admonition": 1}),
        ("Admonition", 2, {}),
    ]
    shown = [body[one.line - 1].strip() for one in rich.components]
    assert shown[0] == "<CardGrid>"
    assert shown[4] == '<Card title="C">Three</Card>'
    assert shown[7:] == ['<Step title="Second">', ":::note"]


def test_images_have_the_sizes_of_their_files_and_broken_ones_are_marked(rich: PageOutline) -> None:
    assert rich.images == [
        OutlineImage("/base/docs/box.svg", "A box", 40, 20, broken=False),
        OutlineImage("/base/docs/gone.png", "Gone", None, None, broken=True),
        OutlineImage("https://example.com/far.png", "Far", None, None, broken=False),
    ]


def test_tables_code_links_formulas_and_words_are_counted(rich: PageOutline) -> None:
    assert [(one.headers, one.rows) for one in rich.tables] == [(["Name", "Value"], 2)]
    assert [(one.language, one.title, one.lines) for one in rich.code] == [("sh", "terminal", 2)]
    assert (rich.internal_links, rich.external_links, rich.formulas, rich.diagrams) == (2, 1, 1, [])
    assert 20 < rich.words < 60
    assert rich.draft
    assert not rich.cut


def test_landmarks_have_the_names_that_screen_readers_say(rich: PageOutline) -> None:
    assert rich.landmarks is not None
    assert {Landmark("banner", ""), Landmark("main", ""), Landmark("navigation", "On this page")} <= set(
        rich.landmarks
    )


def test_a_list_that_is_too_long_is_cut_and_says_so(review: Review) -> None:
    found = review.outline_of("docs/long")
    assert found is not None
    assert (len(found.headings), found.cut) == (MOST, True)


def test_a_page_of_nothing_has_its_title_and_raw_html_its_table(review: Review) -> None:
    empty, other = review.outline_of("docs/empty"), review.outline_of("docs/other")
    assert empty is not None
    assert other is not None
    assert [one.text for one in empty.headings] == ["Empty"]
    assert (empty.words, empty.components, empty.draft) == (1, [], False)
    assert [one.rows for one in other.tables] == [1]


def test_a_page_that_is_not_there_has_none(review: Review) -> None:
    assert review.outline_of("docs/none") is None
