"""`Tooltip`: the extra `tooltip`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import coded, fill
from components.words import Words

# What is said stands behind the words, so that it is there without styles, in print and in the search.
_HTML = """
    <span class="tp-tooltip"><button type="button" class="tp-tooltip-word" aria-describedby="{{ id }}">
    {{- content -}}
    </button><span class="tp-tooltip-tip" role="tooltip" id="{{ id }}">{{ tip }}</span></span>
"""


class Tooltip(Component, frozen=True):
    """A word with a short explanation, shown when a reader points at it, taps it or comes to it by keyboard.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `tip` | text | | The explanation, a sentence or two. |

    It works without script; with script <kbd>Esc</kbd> closes it. On paper, and for agents, the explanation
    follows in brackets. A tooltip cannot stand in a link or hold one. Do not hide in it what everybody needs.

    ```mdx
    Every site has its own <Tooltip tip="Application programming interface: for programs.">API</Tooltip>,
    and a key for it.
    ```
    """

    tag: ClassVar[str] = "Tooltip"
    inline: ClassVar[bool] = True
    spanning: ClassVar[bool] = True
    clickable: ClassVar[bool] = True

    tip: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A button, as only that can be reached by everybody, and the explanation that it is described by."""
        text = Markup("").join(Markup(child.content) for child in children)
        if not self.tip.strip():
            page.report("attribute-missing", "a `Tooltip` without `tip`", 'write `<Tooltip tip="...">`')
            return text
        return fill(_HTML, id=page.unique("tip"), content=text, tip=coded(self.tip)) if text else text

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The text, and the explanation in brackets."""
        text, tip = "".join(child.content for child in children), twin.words(self.tip)
        return f"{text} ({tip})" if text and tip else text
