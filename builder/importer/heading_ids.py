"""Keep the anchors of headings where another system writes them otherwise than they are written here."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from html import unescape

from builder.importer.page_work import PageWork
from builder.markdown.commonmark.headings import slugify

_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]+(?P<text>[^\n]{1,500})$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"(?P<code>`[^`\n]*`)|<[^<>]*>")
_SIGNS = re.compile(r"[`*]|(?<!\w)_+|_+(?!\w)|[ \t]#+[ \t]*$|\\(?=[!-/:-@\[-`{-~])")


def keep_anchors(work: PageWork, slug: Callable[[str], str], again: str = "") -> None:
    """Write the old anchor behind each heading that would have another one; `slug` gives it for a text.

    `again` stands before the number in the anchor of a heading whose text is there before, "" for as here.
    """
    fences = [piece for piece in work.rewriting.source.pieces if piece.sort in {"fence", "comment"}]
    starts, seen = [piece.start for piece in fences], dict[str, int]()
    for found in _HEADING.finditer(work.rewriting.text):
        before = bisect_right(starts, found.start()) - 1
        if before >= 0 and found.start() < fences[before].end:
            continue
        text = found["text"].rstrip()
        old = "" if text.endswith("}") or "{" in text else slug(plain_heading(text))
        if not old or (old in seen and not again):
            continue
        seen[old] = seen.get(old, -1) + 1
        old = f"{old}{again}{seen[old]}" if seen[old] else old
        if (old != slugify(plain_heading(text)) or _untagged(text) != text) and re.fullmatch(r"[\w.-]+", old):
            work.rewriting.insert(found.start("text") + len(text), f" {{#{old}}}")


def plain_heading(text: str) -> str:
    """Return the text of a heading without its marks."""
    return unescape(_SIGNS.sub("", _untagged(_LINK.sub(r"\1", text)))).strip()


def _untagged(text: str) -> str:
    """Return a text without its tags, but for what is code: `Box<T>`."""
    return _TAG.sub(lambda found: found["code"] or "", text)
