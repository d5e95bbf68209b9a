"""Keep the anchors of headings where another system writes them otherwise than they are written here."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from html import unescape

from builder.importer.page_work import PageWork
from builder.markdown.commonmark.slug import slugify

_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]+(?P<text>[^\n]{1,500})$", re.MULTILINE)
_UNDERLINED = re.compile(
    r"(?:\A|\n[ \t]*\n)[ ]{0,3}(?P<text>[^\n\s#>|*+<-][^\n|]{0,500})\n[ ]{0,3}(?:=+|-{2,})[ \t]*$",
    re.MULTILINE,
)
"""A heading by the line below it, alone behind an empty line."""
_CHOSEN = re.compile(r"\{:?[ \t]*#([^\s{}#]{1,200})[^{}\n]*\}$")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"(?P<code>`[^`\n]*`)|<[^<>]*>")
_SIGNS = re.compile(r"[`*]|(?<!\w)_+|_+(?!\w)|[ \t]#+[ \t]*$|\\(?=[!-/:-@\[-`{-~])")


class _Anchors:
    """Gives out the anchors of one page, each once, a number behind those that are taken."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._last: dict[str, int] = {}

    def free(self, slug: str, sign: str) -> str:
        """Return the anchor that a heading gets, which is not taken yet."""
        found, number = slug, self._last.get(f"{slug}{sign}", 0)
        while found in self.taken:
            number += 1
            found = f"{slug}{sign}{number}"
        self._last[f"{slug}{sign}"] = max(0, number - 1)
        return found


def keep_anchors(work: PageWork, slug: Callable[[str], str], again: str = "-") -> None:
    """Write the old anchor behind each heading that would have another one; `slug` gives it for a text.

    `again` stands before the number in the anchor of a heading whose text is there before.
    """
    fences = [piece for piece in work.rewriting.source.pieces if piece.sort in {"fence", "comment"}]
    starts, anchors = [piece.start for piece in fences], _Anchors()
    for found in _headings(work.rewriting.text):
        before = bisect_right(starts, found.start("text")) - 1
        if before >= 0 and found.start("text") < fences[before].end:
            continue
        text = found["text"].rstrip()
        if chosen := _CHOSEN.search(text):
            anchors.taken.add(chosen[1])
        old = "" if text.endswith("}") or "{" in text else slug(plain_heading(text))
        if not old:
            continue
        old, new = anchors.free(old, again), anchors.free(slugify(plain_heading(text)), "-")
        anchors.taken.add(old)
        if (old != new or _untagged(text) != text) and re.fullmatch(r"[\w.-]+", old):
            work.rewriting.insert(found.start("text") + len(text), f" {{#{old}}}")


def _headings(text: str) -> Iterable[re.Match[str]]:
    """Return all lines that are headings, or look like them."""
    found = [*_HEADING.finditer(text), *_UNDERLINED.finditer(text)]
    return sorted(found, key=lambda each: each.start("text"))


def plain_heading(text: str) -> str:
    """Return the text of a heading without its marks."""
    return unescape(_SIGNS.sub("", _untagged(_LINK.sub(r"\1", text)))).strip()


def _untagged(text: str) -> str:
    """Return a text without its tags, but for what is code: `Box<T>`."""
    return _TAG.sub(lambda found: found["code"] or "", text)
