"""`Accordion`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import strays, twin
from components.accordionitem import AccordionItem
from components.base import Child, Component, Page
from components.html import fill, stray
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
