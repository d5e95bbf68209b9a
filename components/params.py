"""`Params`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import coded, content, fill
from components.param import Param, as_list
from components.words import Words

_HTML = """
    {% if title or parts %}<div class="tp-params">
    {% if title %}<p class="tp-params-title">{{ title }}</p>{% endif %}
    {% for part in parts %}{{ part }}{% endfor %}
    </div>{% endif %}
"""


class Params(Component, frozen=True):
    """A list of parameters or fields, each with its type and meaning.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `title` | text | | The title of the list, such as "Query" or "Body". |

    Leave a blank line between the rows. Text between them is shown where it stands.

    ```mdx
    <Params title="Body">
      <Param name="path" type="string" required>
        Must start with `docs/` or `pages/`.
      </Param>

      <Param name="format" type="enum" default="mdx">
        Either `mdx` or `md`.
      </Param>

      <Param name="llmBody" type="string">
        Markdown for the page's machine-readable twin.
      </Param>
    </Params>
    ```
    """

    tag: ClassVar[str] = "Params"

    title: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """Neighbouring rows in one `dl`. A `dl` can hold nothing else, so other content divides the list."""
        runs = groupby(children, key=lambda child: isinstance(child.component, Param))
        parts = [as_list(run) if are_rows else content(run) for are_rows, run in runs]
        return fill(_HTML, title=coded(self.title), parts=parts)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The title in bold and a list with a bullet for each row."""
        return twin.blocks([twin.title(self.title), twin.listing(children, Param)])
