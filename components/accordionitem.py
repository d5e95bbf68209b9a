"""`AccordionItem`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import coded, content, fill
from components.words import Words

_HTML = """
    <details class="tp-accordion-item"><summary><span>{{ title }}</span></summary>
    <div class="tp-accordion-body">{{ content }}</div></details>
"""


@dataclass(frozen=True, slots=True)
class AccordionItem(Component):
    """One title of an `Accordion` and what it opens to.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `title` | text | `Details` | What is seen while it is closed. |

    It can hold everything that a page can.

    ```mdx
    <Accordion>
      <AccordionItem title="What happens on a free plan?">
        A small notice stands in place of premium components.
      </AccordionItem>
    </Accordion>
    ```
    """

    tag: ClassVar[str] = "AccordionItem"
    premium: ClassVar[bool] = True
    parents: ClassVar[tuple[str, ...]] = ("Accordion",)

    title: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A native disclosure."""
        if not self.title.strip():
            page.report("attribute-missing", "an `AccordionItem` without `title`", "add `title`")
        return fill(_HTML, title=coded(self.title) or page.words.details, content=content(children))

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The title in bold and the content."""
        return twin.blocks([twin.title(self.title), twin.content(children)])
