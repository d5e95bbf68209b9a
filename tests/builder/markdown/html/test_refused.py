"""A link of a component that is refused is told once."""

from __future__ import annotations

from builder.links.table import LinkTable
from builder.markdown.body import render
from builder.markdown.context import Context
from builder.markdown.page import BodySource

CONTEXT = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))


def test_a_refused_address_is_not_called_missing() -> None:
    source = BodySource('<Embed src="javascript:alert(1)" />\n', "mdx", "docs/a.mdx", 1, "docs/a")
    assert [one.code for one in render(source, CONTEXT).diagnostics] == ["link-unsafe"]
