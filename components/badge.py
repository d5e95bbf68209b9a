"""`Badge`: the extra `badge`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components.base import Child, Component, Page
from components.html import fill, one_line
from components.nearest import did_you_mean
from components.words import Words

COLORS = ("gray", "green", "blue", "amber", "orange", "red", "purple")
DEFAULT = "gray"

_HTML = '<span class="tp-badge tp-badge-{{ color }}">{{ content }}</span>'


class Badge(Component, frozen=True):
    """A word or two that stand out, for running text, headings and table cells.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `color` | text | `gray` | A colour's name. |

    The names are `gray`, `green`, `blue`, `amber`, `orange`, `red` and `purple`. A colour alone tells some
    readers nothing: let the words say it. For agents a badge is its text in brackets.

    ```mdx
    Streaming <Badge color="blue">Beta</Badge> works in every plan.

    | Option | Since |
    |---|---|
    | `--watch` | <Badge color="green">2.4</Badge> |
    | `--poll` | <Badge color="red">Deprecated</Badge> |
    ```
    """

    tag: ClassVar[str] = "Badge"
    inline: ClassVar[bool] = True
    spanning: ClassVar[bool] = True

    color: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The text in its colour."""
        text = Markup("").join(Markup(child.content) for child in children)
        return fill(_HTML, color=self._named(page), content=text) if text else Markup("")

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The text in brackets."""
        text = "".join(child.content for child in children)
        return f"({text})" if text else ""

    def _named(self, page: Page) -> str:
        name = one_line(self.color).lower().replace("grey", "gray")
        if name in COLORS or not name:
            return name or DEFAULT
        hint = did_you_mean(name, COLORS) or f"use one of {', '.join(f'`{one}`' for one in COLORS)}"
        page.report("color-unknown", f"a badge has no colour `{name}`", hint, attribute="color")
        return DEFAULT
