"""The files for machines that read: `llms.txt`, the list of pages, and `llms-full.txt`, all of them.

The form of `llms.txt` is that of llmstxt.org: a title, a summary as a quote, then sections of links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from builder import paths
from builder.sidebar import Category, Item, pages_in_order
from builder.site import SitePage
from builder.theme import SiteView
from components.twin import plain


def index(about: SiteView, root: Category, standalone: Sequence[SitePage], site: str) -> str:
    """`llms.txt`: sections in sidebar order, a line a page with its description.

    `site` is put before every address: the site's own address, or its base path when that is unknown.
    A category's inner categories are part of its section, as the form knows but one level.
    """
    top = [child.page for child in root.children if isinstance(child, Item)]
    sections = [(about.words.documentation if root.label == "Docs" else root.label, top)]
    sections += [
        (child.label, list(pages_in_order(child))) for child in root.children if isinstance(child, Category)
    ]
    sections.append((about.words.pages, list(standalone)))
    parts = [f"# {plain(about.title)}"]
    if about.description:
        parts.append(f"> {plain(about.description)}")
    parts += [_section(label, pages, site) for label, pages in sections if pages]
    return "\n\n".join(parts) + "\n"


def _section(label: str, pages: Iterable[SitePage], site: str) -> str:
    return "\n".join((f"## {plain(label)}", "", *(_entry(page, site) for page in pages)))


def _entry(page: SitePage, site: str) -> str:
    label = plain(page.title)
    about = f": {plain(page.meta.description)}" if page.meta.description else ""
    return f"- [{label}]({site}{paths.twin_url(page.path)}){about}"


def full(title: str, summary: str, twins: Iterable[tuple[str, str]]) -> Iterable[str]:
    """`llms-full.txt` in pieces: every page's address and twin, in reading order.

    `twins` are pairs of address and text.
    """
    yield f"# {plain(title)}\n"
    if summary:
        yield f"\n> {plain(summary)}\n"
    for address, text in twins:
        yield f"\n---\n\nSource: {address}\n\n{text.strip()}\n"
