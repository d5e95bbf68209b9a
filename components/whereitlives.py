"""`WhereItLives`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import content, fill, one_line
from components.icons import icon
from components.words import Words

_HTML = """
    {% if host or content %}<div class="tp-where">{{ icon }}<div class="tp-where-text">
    {% if host %}<p class="tp-where-host" data-copy="{{ host }}" data-copy-label="{{ copy }}">
    <code>{{ host }}</code></p>{% endif %}
    {{ content }}
    </div></div>{% endif %}
"""


class WhereItLives(Component, frozen=True):
    """A host name to copy, with a note on what to do there.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `host` | text | | The host name or address, with a button that copies it. |

    The host is text, not a link. To offer a link, write it into the body.

    ```mdx
    <WhereItLives host="dashboard.example.com">
      Create keys under **Site**, then **Keys**.
    </WhereItLives>
    ```
    """

    tag: ClassVar[str] = "WhereItLives"

    host: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A box with the host and the body."""
        if not self.host.strip():
            page.report("attribute-missing", "a `WhereItLives` without `host`", "add `host`")
        return fill(
            _HTML,
            icon=icon("map-pin"),
            host=one_line(self.host),
            copy=page.words.copy_host,
            content=content(children),
        )

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A line with the host, then the body."""
        head = f"**{twin.plain(words.where_it_lives)}:** {twin.code(self.host)}" if self.host.strip() else ""
        return twin.blocks([head, twin.content(children)])
