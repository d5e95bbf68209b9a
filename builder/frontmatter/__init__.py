"""Frontmatter: the YAML block that a page may begin with, read without ever failing and written with care."""

from builder.frontmatter.join import join
from builder.frontmatter.meta import FIELDS, Field, Meta
from builder.frontmatter.rescue import left_out, rescue
from builder.frontmatter.split import Document, split

__all__ = ["FIELDS", "Document", "Field", "Meta", "join", "left_out", "rescue", "split"]
