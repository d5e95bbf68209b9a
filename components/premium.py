"""What stands in place of a premium component on a site without the plan. It tells nothing of the content."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from components.html import fill
from components.icons import icon

_HTML = """
    <div class="tp-premium">{{ icon }}
    <p><strong>{{ name }}</strong> is shown on sites with the premium plan.</p></div>
"""


class Notice(NamedTuple):
    """The notice in its forms; `inline` is text that stands within a sentence of the author's."""

    html: Markup
    twin: str
    inline: str


def notice(name: str) -> Notice:
    """The notice for the component `name`."""
    return Notice(
        fill(_HTML, icon=icon("lock"), name=name),
        f"> **{name}** is shown on sites with the premium plan.",
        f"({name}: shown on sites with the premium plan)",
    )
