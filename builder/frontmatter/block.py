"""Find the frontmatter block that a page begins with.

    block     = "---" EOL  yaml  "---" EOL  [separator]      at the very beginning, after a byte order mark
    separator = a line with nothing but spaces and tabs

One separator belongs to the block, so that the body of a page begins with its first line of text.
"""

from __future__ import annotations

from msgspec import Struct

from builder.lazy_regex import lazy

BOM = "\ufeff"
MAX_TEXT = 64 * 1024
"""Characters of a block that are read, those that aliases repeat included."""

_EOL = r"(?:\r\n|\n|\r)"
_OPEN = lazy(rf"---[ \t]*{_EOL}")
_CLOSE = lazy(rf"(?<=[\r\n])---[ \t]*(?:{_EOL}|\Z)")
_FIRST_CRLF = lazy(r"[^\r\n]*\r\n")
_SEPARATOR = lazy(rf"[ \t]*{_EOL}")


class BlockBounds(Struct, frozen=True):
    """Indexes into the page's text: `yaml` to `close` is the YAML, `body` is where the body begins."""

    yaml: int
    close: int
    body: int


def find(text: str) -> BlockBounds | None:
    """The block that `text` (without its byte order mark) begins with, whatever is in it, or None."""
    opening = _OPEN.match(text)
    if opening is None:
        return None
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        return None
    separator = _SEPARATOR.match(text, closing.end())
    return BlockBounds(opening.end(), closing.start(), separator.end() if separator else closing.end())


def opens(text: str) -> int:
    """The index after an opening line, 0 when there is none."""
    opening = _OPEN.match(text)
    return opening.end() if opening else 0


def newline(text: str) -> str:
    """How lines are to end in a text like this one: as its first line does, but never in old Mac style."""
    return "\r\n" if _FIRST_CRLF.match(text) else "\n"
