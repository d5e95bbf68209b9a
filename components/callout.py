"""`Callout`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import content, fill, one_line
from components.nearest import did_you_mean
from components.words import Words

COLORS = {
    "gray": "7f899b",
    "red": "e5484d",
    "orange": "f0731a",
    "amber": "e59a0c",
    "yellow": "d9b800",
    "green": "2f9e5b",
    "teal": "12a594",
    "blue": "2f7de1",
    "indigo": "5b5bd6",
    "purple": "8e4ec6",
    "pink": "d6409f",
}
"""The colours that have names, as six hex digits."""

DEFAULT = "blue"

_HTML = """
    {% if content %}<div class="tp-callout">{{ content }}
    <svg color="#{{ color }}" aria-hidden="true"></svg></div>{% endif %}
"""
_HEX = re.compile(r"#([0-9a-f]{6}|[0-9a-f]{3})")


class Callout(Component, frozen=True):
    """A passage with a coloured edge.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `color` | text | `blue` | A colour's name, or a hex value such as `#7c3aed` or `#73e`. |

    The names are `gray`, `red`, `orange`, `amber`, `yellow`, `green`, `teal`, `blue`, `indigo`, `purple` and
    `pink`. Only the edge has the colour, so the text stays readable whichever you choose.

    ```mdx
    <Callout color="purple">
      Our conference is in **May**. Talks can be proposed until March.
    </Callout>

    <Callout color="#0d9488">
      The same, in a colour of your own.
    </Callout>
    ```
    """

    tag: ClassVar[str] = "Callout"
    premium: ClassVar[bool] = True

    color: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A box and its edge, a drawing of nothing but a colour.

        Only drawings may have any colour by an attribute: the policy of every page forbids the attribute
        `style`, and a style sheet for each colour would be one more file for readers to wait for.
        """
        return fill(_HTML, color=self._hex() or COLORS[self._named(page)], content=content(children))

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A block quote."""
        body = twin.content(children)
        return twin.quote(body) if body else ""

    def _hex(self) -> str:
        """The colour as six lower-case hex digits, or an empty string when it is none. `#73e` is `7733ee`."""
        found = _HEX.fullmatch(one_line(self.color).lower())
        digits = found[1] if found else ""
        return "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits

    def _named(self, page: Page) -> str:
        name = one_line(self.color).lower().replace("grey", "gray")
        if name in COLORS:
            return name
        if name:
            hint = did_you_mean(name, COLORS) or "use a name or a hex value such as `#7c3aed`"
            page.report("color-unknown", f"there is no colour `{name}`", hint, attribute="color")
        return DEFAULT
