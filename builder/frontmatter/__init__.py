"""Frontmatter: the YAML block that a page may begin with, read without ever failing and written with care."""

from builder.frontmatter.document import (
    Document,
    KeptDocument,
    TextMark,
    packed_text,
    text_mark,
    unpacked_text,
)
from builder.frontmatter.meta import FIELDS, Field, Meta
from builder.frontmatter.split import split

__all__ = [
    "FIELDS",
    "Document",
    "Field",
    "KeptDocument",
    "Meta",
    "TextMark",
    "packed_text",
    "split",
    "text_mark",
    "unpacked_text",
]
