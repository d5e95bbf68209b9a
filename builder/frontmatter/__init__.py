"""Frontmatter: the YAML block that a page may begin with, read without ever failing and written with care."""

from builder.frontmatter.document import Document
from builder.frontmatter.meta import FIELDS, Field, Meta
from builder.frontmatter.split import split

__all__ = ["FIELDS", "Document", "Field", "Meta", "split"]
