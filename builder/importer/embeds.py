"""Write what a page shows from another site as `Embed`, or as a link where its host is not one of those."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from builder.importer.old_site import OldPage
from builder.importer.pieces import SourcePiece
from builder.importer.tag_rules import Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag
from components.embed_hosts import DEFAULT_HOSTS, address, permits


def _embed(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    src = html.unescape(tags.value(tag, "src"))
    src = f"https:{src}" if src.startswith("//") else src
    title = tags.value(tag, "title") or "Embedded content"
    place = address(src)
    shown = html.escape(title, quote=False).replace('"', "&quot;")
    target = html.escape(src)
    if place is not None and permits(place.netloc, DEFAULT_HOSTS):
        tags.work.needs_mdx = True
        tags.replace(piece, f'<Embed src="{target}" title="{shown}" />')
        return
    source = tags.rewriting.text[piece.start : piece.whole[1]]
    tags.rewriting.tell("<iframe>", piece.start, source, "a link", "changed" if src else "lost")
    tags.replace(piece, f'<a href="{target}">{shown}</a>' if src else "")


EMBEDDED = Rule(_embed)
"""Rewrites `<iframe>`."""


def plan_of(pages: Iterable[OldPage]) -> Mapping[str, str]:
    """Return the setting `plan`: to show something from other sites is of the plan `premium`."""
    has_embeds = any("<iframe" in page.body or "<LiteYouTubeEmbed" in page.body for page in pages)
    return {"plan": "premium"} if has_embeds else {}
