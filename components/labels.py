"""`labels="One, Two\\, and a half"`: names separated by commas, each trimmed; `\\,` is a literal comma."""

from __future__ import annotations

import re
from collections.abc import Sequence

from components.base import Page
from components.html import one_line

_COMMA = re.compile(r"(?<!\\),")


def split(text: str) -> list[str]:
    """The names in `text`. An empty one keeps its place, but for a comma at the end."""
    names = [one_line(name.replace("\\,", ",")) for name in _COMMA.split(text)]
    while names and not names[-1]:
        names.pop()
    return names


def join(names: Sequence[str]) -> str:
    """The attribute's text for a list of names: `split(join(names))` gives the (trimmed) names back."""
    return ",".join(name.replace(",", "\\,") for name in names)


def at(names: Sequence[str], index: int) -> str:
    """The name at `index`, or an empty string where there are fewer."""
    return names[index] if index < len(names) else ""


def check(names: Sequence[str], parts: int, noun: str, page: Page) -> None:
    """Report `labels-mismatch` for an empty label, and if the number of labels differs from `parts`."""
    hint = f"give one label for each {noun}"
    if not all(names):
        page.report("labels-mismatch", "one of the labels is empty", hint, attribute="labels")
    if names and len(names) != parts:
        message = f"the number of labels ({len(names)}) differs from the number of parts ({parts})"
        page.report("labels-mismatch", message, hint, attribute="labels")
