"""The parser of page bodies without components: CommonMark and GFM, raw HTML for `md` only.

    normalise -> blocks -> chosen ids, tasks -> inlines -> footnotes -> text joined -> mail addresses
    -> media -> raw HTML -> refused links                                                  (core rules)

Rules never touch the site: links are resolved, headings get ids and fences are highlighted by whoever
renders the tokens. What a rule has to tell about the source it leaves in `env`, as `builder.markdown.notes`.
"""

from __future__ import annotations

from markdown_it import MarkdownIt

from builder.markdown import alerts, autolinks, footnotes, gfm, headings, links, media, rawhtml, tables
from builder.markdown.inline import Inline
from builder.markdown.page import Format

PLUGINS = (
    tables.plugin,
    alerts.plugin,
    gfm.plugin,
    autolinks.plugin,
    footnotes.plugin,
    headings.plugin,
    media.plugin,
    rawhtml.plugin,
    links.plugin,
)


class Parser(MarkdownIt):
    """markdown-it with a quicker inline loop; addresses are judged after parsing (see `links`)."""

    inline: Inline

    def validateLink(self, url: str) -> bool:
        """Every address may be parsed."""
        return True


def base(format: Format) -> Parser:
    """A new parser; the caller keeps it, and may add rules of its own.

    An inline rule that is added must be declared: `md.inline.begins(name, characters)`.
    """
    md = Parser("zero")
    md.inline = Inline()
    md.configure("commonmark", {"html": format == "md", "xhtmlOut": False, "maxNesting": 100})
    for plugin in PLUGINS:
        md.use(plugin)
    return md
