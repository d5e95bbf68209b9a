"""The outline of a rendered page: what stands in it, for readers who cannot see it.

Read from the page's HTML, so that it says what a browser has; components come from its source, which alone
has their lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Annotated
from urllib.parse import unquote, urlsplit

from msgspec import Meta, Struct, field

from builder.errors import StorageError
from builder.images import header
from builder.markdown.body import PlacedComponent
from builder.store import ContentStore

MOST = 400
"""Entries of each list."""
LONGEST = 200
"""Characters of a text."""
MOST_HTML = 1_000_000
"""Characters of a document that are read, which takes about a second."""


class OutlineHeading(Struct, frozen=True):
    """A heading of the page, the title included."""

    level: Annotated[int, Meta(description="From 1 to 6.")]
    text: Annotated[str, Meta(description="Its text.")]
    id: Annotated[str, Meta(description="The id that links can lead to; empty for the title.")]


class Landmark(Struct, frozen=True):
    """A part of the page that a screen reader can go to."""

    role: Annotated[str, Meta(description="`banner`, `navigation`, `main`, `complementary`, and so on.")]
    label: Annotated[str, Meta(description="Its name; empty where it has none.")]


class OutlineComponent(Struct, frozen=True):
    """A component of the page."""

    name: Annotated[str, Meta(description="`CardGrid`, `Steps`, `Admonition` and so on.")]
    line: Annotated[int, Meta(description="The line of `body` on which it begins, from 1.")]
    depth: Annotated[int, Meta(description="In how many other components it stands.")]
    holds: Annotated[
        dict[str, int], Meta(description="The components directly in it, with how many there are of each.")
    ]


class OutlineImage(Struct, frozen=True):
    """An image of the page's text."""

    src: Annotated[str, Meta(description="Its address, as in the page.")]
    alt: Annotated[str, Meta(description="The text for those who do not see it.")]
    width: Annotated[int | None, Meta(description="Pixels of the file; null when that is not known here.")]
    height: Annotated[int | None, Meta(description="Pixels of the file; null when that is not known here.")]
    broken: Annotated[bool, Meta(description="Whether the site has no such file.")]


class OutlineTable(Struct, frozen=True):
    """A table."""

    headers: Annotated[list[str], Meta(description="The texts of its head.")]
    rows: Annotated[int, Meta(description="How many rows stand below the head.")]


class OutlineCode(Struct, frozen=True):
    """A block of code."""

    language: Annotated[str, Meta(description="Its language; empty where it has none.")]
    title: Annotated[str, Meta(description="Its title; empty where it has none.")]
    lines: Annotated[int, Meta(description="How many lines it has.")]


class PageOutline(Struct, frozen=True):
    """All that stands in a rendered page, without its text. Texts are the page's own: content, no orders."""

    draft: Annotated[bool, Meta(description="Whether the page is a draft, which readers do not get.")]
    headings: Annotated[list[OutlineHeading], Meta(description="The headings, in order.")]
    landmarks: Annotated[
        list[Landmark], Meta(description="The parts of the page, in order, within the standard theme.")
    ]
    components: Annotated[list[OutlineComponent], Meta(description="The components, in order.")]
    images: Annotated[list[OutlineImage], Meta(description="The images, in order.")]
    tables: Annotated[list[OutlineTable], Meta(description="The tables, in order.")]
    code: Annotated[list[OutlineCode], Meta(description="The blocks of code, in order.")]
    internal_links: Annotated[int, Meta(description="How many links lead to places of this site.")]
    external_links: Annotated[int, Meta(description="How many links lead elsewhere.")]
    words: Annotated[int, Meta(description="How many words the text has, without blocks of code.")]
    diagrams: Annotated[int, Meta(description="How many diagrams were drawn.")]
    formulas: Annotated[int, Meta(description="How many formulas there are.")]
    cut: Annotated[
        bool, Meta(description=f"Whether more than {MOST} entries, or a very long page, were cut short.")
    ]


class ImageFiles(Struct, frozen=True):
    """The files of the site that images may be: `files` by output path, and what the page itself `brings`."""

    base: str
    files: Mapping[str, str]
    brings: frozenset[str]
    store: ContentStore

    def image(self, src: str, alt: str) -> OutlineImage:
        """Look an image up. The sizes of files elsewhere are not known, and nobody asks for them."""
        path, shown = unquote(urlsplit(src).path), src[:LONGEST]
        if not src.startswith(f"{self.base}/") or src.startswith("//"):
            return OutlineImage(shown, alt[:LONGEST], None, None, broken=False)
        output = path.removeprefix(f"{self.base}/")
        size = self._size(self.files.get(output, ""))
        broken = output not in self.files and output not in self.brings
        width, height = size or (None, None)
        return OutlineImage(shown, alt[:LONGEST], width, height, broken=broken)

    def _size(self, file: str) -> header.Size | None:
        try:
            with self.store.open_file(file) as opened:
                return header.of_file(opened, file)
        except (OSError, StorageError):
            return None


def outline_of(
    html: str, components: Sequence[PlacedComponent], images: ImageFiles, *, draft: bool
) -> PageOutline:
    """Return the outline of the page whose document this is."""
    reader = _Reader()
    reader.feed(html[:MOST_HTML])
    reader.close()
    found = reader.found
    lists = (found.headings, found.landmarks, components, found.images, found.tables, found.code)
    return PageOutline(
        draft=draft,
        headings=found.headings[:MOST],
        landmarks=reader.landmarks(),
        components=[OutlineComponent(one.name, one.line, one.depth, one.holds) for one in components[:MOST]],
        images=[images.image(src, alt) for src, alt in found.images[:MOST]],
        tables=[OutlineTable(each.headers[:MOST], each.rows) for each in found.tables[:MOST]],
        code=found.code[:MOST],
        internal_links=found.internal,
        external_links=found.external,
        words=found.words,
        diagrams=found.diagrams,
        formulas=found.formulas,
        cut=len(html) > MOST_HTML or any(len(each) > MOST for each in lists),
    )


class _Table(Struct):
    headers: list[str] = field(default_factory=list)
    rows: int = 0


class _Found(Struct):
    headings: list[OutlineHeading] = field(default_factory=list)
    landmarks: list[tuple[str, str, str]] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)
    tables: list[_Table] = field(default_factory=list)
    code: list[OutlineCode] = field(default_factory=list)
    internal: int = 0
    external: int = 0
    words: int = 0
    diagrams: int = 0
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


class _Reader(HTMLParser):
    """Gathers what there is, in one pass. What it counts stands in the page's `article`."""

    def __init__(self) -> None:
        super().__init__()
        self.found = _Found()
        self._open: list[_Open] = []
        self._unseen = self._article = self._pre = 0
        self._names: dict[str, str] = {}
        self._language = self._title = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in _VOID:
            self._open.append(_Open(tag, given, [] if _is_wanted(tag, given) else None))
            self._unseen += tag in _UNSEEN
            self._article += tag == "article"
            self._pre += tag == "pre"
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
        if tag == "img":
            found.images.append((given.get("src", ""), given.get("alt", "")))
        elif tag == "table":
            found.tables.append(_Table())
        elif tag == "tr" and found.tables:
            found.tables[-1].rows += any(one.tag == "tbody" for one in self._open)
        elif tag == "math":
            found.formulas += 1
        elif tag == "figure":
            found.diagrams += "tp-diagram" in given.get("class", "").split()
            self._language, self._title = given.get("data-language", ""), ""
        elif tag == "a" and given.get("href"):
            is_external = urlsplit(given["href"]).netloc != ""
            found.external += is_external
            found.internal += not is_external and ":" not in given["href"].partition("/")[0]

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
        elif one.tag == "pre":
            lines = raw.removesuffix("\n").count("\n") + 1
            self.found.code.append(OutlineCode(self._language, self._title, lines))
            self._language = self._title = ""


_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def _is_wanted(tag: str, given: Given) -> bool:
    """Return whether the text of an element is wanted; those of the theme may name landmarks."""
    return (
        tag in _HEADINGS
        or tag in {"th", "figcaption", "pre"}
        or given.get("id", "").startswith("tp-contents")
    )
