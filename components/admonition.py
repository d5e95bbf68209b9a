"""`:::note` and the other admonitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import content, fill, one_line
from components.icons import icon
from components.words import Words

TYPES = ("note", "tip", "info", "warning", "caution", "danger")
"""The types that an author may write after `:::`."""

_ICONS = {
    "note": "notebook-pen",
    "tip": "lightbulb",
    "info": "info",
    "important": "megaphone",
    "warning": "triangle-alert",
    "caution": "octagon-alert",
    "danger": "flame",
}

# A note is no landmark of the page (`aside` alone would be one), so that screen readers can jump over many.
_OPENING = '<aside class="tp-admonition tp-{{ type }}" role="note" aria-label="{{ label }}">'
_TITLE = '<p class="tp-admonition-title">{{ icon }}<span>{{ title }}</span></p>'
_CLOSING = Markup("</aside>")


class Admonition(Component, frozen=True):
    """A remark in a box, with a colour, an icon and a label.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `type` | text | `note` | `note`, `tip`, `info`, `warning`, `caution` or `danger`. |
    | `title` | text | the type's label | The text at the top; it may have inline markdown. |

    An admonition is not a tag. It begins with three colons and a type, and ends with a line of three colons.
    It can hold everything that a page can. To put one admonition into another, give the outer one more
    colons, or close them in the right order. A title in brackets, `:::tip[Title]`, works too.

    ```mdx
    :::note
    Every key is scoped to exactly one site.
    :::

    :::tip Use a key for each machine
    Then you can delete **one** without touching the others.
    :::

    :::info
    Pages are stored as you wrote them.
    :::

    :::warning
    A published address should not change.
    :::

    :::caution[Check the address first]
    Search engines follow a redirect at once.
    :::

    :::danger
    Deleting a site cannot be undone.
    :::
    ```
    """

    tag: ClassVar[str] = "Admonition"

    type: str = "note"
    title: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """An `aside` with the role of a note; an unknown type looks like a note."""
        return (
            self.opening(page.words)
            + self.head(page.words, _titles(children))
            + content(_body(children))
            + _CLOSING
        )

    def opening(self, words: Words) -> Markup:
        """The opening tag, for a body that is rendered elsewhere; `head` comes next, and `</aside>` last."""
        return fill(_OPENING, type=self._kind(), label=self._label(words))

    def head(self, words: Words, titles: Sequence[Child] = ()) -> Markup:
        """The icon and the title."""
        title = content(titles) or one_line(self.title) or self._label(words)
        return fill(_TITLE, icon=icon(_ICONS[self._kind()]), title=title)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A block quote that begins with the type in bold, and the title."""
        title = twin.content(_titles(children)) or twin.plain(self.title)
        label = twin.plain(self._label(words))
        head = f"**{label}:** {title}" if title else f"**{label}**"
        return twin.quote(twin.blocks([head, twin.content(_body(children))]))

    def _label(self, words: Words) -> str:
        label: str = getattr(words, self._kind())
        return label

    def _kind(self) -> str:
        return self.type if self.type in _ICONS else "note"


def _titles(children: Sequence[Child]) -> list[Child]:
    return [child for child in children if child.kind == "title"]


def _body(children: Sequence[Child]) -> list[Child]:
    return [child for child in children if child.kind != "title"]
