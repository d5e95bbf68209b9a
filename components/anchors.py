"""The `id` that an author may choose for what links can lead to."""

from __future__ import annotations

import re

from components.base import Page


def chosen(text: str, page: Page) -> str:
    """The id, or an empty string and a diagnostic if the text cannot be one."""
    if not text or is_valid(text):
        return text
    hint = "use letters, digits, `-` and `_`"
    page.report("attribute-invalid", f"`{text}` cannot be an id", hint, attribute="id")
    return ""


def is_valid(text: str) -> bool:
    """Return whether the text can be an id."""
    return re.fullmatch(r"\w[\w.:-]*", text) is not None
