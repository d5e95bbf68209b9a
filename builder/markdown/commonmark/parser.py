"""The parser of page bodies without components: CommonMark and GFM, raw HTML for `md` only.

    normalise -> blocks -> chosen ids, tasks -> inlines -> footnotes -> text joined -> mail addresses
    -> media -> raw HTML -> refused links                                                  (core rules)

Rules never touch the site: links are resolved, headings get ids and fences are highlighted by whoever
renders the tokens. What a rule has to tell about the source it leaves in `env`, as `notes`.
"""

from __future__ import annotations

from markdown_it import MarkdownIt

from builder.markdown.commonmark import (
    addresses,
    alerts,
    autolinks,
    footnotes,
    gfm,
    headings,
    links,
    lists,
    media,
    raw_html,
    references,
    tables,
)
from builder.markdown.commonmark.addresses import Helpers
from builder.markdown.commonmark.fast import breaks, inline, joins, paragraphs
from builder.markdown.commonmark.fast.block import Block
from builder.markdown.commonmark.fast.inline import Inline
from builder.paths import Format

PLUGINS = (
    inline.plugin,
    joins.plugin,
    breaks.plugin,
    references.plugin,
    paragraphs.plugin,
    tables.plugin,
    lists.plugin,
    alerts.plugin,
    gfm.plugin,
    autolinks.plugin,
    footnotes.plugin,
    headings.plugin,
    media.plugin,
    raw_html.plugin,
    links.plugin,
)


class Parser(MarkdownIt):
    """markdown-it with a quicker inline loop; addresses are judged after parsing (see `links`)."""

    inline: Inline
    block: Block

    def validateLink(self, url: str) -> bool:
        """Every address may be parsed."""
        return True

    def normalizeLink(self, url: str) -> str:
        """An address as it goes into an attribute."""
        return addresses.normal(url)

    def normalizeLinkText(self, link: str) -> str:
        """An address as it is shown."""
        return addresses.readable(link)


def base(format: Format) -> Parser:
    """A new parser; the caller keeps it, and may add rules of its own.

    An inline rule that is added must be declared: `md.inline.begins(name, characters)`. A block rule may be:
    `md.block.begins(name, characters)`.
    """
    md = Parser("zero")
    md.inline, md.block = Inline(), Block()
    md.helpers = Helpers()  # type: ignore[assignment]  # markdown-it has a module there
    md.configure("commonmark", {"html": format == "md", "xhtmlOut": False, "maxNesting": 100})
    for plugin in PLUGINS:
        md.use(plugin)
    return md
