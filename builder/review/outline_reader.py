"""Gather what stands in a rendered page, from its HTML, in one pass."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

from msgspec import Struct, field

from builder.review.outline_structs import (
    LONGEST,
    MOST,
    Landmark,
    OutlineCode,
    OutlineDiagram,
    OutlineHeading,
)


class _Table(Struct):
    headers: list[str] = field(default_factory=list)
    rows: int = 0


class OutlineFindings(Struct):
    """All that was gathered; images are `src` and `alt`, landmarks a role, a name, and an id that has one."""

    headings: list[OutlineHeading] = field(default_factory=list)
    landmarks: list[tuple[str, str, str]] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)
    tables: list[_Table] = field(default_factory=list)
    code: list[OutlineCode] = field(default_factory=list)
    internal: int = 0
    external: int = 0
    words: int = 0
    diagrams: list[OutlineDiagram] = field(default_factory=list)
    formulas: int = 0


_ROLES = {
    "header": "banner",
    "nav": "navigation",
    "main": "main",
    "aside": "complementary",
    "footer": "contentinfo",
}
_LANDMARKS = frozenset({*_ROLES.values(), "search", "region", "form"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_UNSEEN = frozenset({"script", "style", "svg", "template", "noscript"})
_PAGE = frozenset({"header", "footer"})
"""Landmarks of the page only where they are not a part of its text."""

Given = dict[str, str]


class _Open(Struct):
    """An element whose end has yet to come, and its text where that is wanted."""

    tag: str
    given: Given
    text: list[str] | None = None


class OutlineReader(HTMLParser):
    """Gathers what there is, in one pass. What it counts stands in the page's `article`."""

    def __init__(self) -> None:
        super().__init__()
        self.found = OutlineFindings()
        self._open: list[_Open] = []
        self._unseen = self._article = self._pre = self._diagram = 0
        self._names: dict[str, str] = {}
        self._language = self._title = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in _VOID:
            self._open.append(_Open(tag, given, [] if _is_wanted(tag, given) else None))
            self._unseen += tag in _UNSEEN
            self._article += tag == "article"
            self._pre += tag == "pre"
            self._diagram += _is_diagram(tag, given)
        self._landmark(tag, given)
        if self._article and not self._unseen:
            self._count(tag, given)

    def handle_endtag(self, tag: str) -> None:
        if not any(one.tag == tag for one in self._open):
            return
        while self._open:
            one = self._open.pop()
            self._close(one)
            self._unseen -= one.tag in _UNSEEN
            self._article -= one.tag == "article"
            self._pre -= one.tag == "pre"
            self._diagram -= _is_diagram(one.tag, one.given)
            if one.tag == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        for one in self._open:
            if one.text is not None:
                one.text.append(data)
        if self._article and not self._pre:
            self.found.words += len(data.split())

    def _landmark(self, tag: str, given: Given) -> None:
        role = given.get("role", "") or _ROLES.get(tag, "")
        inside = self._article and tag in _PAGE
        if (
            role not in _LANDMARKS
            or inside
            or "popover" in given
            or (tag == "form" and not given.get("role"))
        ):
            return
        self.found.landmarks.append((role, given.get("aria-label", ""), given.get("aria-labelledby", "")))

    def landmarks(self) -> list[Landmark]:
        """The landmarks with their names, which may stand behind them."""
        return [
            Landmark(role, (label or self._names.get(named_by, ""))[:LONGEST])
            for role, label, named_by in self.found.landmarks[:MOST]
        ]

    def _count(self, tag: str, given: Given) -> None:
        found = self.found
        if tag == "img" and self._diagram:
            self._draw(given)
        elif tag == "img":
            found.images.append((given.get("src", ""), given.get("alt", "")))
        elif tag == "table":
            found.tables.append(_Table())
        elif tag == "tr" and found.tables:
            found.tables[-1].rows += any(one.tag == "tbody" for one in self._open)
        elif tag == "math":
            found.formulas += 1
        elif tag == "figure":
            self._language, self._title = given.get("data-language", ""), ""
        elif tag == "a" and given.get("href"):
            is_external = urlsplit(given["href"]).netloc != ""
            found.external += is_external
            found.internal += not is_external and ":" not in given["href"].partition("/")[0]

    def _draw(self, given: Given) -> None:
        """Gather a diagram once: the drawing for dark pages stands behind that for light ones."""
        if "tp-diagram-dark" not in given.get("class", "").split():
            size = (_number(given.get("width", "")), _number(given.get("height", "")))
            self.found.diagrams.append(OutlineDiagram(given.get("alt", "")[:LONGEST], *size))

    def _close(self, one: _Open) -> None:
        if one.text is None:
            return
        raw = "".join(one.text)
        text = " ".join(raw.split())[:LONGEST]
        if "id" in one.given:
            self._names[one.given["id"]] = text
        if not self._article:
            return
        if one.tag in _HEADINGS:
            self.found.headings.append(OutlineHeading(int(one.tag[1]), text, one.given.get("id", "")))
        elif one.tag == "th" and self.found.tables and any(each.tag == "thead" for each in self._open):
            self.found.tables[-1].headers.append(text)
        elif one.tag == "figcaption":
            self._title = text
        elif one.tag == "pre" and not self._diagram:
            lines = raw.removesuffix("\n").count("\n") + 1
            self.found.code.append(OutlineCode(self._language, self._title, lines))
            self._language = self._title = ""


_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def _is_diagram(tag: str, given: Given) -> bool:
    return tag == "figure" and "tp-diagram" in given.get("class", "").split()


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _is_wanted(tag: str, given: Given) -> bool:
    """Return whether the text of an element is wanted; those of the theme may name landmarks."""
    return (
        tag in _HEADINGS
        or tag in {"th", "figcaption", "pre"}
        or given.get("id", "").startswith("tp-contents")
    )
