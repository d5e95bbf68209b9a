"""Make one page's part of the index from that page alone: a plain value that can be kept.

The page's body is cut into sections of plain text where the table of contents has its entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from builder.digests import digest
from builder.lazy_regex import lazy
from builder.links.urls import decoded
from builder.markdown.commonmark.toc import TocEntry
from builder.markdown.page import Body
from builder.search.terms import STOP, distinct, parted, stem, terms, whole, within_names, words
from builder.search.twin_sections import SHOWN, Section, cut, has_sections
from builder.search.weights import (
    ADDRESS,
    BELOW,
    DESCRIPTION,
    EXACT,
    HEADING,
    LABEL,
    SATURATION,
    SHARE,
    STEPS,
    TITLE,
    TITLE_BELOW,
    USUAL,
    WHOLE_HEADING,
    WHOLE_TITLE,
    WITHIN_NAME,
)
from builder.site import SitePage
from builder.unicode import encoded


class Part(Struct, frozen=True):
    """The part of one page in the index. `url` is without the base path.

    `headings` are the words of title, headings and description as they stand; `terms` has for each section
    its terms, parted by spaces, and a byte for the weight of each. `is_in_twin` says that the page's twin has
    the same headings and anchors: excerpts can be cut from it.
    """

    url: str
    title: str
    sections: tuple[Section, ...]
    headings: frozenset[str]
    terms: tuple[tuple[str, bytes], ...]
    is_in_twin: bool = False

    @property
    def key(self) -> bytes:
        """The same for the same part. Its headings are in its title and sections, and sets have no order."""
        return digest(self.url, self.title, self.sections, self.terms, self.is_in_twin)


def page_part(page: SitePage, body: Body, twin: str = "") -> Part:
    """Return the part of an author's page; `twin` is what was derived from it, if that is wanted."""
    about, found = page.meta.description or "", sections(_sound(body.html), body.toc)
    return _with_twin(_part(page.url, _sound(page.title), page.label, _sound(about), found), twin, body.html)


def listed(url: str, title: str, names: Iterable[str], twin: str = "") -> Part:
    """Return the part of a page that is nothing but a list of others; `twin` as for `page_part`."""
    return _with_twin(_part(url, _sound(title), "", "", (("", "", _sound(", ".join(names))),)), twin)


def _with_twin(part: Part, twin: str, html: str = "") -> Part:
    """Say of a part if excerpts can be cut from the page's twin, where there is one.

    The headings of its HTML are the same, too: on a host that serves no twins they stand for them.
    """
    fits = bool(twin) and has_sections(twin, part.title, part.sections)
    fits = fits and _HEADING_ID.findall(html) == [anchor for anchor, _, _ in part.sections[1:]]
    return replace(part, is_in_twin=True) if fits else part


def _part(url: str, title: str, label: str, about: str, found: tuple[Section, ...]) -> Part:
    named = _weights(TITLE, WHOLE_TITLE, title)
    headings = words(" ".join((title, label, about, *(heading for _, heading, _ in found))))
    below = distinct(parted(cut(title, BELOW)))
    # The folder that all pages are in says nothing.
    address = distinct((url[1:].partition("/")[2] or url).replace("/", " "))
    weights = _of_page(named, distinct(label), distinct(about) - STOP, address)
    rows = [_row(found[0][2], weights | _title(title))]
    for _, heading, text in found[1:]:
        own = _weights(HEADING, WHOLE_HEADING, _sound(heading))
        rows.append(_row(text, _added(own, below, TITLE_BELOW)))
    shown = tuple((_sound(anchor), _sound(heading), cut(text, SHOWN)) for anchor, heading, text in found)
    if about and not shown[0][2].startswith(about):
        shown = (("", "", cut(f"{about} {shown[0][2]}".strip(), SHOWN)), *shown[1:])
    return Part(url, title, shown, headings, tuple(rows))


def _title(title: str) -> dict[str, float]:
    """A title as a term of its own: one finds the page by its first letters, however many pages have them."""
    name = whole(title)
    return {name: 1.0} if name else {}


def _of_page(
    named: Mapping[str, float], labelled: set[str], described: set[str], address: set[str]
) -> dict[str, float]:
    """Return the weights that the page itself adds to those of its first section."""
    weights = _added(_added(named, labelled - named.keys(), LABEL), described, DESCRIPTION)
    return _added(weights, address - weights.keys(), ADDRESS)


# Sites have the same few headings on many pages.
@lru_cache(maxsize=1024)
def _weights(each: float, whole: float, text: str) -> Mapping[str, float]:
    """Return the weight of each term of a title or heading, and of each word as it stands there."""
    found = distinct(parted(text))
    count = len(found) or 1
    own: float = each / count**SHARE + whole / count
    exact = {word: EXACT for word in words(text) if stem(word) != word}
    return exact | dict.fromkeys(found, own) | dict.fromkeys(within_names(text), own * WITHIN_NAME)


def _added(weights: Mapping[str, float], found: set[str], weight: float) -> dict[str, float]:
    return {**weights, **{term: weights.get(term, 0.0) + weight for term in found}}


def _row(text: str, more: dict[str, float]) -> tuple[str, bytes]:
    """The terms of a section with their weights: more for each time, but ever less, and what is added."""
    counts = terms(text)
    norm = SATURATION * (0.4 + 0.6 * counts.total() / USUAL)
    of_text = {times: times * (SATURATION + 1) / (times + norm) for times in {0, *counts.values()}}
    steps = {times: int(weight * STEPS) or 1 for times, weight in of_text.items()}
    weights = {term: steps[times] for term, times in counts.items() if term not in STOP}
    for term, weight in sorted(more.items()):  # out of sets, which have another order in each process
        times = 0 if term in STOP else counts.get(term, 0)
        weights[term] = int((of_text[times] + weight) * STEPS)
    return " ".join(weights), bytes(weights.values())


def _sound(text: str) -> str:
    """Text that can be written as UTF-8, whatever a page was read from."""
    return text if text.isascii() else encoded(text).decode()


HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_HEADING_ID = lazy(r'<h[2-4](?=[ >])(?:[^>"]|"[^"]*")*? id="([^"]*)"')
_ID = lazy(r' id="([^"]*)"')
_NAME = lazy("<([a-z][a-z0-9]*)[^>]*")
_INSIDE = r"(?:[^>\"]++|\"[^\"]*+\")*>"
_DROPPED = lazy(r"<(svg|script|style|iframe)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_NOTE = lazy(rf'<sup class="tp-footnote-ref">.*?</sup>| ?<a class="tp-footnote-back"{_INSIDE}[^<]*</a>')
"""The number of a footnote, which would stick to its word, and the way back to it."""
_MATH = lazy(r'<math alttext="([^"]*+)".*?</math>', re.DOTALL)
"""A formula, which the search has as TeX."""
_TAG = lazy(r'</?([a-zA-Z][^\s>/"]*+)[^>"]*+(?:"[^"]*+"[^>"]*+)*>')
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s",
    "samp", "small", "span", "strong", "sub", "sup", "u", "var", "wbr",
})  # fmt: skip
"""Elements that stand within words."""
_DROPPED_WHOLE = frozenset({"svg", "script", "style", "iframe"})


class _Breaks(dict[str, str]):
    """The text that stands for the tags of each element; filled as they are met."""

    def __missing__(self, name: str) -> str:
        found = self[name] = "" if name in _INLINE else " "
        return found


_BREAKS = _Breaks()


def sections(body: str, toc: tuple[TocEntry, ...]) -> tuple[Section, ...]:
    """The sections of a body's HTML, in order; first what stands above the first entry, even if empty."""
    found: list[Section] = []
    anchor, heading, start = "", "", 0
    for entry, before, after in _entries(body, toc):
        found.append((anchor, heading, text(body[start:before])))
        anchor, heading, start = entry.id, entry.label, after
    found.append((anchor, heading, text(body[start:])))
    return tuple(found)


def text(markup: str) -> str:
    """Return the visible text of HTML, on one line."""
    if "<math" in markup:
        markup = _MATH.sub(r" \1 ", markup)
    # Half of all tags are ends of colours, and quicker gone so.
    parts = _TAG.split(markup.replace("</span>", ""))
    if "<!" in markup or "tp-footnote-" in markup or not _DROPPED_WHOLE.isdisjoint(parts[1::2]):
        parts = _TAG.split(_DROPPED.sub(" ", _NOTE.sub("", markup)))
    parts[1::2] = map(_BREAKS.__getitem__, parts[1::2])
    return " ".join(decoded("".join(parts)).split())


def _entries(body: str, toc: tuple[TocEntry, ...]) -> Iterator[tuple[TocEntry, int, int]]:
    """Each entry with the place where its section's heading begins, and where its text does.

    The page's own heading at its very beginning is the page, not a section of it.
    """
    wanted = {entry.id: entry for entry in toc}
    begin = len(body) - len(body.lstrip())
    for found in _ID.finditer(body):
        before = body.rfind("<", 0, found.start())
        tag = _NAME.fullmatch(body, before, found.start())
        entry = wanted.pop(decoded(found[1]), None) if tag else None
        if tag is None or entry is None:
            continue
        end = body.find(f"</{tag[1]}>", found.end()) if tag[1] in HEADINGS else -1
        after = end + len(tag[1]) + 3 if end >= 0 else before
        if entry.level > 1 or before > begin:
            yield entry, before, after
