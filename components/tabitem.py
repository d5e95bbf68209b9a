"""`TabItem`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import coded, content, fill
from components.words import Words

_LABEL = '<p class="tp-tab-label"><strong>{{ label }}</strong></p>'


class TabItem(Component, frozen=True):
    """One tab of `Tabs` and its content.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `label` | text | from `labels` | The tab's name; it replaces the one in the `labels` of `Tabs`. |

    It can hold everything that a page can, code blocks and other components included.

    ````mdx
    <Tabs>
      <TabItem label="Command line">

      ```bash
      twinpress build
      ```

      </TabItem>

      <TabItem label="Continuous integration">

      Run the same command there; it fails when the site has errors.

      </TabItem>
    </Tabs>
    ````
    """

    tag: ClassVar[str] = "TabItem"
    parents: ClassVar[tuple[str, ...]] = ("Tabs",)

    label: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The content under the item's own label, for an item that stands outside `Tabs`."""
        return self._head() + content(children)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The content under the item's own label."""
        return twin.blocks([twin.title(self.label), twin.content(children)])

    def inside(self, html: str) -> Markup:
        """The result of `html` without the label, which the panel of `Tabs` shows."""
        return Markup(html.removeprefix(self._head()))

    def _head(self) -> Markup:
        return fill(_LABEL, label=coded(self.label)) if self.label.strip() else Markup("")
