"""A page in its parts, and what is said where one of them could not be read."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from builder.compression import QUICK, compressed, decompressed
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.frontmatter.meta import Meta
from builder.unicode import bytes_of

MOST_BYTES = 1 << 30
"""Of a body; what may be in a file is less."""


class Document(Struct, frozen=True):
    """A page's source in its parts.

    `frontmatter` holds what JSON can hold, in the order of the file, unknown keys too. `text` is what follows
    the block, empty where it is `packed`, and `first_line` the line (from 1) of the file at which it begins.
    `head` is the block as it was written, when all but the body comes from it alone.
    """

    frontmatter: dict[str, object]
    meta: Meta
    text: str
    first_line: int
    diagnostics: tuple[Diagnostic, ...] = ()
    head: str = ""
    packed: bytes = b""

    @property
    def body(self) -> str:
        """The text after the block."""
        if not self.packed:
            return self.text
        return _unpacked(self.packed)

    @property
    def size(self) -> int:
        """The bytes of the text."""
        return bytes_of(self.body)

    def with_body(self, body: str) -> Document:
        """Return the same with another body."""
        return Document(self.frontmatter, self.meta, body, self.first_line, self.diagnostics, self.head)

    def without_text(self) -> Document:
        """Return the same, but for the text."""
        return self.with_body("")

    def unpacked(self) -> Document:
        """Return the same with its text."""
        return self.with_body(self.body) if self.packed else self

    def pack(self) -> None:
        """Hold the body in half of the memory, for a site of many pages: to unpack it takes microseconds."""
        if not self.packed:
            packed = compressed(self.text.encode("utf-8", "surrogatepass"), QUICK)
            force_setattr(self, "packed", packed)
            force_setattr(self, "text", "")


class TextMark(NamedTuple):
    """The digest of a text, and its bytes."""

    digest: bytes
    size: int


class SourceTexts(Protocol):
    """Holds the texts of pages elsewhere than in memory."""

    def text(self, path: str, digest: bytes) -> str:
        """Return the text of the page at a content path that has this digest."""


class KeptDocument(Document, frozen=True, kw_only=True):
    """A page's source in its parts but for its text, which `texts` has: that of the page at `path` with this
    `mark`. Sent to another process it has its text again.
    """

    texts: SourceTexts
    path: str
    mark: TextMark

    @classmethod
    def of(cls, document: Document, texts: SourceTexts, path: str, mark: TextMark) -> KeptDocument:
        """Return a document whose text lies elsewhere by now."""
        parts = document.frontmatter, document.meta, "", document.first_line, document.diagnostics
        return cls(*parts, document.head, texts=texts, path=path, mark=mark)

    @property
    def body(self) -> str:
        """The text after the block."""
        return self.texts.text(self.path, self.mark.digest)

    @property
    def size(self) -> int:
        """The bytes of the text."""
        return self.mark.size

    def unpacked(self) -> Document:
        """Return the same with its text."""
        return self.with_body(self.body)

    def pack(self) -> None:
        """Nothing of the body is held."""

    def __reduce__(self) -> str | tuple[object, ...]:
        """Return what another process needs of it."""
        found = self.unpacked()
        found.pack()
        return found.__reduce__()


def text_mark(text: str) -> TextMark:
    """Return the mark of a text."""
    data = text.encode("utf-8", "surrogatepass")
    return TextMark(digest(data), len(data))


_PLAIN, _PACKED = b"0", b"1"


def body_bytes(document: Document) -> bytes:
    """Return the text of a document as bytes: packed where it is, else as it is, which takes no time."""
    if document.packed:
        return _PACKED + document.packed
    return _PLAIN + document.text.encode("utf-8", "surrogatepass")


def body_of(data: bytes) -> str:
    """The text again. Raises ValueError for what is none."""
    return _unpacked(data[1:]) if data[:1] == _PACKED else data[1:].decode("utf-8", "surrogatepass")


def _unpacked(packed: bytes) -> str:
    return decompressed(packed, MOST_BYTES).decode("utf-8", "surrogatepass")


def withholding(found: Diagnostic, *, draft: bool) -> Diagnostic:
    """Return a diagnostic as it stands; with `draft` it adds that the page is not published."""
    message = f"{found.message}; a build leaves this page out, as it may be a draft"
    return replace(found, message=message) if draft else found
