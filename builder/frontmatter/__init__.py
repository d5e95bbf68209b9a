"""Frontmatter: the YAML block that a page may begin with, read without ever failing and written with care."""

from builder.frontmatter.document import (
    Document,
    KeptDocument,
    TextMark,
    body_bytes,
    body_of,
    text_mark,
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
    "body_bytes",
    "body_of",
    "split",
    "text_mark",
]
