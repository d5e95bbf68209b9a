"""`Method`, and the badge of an HTTP verb that `Endpoint` has too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import fill, one_line

VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
"""Verbs with a colour of their own."""

_HTML = '<span class="tp-method tp-{{ look }}">{{ verb }}</span>'


@dataclass(frozen=True, slots=True)
class Method(Component):
    """A badge with an HTTP verb, for running text, headings and table cells.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `method` | text | | The verb. Its case does not matter. |

    `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` and `OPTIONS` have colours of their own; any other word
    gets a neutral one.

    ```mdx
    Read a page with <Method method="GET" />, replace it with <Method method="PUT" />.

    | Request | What it does |
    |---|---|
    | <Method method="POST" /> `/ai/category` | Sets a folder's label and order. |
    | <Method method="DELETE" /> `/ai/page` | Removes a page. |
    | <Method method="PURGE" /> `/cache` | A verb of your own. |
    ```
    """

    tag: ClassVar[str] = "Method"
    inline: ClassVar[bool] = True
    childless: ClassVar[bool] = True

    method: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The badge, then whatever was put between the tags."""
        if not self.method.strip():
            page.report("attribute-missing", "a `Method` without `method`", 'write `<Method method="GET" />`')
        return badge(self.method) + Markup("").join(Markup(child.content) for child in children)

    def twin(self, children: Sequence[Child]) -> str:
        """The verb as code."""
        return twin.code(verb(self.method)) + "".join(child.content for child in children)


def verb(method: str) -> str:
    """The verb as it is shown: upper case, on one line."""
    return one_line(method).upper()


def badge(method: str) -> Markup:
    """The verb with the colour that belongs to it; nothing when there is none."""
    shown = verb(method)
    look = shown.lower() if shown in VERBS else "any"
    return fill(_HTML, look=look, verb=shown) if shown else Markup("")
