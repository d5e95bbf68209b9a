"""`Columns`, and `Column`, a part of it: the extra `columns`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import content, fill
from components.words import Words

COLUMNS = range(1, 5)
DEFAULT_COLUMNS = 2

_HTML = """
    {% if cells %}<div class="tp-columns tp-cols-{{ cols }}">
    {% for cell in cells %}<div class="tp-column-cell">{{ cell }}</div>{% endfor %}
    </div>{% endif %}
"""


class Columns(Component, frozen=True):
    """Content side by side, where the window is wide enough.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `cols` | number | `2` | The largest number of columns, from 1 to 4. |

    Each `Column` is one column; so is a component, such as a card, that stands in `Columns` directly. On a
    phone the columns stand one below the other, in the order in which they are written.

    ```mdx
    <Columns cols={2}>
      <Column>

      **Before:** each team keeps its own list of addresses.

      </Column>

      <Column>

      **After:** one list, which every team can read.

      </Column>
    </Columns>
    ```
    """

    tag: ClassVar[str] = "Columns"

    cols: int = DEFAULT_COLUMNS

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A grid with a cell for each child."""
        if self.cols not in COLUMNS:
            hint = "use a number from 1 to 4"
            page.report("attribute-invalid", f"`cols` cannot be {self.cols}", hint, attribute="cols")
        cols = self.cols if self.cols in COLUMNS else DEFAULT_COLUMNS
        return fill(_HTML, cols=cols, cells=[content([child]) for child in children if child.content.strip()])

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The columns, one after the other."""
        return twin.content(children)


class Column(Component, frozen=True):
    """One column of `Columns`.

    It has no attributes, and can hold everything that a page can. Leave a blank line between columns.

    ```mdx
    <Columns>
      <Column>

      A paragraph.

      </Column>

      <Column>

      - A list
      - of two items

      </Column>
    </Columns>
    ```
    """

    tag: ClassVar[str] = "Column"
    parents: ClassVar[tuple[str, ...]] = ("Columns",)

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The content; `Columns` puts it into a cell."""
        return content(children)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The content."""
        return twin.content(children)
