"""`Accordion`, and `AccordionItem`, a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import anchors, strays, twin
from components.base import Child, Component, Page
from components.html import coded, content, fill, one_line, stray
from components.words import Words

_HTML = """
    {% if parts %}<div class="tp-accordion">{% for part in parts %}{{ part }}{% endfor %}</div>{% endif %}
"""


class Accordion(Component, frozen=True):
    """A list of titles, such as questions; each opens to show its content.

    It has no attributes. It works without script, and the browser's own search finds text in closed items.

    ```mdx
    <Accordion>
      <AccordionItem title="Can I take my pages with me?">
        Yes. They are plain files in folders.
      </AccordionItem>

      <AccordionItem title="Do readers need JavaScript?">
        No. Everything can be read without it.
      </AccordionItem>
    </Accordion>
    ```
    """

    tag: ClassVar[str] = "Accordion"
    premium: ClassVar[bool] = True

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The items, one below the other."""
        strays.check(children, AccordionItem, Accordion, page)
        return fill(_HTML, parts=[_part(child) for child in children if child.content.strip()])

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The items, one after the other."""
        return twin.content(children)


def _part(child: Child) -> Markup:
    return Markup(child.content) if isinstance(child.component, AccordionItem) else stray(child)


_ITEM = """
    <details class="tp-accordion-item" id="{{ id }}"><summary><span>{{ title }}</span></summary>
    <div class="tp-accordion-body">{{ content }}</div></details>
"""


class AccordionItem(Component, frozen=True):
    """One item of an `Accordion`: a title and the content that it opens.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `title` | text | `Details` | The text that is visible while the item is closed. |
    | `id` | text | from the title | The anchor for links to it, such as `#free-plan`. |

    An item can hold everything that a page can. A link to it, such as `#what-happens-on-a-free-plan`, opens
    it.

    ```mdx
    <Accordion>
      <AccordionItem title="What happens on a free plan?">
        Readers see a small notice in place of premium components.
      </AccordionItem>
    </Accordion>
    ```
    """

    tag: ClassVar[str] = "AccordionItem"
    premium: ClassVar[bool] = True
    parents: ClassVar[tuple[str, ...]] = ("Accordion",)

    title: str = ""
    id: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A native disclosure that can be linked to."""
        if not self.title.strip():
            page.report("attribute-missing", "an `AccordionItem` without `title`", "add `title`")
        title = one_line(self.title) or page.words.details
        anchor = page.anchor(title.replace("`", ""), anchors.chosen(self.id, page))
        return fill(_ITEM, id=anchor, title=coded(title), content=content(children))

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The title in bold and the content."""
        return twin.blocks([twin.title(self.title), twin.content(children)])
