"""`Steps`, and `Step`, a part of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import strays, twin
from components.base import Child, Component, Page
from components.html import coded, content, fill
from components.words import Words

_HTML = """
    {{ before }}
    {% if steps %}<ol class="tp-steps">{% for step in steps %}<li>{{ step }}</li>{% endfor %}</ol>{% endif %}
"""


class Steps(Component, frozen=True):
    """Numbered steps, to follow one after the other.

    It has no attributes. Leave a blank line between the steps. Text between two steps belongs to the first
    of them.

    ````mdx
    <Steps>
      <Step title="Create a site">

      ```bash
      twinpress new my-docs
      ```

      </Step>

      <Step title="Look at it">

      Run `twinpress serve my-docs` and open the address that it prints.

      </Step>

      <Step title="Write">

      Edit `docs/index.mdx`; the page changes as you save.

      </Step>
    </Steps>
    ````
    """

    tag: ClassVar[str] = "Steps"

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The content before the first step, then an ordered list."""
        before, steps = _grouped(children)
        strays.check(before, Step, Steps, page)
        return fill(_HTML, before=content(before), steps=[content(step) for step in steps])

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A numbered list."""
        before, steps = _grouped(children)
        items = [twin.item(f"{number}.", twin.content(step)) for number, step in enumerate(steps, 1)]
        return twin.blocks([twin.content(before), *items])


def _grouped(children: Sequence[Child]) -> tuple[list[Child], list[list[Child]]]:
    """The children before the first step, and each step with the children that follow it."""
    before: list[Child] = []
    steps: list[list[Child]] = []
    for child in children:
        if isinstance(child.component, Step):
            steps.append([child])
        else:
            (steps[-1] if steps else before).append(child)
    return before, steps


_STEP = """
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
        return fill(_STEP, title=coded(self.title), content=content(children))

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The title in bold and the content."""
        return twin.blocks([twin.title(self.title), twin.content(children)])
