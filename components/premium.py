"""The notice in place of a premium component on a site without the plan. It reveals no content."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from components import twin
from components.html import fill
from components.icons import icon
from components.words import Words, fitted, parted

_HTML = """
    <div class="tp-premium">{{ icon }}
    <p>{{ before }}<strong>{{ name }}</strong>{{ after }}</p></div>
"""


class Notice(NamedTuple):
    """The notice in its forms; `inline` is text for the middle of an author's sentence."""

    html: Markup
    twin: str
    inline: str


def notice(name: str, words: Words) -> Notice:
    """The notice for the component `name`."""
    before, after = parted(words.premium)
    return Notice(
        fill(_HTML, icon=icon("lock"), name=name, before=before, after=after),
        f"> {f'**{name}**'.join(parted(twin.plain(words.premium)))}",
        f"({fitted(words.premium_inline, name)})",
    )
