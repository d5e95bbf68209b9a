"""`Step`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import coded, content, fill
from components.words import Words

_HTML = """
    {% if title %}<p class="tp-step-title"><strong>{{ title }}</strong></p>{% endif %}
    {{ content }}
"""


class Step(Component, frozen=True):
    """One step of `Steps`, which numbers it.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `title` | text | | The step in a few words. |

    It can hold everything that a page can.

    ```mdx
    <Steps>
      <Step title="Open the dashboard">
        Choose **Site**, then **Keys**.
      </Step>
    </Steps>
    ```
    """

    tag: ClassVar[str] = "Step"
    parents: ClassVar[tuple[str, ...]] = ("Steps",)

    title: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The title and the content; `Steps` puts them into a list item."""
        return fill(_HTML, title=coded(self.title), content=content(children))

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The title in bold and the content."""
        return twin.blocks([twin.title(self.title), twin.content(children)])
