"""`Method`, and the badge of an HTTP verb. Apart from `Endpoint`, which shows one too: pages use it alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import fill, one_line
from components.nearest import did_you_mean
from components.words import Words

VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
"""Verbs with a colour of their own."""

KNOWN = VERBS | {
    "ACL", "CONNECT", "COPY", "LINK", "LOCK", "MKCALENDAR", "MKCOL", "MOVE", "PROPFIND", "PROPPATCH", "PURGE",
    "QUERY", "REPORT", "SEARCH", "TRACE", "UNLINK", "UNLOCK",
}  # fmt: skip
"""Verbs that an HTTP API may have; any other is nearly always a typing error."""

_HTML = '<span class="tp-method tp-{{ look }}">{{ verb }}</span>'


class Method(Component, frozen=True):
    """A badge with an HTTP verb, for running text, headings and table cells.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `method` | text | | The verb, in upper or lower case. |

    `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` and `OPTIONS` have colours of their own, all others a
    neutral one. A word that is no HTTP verb is shown too, and gives a diagnostic.

    ```mdx
    Read a page with <Method method="GET" />, replace it with <Method method="PUT" />.

    | Request | What it does |
    |---|---|
    | <Method method="POST" /> `/ai/category` | Sets a folder's label and order. |
    | <Method method="DELETE" /> `/ai/page` | Removes a page. |
    | <Method method="PURGE" /> `/cache` | Empties a cache. |
    ```
    """

    tag: ClassVar[str] = "Method"
    inline: ClassVar[bool] = True
    childless: ClassVar[bool] = True

    method: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The badge, then the content between the tags."""
        if not self.method.strip():
            page.report("attribute-missing", "a `Method` without `method`", 'write `<Method method="GET" />`')
        check(self.method, page)
        return badge(self.method) + Markup("").join(Markup(child.content) for child in children)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The verb as code."""
        return twin.code(verb(self.method)) + "".join(child.content for child in children)


def verb(method: str) -> str:
    """The verb as it is shown: upper case, on one line."""
    return one_line(method).upper()


def check(method: str, page: Page) -> None:
    """Report an unknown verb."""
    shown = verb(method)[:40]
    if shown and shown not in KNOWN:
        near = did_you_mean(shown, sorted(KNOWN)) if shown.isalpha() else ""
        hint = near or "use one verb, such as `GET`"
        page.report("verb-unknown", f"`{shown}` is no HTTP verb", hint, attribute="method")


def badge(method: str) -> Markup:
    """The verb in its colour, or an empty string without a verb."""
    shown = verb(method)
    look = shown.lower() if shown in VERBS else "any"
    return fill(_HTML, look=look, verb=shown) if shown else Markup("")
