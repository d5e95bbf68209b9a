"""Frontmatter: the YAML block that a page may begin with, read without ever failing and written with care."""

from builder.frontmatter.document import Document, KeptDocument, packed_text, text_mark, unpacked_text
from builder.frontmatter.meta import FIELDS, Field, Meta
from builder.frontmatter.split import split

__all__ = [
    "FIELDS",
    "Document",
    "Field",
    "KeptDocument",
    "Meta",
    "packed_text",
    "split",
    "text_mark",
    "unpacked_text",
]
