"""Count what a built page has: headings, blocks, code, links and images, by its HTML alone."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

_EMPTY = frozenset(
    {"img", "br", "hr", "input", "link", "meta", "source", "track", "wbr", "area", "col", "embed"}
)


class _Open:
    """An element that is open, with its text so far."""

    def __init__(self, tag: str, attrs: dict[str, str]) -> None:
        self.tag = tag
        self.attrs = attrs
        self.classes = frozenset(attrs.get("class", "").split())
        self.text: list[str] = []


class PageCounter(HTMLParser):
    """Collects the elements of the content of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.headings: Counter[str] = Counter()
        self.code: list[str] = []
        self.marked = 0
        self.captions: Counter[str] = Counter()
        self.admonitions = 0
        self.labels: Counter[str] = Counter()
        self.cards: Counter[str] = Counter()
        self.steps = 0
        self.images: list[str] = []
        self.frames: list[str] = []
        self.links: list[str] = []
        self.tables = 0
        self.summaries: Counter[str] = Counter()
        self.footnotes = 0
        self.elements: Counter[str] = Counter()
        self.classes: Counter[str] = Counter()
        self.texts: list[str] = []
        self.code_spans: Counter[str] = Counter()
        self.data: list[str] = []
        self.meta: dict[str, str] = {}
        self._open: list[_Open] = []
        self.feed(html)
        self.text = " ".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        opened = _Open(tag, given)
        self.data += [value for name, value in given.items() if name.startswith("data-")]
        if "id" in given:
            self.ids.add(given["id"])
        self.elements[tag] += 1
        self.classes.update(opened.classes)
        self._begin(opened)
        if tag not in _EMPTY:
            self._open.append(opened)

    def _begin(self, opened: _Open) -> None:
        given = opened.attrs
        if opened.tag == "img":
            self.images.append(given.get("src", ""))
            self.texts.append(given.get("alt", ""))
        elif opened.tag in {"iframe", "video", "audio", "source"}:
            self.frames.append(given.get("src", ""))
        elif opened.tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif opened.tag == "meta":
            self.meta[given.get("name", given.get("property", ""))] = given.get("content", "")
        elif opened.tag == "li" and self._open and "tp-steps" in self._open[-1].classes:
            self.steps += 1
        self.admonitions += "tp-admonition" in opened.classes
        self.tables += opened.tag == "table"
        self.texts += [given[name] for name in ("title", "aria-label", "data-tip") if name in given]

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            closed = self._open.pop()
            text = "".join(closed.text)
            if self._open:
                self._open[-1].text.append(text)
            self._end(closed, text)
            if closed.tag == tag:
                return

    def _end(self, closed: _Open, text: str) -> None:
        shown = " ".join(text.split())
        if closed.tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            self.headings[shown] += 1
        elif closed.tag == "pre":
            self.code.append(text)
            self.code_spans[shown] += 1
        elif closed.tag == "code":
            self.code_spans[shown] += 1
        elif closed.tag == "figcaption":
            self.captions[shown] += 1
        elif closed.tag == "summary":
            self.summaries[shown] += 1
        if closed.attrs.get("role") == "tab" or closed.classes & {"tp-panel-label", "tp-tab-label"}:
            self.labels[shown] += 1
        if closed.classes & {"tp-card-title"}:
            self.cards[shown] += 1

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._open:
            self._open[-1].text.append(data)
