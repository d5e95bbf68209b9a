"""A page in its parts, and what is said where one of them could not be read."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from builder.compression import QUICK, compressed, decompressed
from builder.diagnostics import Diagnostic
from builder.frontmatter.meta import Meta

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
        return decompressed(self.packed, MOST_BYTES).decode("utf-8", "surrogatepass")

    def with_body(self, body: str) -> Document:
        """Return the same with another body."""
        return replace(self, text=body, packed=b"")

    def unpacked(self) -> Document:
        """Return the same with its text."""
        return self.with_body(self.body) if self.packed else self

    def pack(self) -> None:
        """Hold the body in half of the memory, for a site of many pages: to unpack it takes microseconds."""
        if not self.packed:
            force_setattr(self, "packed", compressed(self.text.encode("utf-8", "surrogatepass"), QUICK))
            force_setattr(self, "text", "")


def withholding(found: Diagnostic, *, draft: bool) -> Diagnostic:
    """Return a diagnostic as it stands; with `draft` it adds that the page is not published."""
    message = f"{found.message}; a build leaves this page out, as it may be a draft"
    return replace(found, message=message) if draft else found
