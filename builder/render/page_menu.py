"""Links of a page to what is elsewhere about it: the assistants of its menu, and feedback."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from builder.render.shared import Shared
from builder.sidebar import Link
from builder.site import SitePage
from builder.theme import MenuView
from components.words import fitted

ASSISTANTS = {
    "claude": ("Claude", "https://claude.ai/new?q="),
    "chatgpt": ("ChatGPT", "https://chatgpt.com/?hints=search&q="),
}
"""Each with its name and the address that opens it with a text."""


def page_menu(page: SitePage, shared: Shared) -> MenuView | None:
    """The menu of a page, or None where the site has none."""
    if not shared.page_menu:
        return None
    return MenuView("copy" in shared.page_menu, tuple(_links(page, shared)))


def _links(page: SitePage, shared: Shared) -> Iterator[Link]:
    words, twin = shared.site.words, page.twin_url
    for name in shared.page_menu:
        if name == "markdown":
            yield Link(words.markdown, shared.base + twin)
        elif name in ASSISTANTS and shared.url and not page.meta.draft:
            label, address = ASSISTANTS[name]
            asked = fitted(words.ask, shared.url + twin)
            yield Link(fitted(words.open_in, label), address + quote(asked, safe=""))


def feedback(page: SitePage, shared: Shared) -> str:
    """The address at which readers say what they think of a page, or an empty text."""
    values = {"path": page.file, "title": page.title, "url": shared.url + page.url if shared.url else ""}
    made = shared.feedback
    for name, value in values.items():
        made = made.replace(f"{{{name}}}", quote(value, safe=""))
    return made
