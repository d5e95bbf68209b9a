"""`Card`. Apart from `CardGrid`, as pages use it alone too: a component is loaded when a page has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import icons, twin
from components.base import Child, Component, Href, Page
from components.html import coded, content, fill, one_line
from components.safe_href import is_safe
from components.words import Words

# The title's link is stretched over the card by the theme, so that a card is one tab stop.
_HTML = """
    {% if icon or title or content %}<div class="tp-card">
    {% if icon %}<span class="tp-card-icon">{{ icon }}</span>{% endif %}
    {% if title %}<p class="tp-card-title">
    {% if href %}<a href="{{ href }}">{{ title }}</a>{% else %}{{ title }}{% endif %}
    </p>{% endif %}
    {% if content %}<div class="tp-card-body">{{ content }}</div>{% endif %}
    </div>{% endif %}
"""


class Card(Component, frozen=True):
    """A box with a title and a short text, with or without a link.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `title` | text | | The card's title; with `href`, the text of the link. |
    | `icon` | text | | A name from the [icon list](/docs/components/icons); without it there is no icon. |
    | `href` | link | | The target of the link: a page of the site or an address. |

    Put cards into a `CardGrid`, or use one alone. Readers can click anywhere on a card; for the keyboard it
    is a single stop.

    ```mdx
    <Card title="Start here" icon="rocket" href="/docs/">
      From an empty folder to a finished site.
    </Card>
    ```
    """

    tag: ClassVar[str] = "Card"

    title: str = ""
    icon: str = ""
    href: Href = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A box; a card with a link and without a title shows the address as its title."""
        body = content(children)
        if not self.title.strip() and (self.href or not body):
            page.report("attribute-missing", "a `Card` without `title`", "add `title`")
        if self.icon:
            icons.check(self.icon, page)
        href = self.href if is_safe(self.href) else ""
        return fill(
            _HTML,
            icon=icons.icon(self.icon) if self.icon else "",
            title=coded(self.title) or self.href,
            href=href,
            content=body,
        )

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A bullet with the link and the text."""
        name = one_line(self.title) or self.href
        head = twin.title_link(name, self.href if is_safe(self.href) else "")
        return twin.entry(head, twin.content(children))
