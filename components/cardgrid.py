"""`CardGrid`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import strays, twin
from components.base import Child, Component, Page
from components.card import Card
from components.html import fill, stray
from components.words import Words

COLUMNS = range(1, 7)
DEFAULT_COLUMNS = 3

_HTML = """
    {% if cells %}<div class="tp-cards tp-cols-{{ cols }}">
    {% for cell in cells %}{{ cell }}{% endfor %}
    </div>{% endif %}
"""


class CardGrid(Component, frozen=True):
    """Cards side by side, as many in a row as fit.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `cols` | number | `3` | The largest number of columns, from 1 to 6. |

    On a narrow screen there are fewer columns, down to one. Leave a blank line between cards when their text
    has more than one paragraph; otherwise you need none.

    ```mdx
    <CardGrid cols={3}>
      <Card title="Admonitions" icon="lightbulb" href="/docs/components/admonition">
        Remarks that stand apart from the text.
      </Card>
      <Card title="Tabs" icon="layers" href="/docs/components/tabs">
        Variants of one thing, in the same place.
      </Card>
      <Card title="Nothing to click" icon="leaf">
        A card without `href` is a plain box.
      </Card>
    </CardGrid>
    ```
    """

    tag: ClassVar[str] = "CardGrid"

    cols: int = DEFAULT_COLUMNS

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A grid of cards; anything else takes a row of its own."""
        if self.cols not in COLUMNS:
            message = f"`cols` cannot be {self.cols}"
            page.report("attribute-invalid", message, "use a number from 1 to 6", attribute="cols")
        strays.check(children, Card, CardGrid, page)
        cols = self.cols if self.cols in COLUMNS else DEFAULT_COLUMNS
        return fill(_HTML, cols=cols, cells=[_cell(child) for child in children if child.content.strip()])

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A list with a bullet for each card."""
        return twin.listing(children, Card)


def _cell(child: Child) -> Markup:
    return Markup(child.content) if isinstance(child.component, Card) else stray(child)
