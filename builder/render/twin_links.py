"""The links of a hand-written twin, which is given as it is: looked at, never changed."""

from __future__ import annotations

from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.markdown.page import Body, OutgoingLink

_CODES = frozenset({"broken-link", "broken-image", "link-draft", "internal-error"})
"""What is told of a twin. The rest of what a page is told is about what a page shows or leaves out."""


class TwinLinks(Struct, frozen=True):
    """The links of a twin, for the checks; `ids` are those of its own headings, `targets` as in Body."""

    file: str
    ids: frozenset[str]
    links: tuple[OutgoingLink, ...]
    targets: frozenset[str] = frozenset()


def of_twin(file: str, body: Body) -> tuple[TwinLinks, tuple[Diagnostic, ...]]:
    """The links in a twin's `body`, rendered as an `md` page in its page's place, and what is wrong there."""
    told = tuple(found for found in body.diagnostics if found.code in _CODES)
    return TwinLinks(file, body.ids, body.links, body.targets), told
