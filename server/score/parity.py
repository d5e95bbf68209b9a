"""Compare a page's HTML with its twin: which sentences do readers see that agents are not given?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token
from msgspec import Struct

from server.score import markdown_text
from server.score.html_tree import Node

_CHROME = frozenset({
    "script", "style", "nav", "footer", "header", "noscript", "button", "svg", "aside", "select", "input",
    "textarea",
})  # fmt: skip
_CHROME_CLASS = re.compile(
    r"breadcrumb|pagination|prev-next|prevnext|page-nav|feedback|helpful|table-of-contents|toc"
)
_NOISE = re.compile(
    r"^(?:last updated|was this page helpful|thank you for your feedback|previous\s+\S.*next\s+\S"
    r"|start from the beginning$|join our .* server|loading video content|/.+/.+|for ai agents:)"
)
_CONTENT_CLASSES = frozenset({
    "sl-markdown-content", "markdown-content", "markdown-body", "docs-content", "doc-content", "main-pane",
    "page-content", "prose",
})  # fmt: skip
_SHORTEST, _FEWEST = 20, 10
WARN, FAIL = 5, 20
"""Percent of sentences that are missing."""


class Parity(Struct, frozen=True):
    """The percent of the sentences that are missing in the twin, and the first of them."""

    percent: int = 0
    missing: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """The level of that."""
        return "fail" if self.percent >= FAIL else "warn" if self.percent >= WARN else "pass"


def compare(page: Node, twin: Sequence[Token]) -> Parity:
    """Look for the sentences of a page in its twin. A page of fewer than ten says too little."""
    found: dict[str, str] = {}
    for line in (line.strip() for line in _content(page).text().split("\n")):
        if len(line) >= _SHORTEST and not _NOISE.match(line.lower()):
            found.setdefault(_normal(line), line)
    if len(found) < _FEWEST:
        return Parity()
    whole = _normal(markdown_text.text(twin))
    missing = [line for normal, line in found.items() if normal not in whole]
    return Parity(_rounded(100 * len(missing) / len(found)), tuple(missing[:5]))


def _rounded(value: float) -> int:
    return int(value + 0.5)


def _content(root: Node) -> Node:
    main = root.first("main")
    article = (main.first("article") if main else None) or root.first("article")
    inner = article or main
    marked = next((each for each in (inner or root).elements() if _is_content(each)), None)
    whole = marked or inner or root.first("body") or root
    return whole.without(_is_chrome)


def _is_content(node: Node) -> bool:
    classes = node.attributes.get("class", "").split()
    is_main = node.attributes.get("role") == "main" or node.attributes.get("id") == "content"
    return is_main or any(each in _CONTENT_CLASSES for each in classes)


def _is_chrome(node: Node) -> bool:
    attributes = node.attributes
    if node.tag in _CHROME or "data-markdown-ignore" in attributes:
        return True
    classes = attributes.get("class", "")
    if _CHROME_CLASS.search(classes) or "sr-only" in classes.split():
        return True
    if attributes.get("rel") in {"prev", "next"} or attributes.get("aria-label") == "Anchor":
        return True
    return _is_navigation(node)


def _is_navigation(node: Node) -> bool:
    """Return whether a part consists almost of links alone."""
    links = [each for each in node.elements() if each.tag == "a"]
    if len(links) < 10:
        return False
    size = len(_flat(node))
    return size >= 100 and sum(len(_flat(each)) for each in links) / size > 0.7


def _flat(node: Node) -> str:
    return "".join(child if isinstance(child, str) else _flat(child) for child in node.children)


_REPLACED = str.maketrans(
    {"\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "`": "", "…": "...", "–": "-", "—": "-"}
    | dict.fromkeys("‘’‚", "'")
    | dict.fromkeys("“”„", '"')
)


def _normal(text: str) -> str:
    text = re.sub(r"-{2,}", "-", text.translate(_REPLACED))
    text = " ".join(re.sub(r"<([^>\n]+)>", r"\1", text).lower().split())
    return re.sub(r"^(?:[-*+]|\d+\.)\s+", "", text)
