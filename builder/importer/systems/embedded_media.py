"""Films and embedded pages, which several systems write as HTML: images and links here."""

from __future__ import annotations

from collections.abc import Mapping

from builder.importer.pieces import SourcePiece
from builder.importer.source_links import parts_of
from builder.importer.tag_rules import Rule, TagRules
from builder.markdown.commonmark.media import VIDEO
from builder.markdown.mdx.scan.tags import Tag


def _source(tags: TagRules, piece: SourcePiece, tag: Tag) -> str:
    """Return the address of a film: its own, or that of the first source in it."""
    inner = (one.tag for one in tags.tree.within(piece) if one.tag is not None and one.tag.name == "source")
    return tags.value(tag, "src") or next((found for one in inner if (found := tags.value(one, "src"))), "")


def _video(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    place = _source(tags, piece, tag)
    if not place:
        tags.drop(piece, "film without an address")
        return
    title, href = tags.value(tag, "title", "alt", "aria-label"), tags.work.href(place, piece.start)
    path, _ = parts_of(href)
    if path.rpartition(".")[2].casefold() in VIDEO:
        tags.replace(piece, f"![{title}](<{href}>)")
        return
    tags.rewriting.tell("film without an ending", piece.start, place, "a link", "changed")
    tags.replace(piece, f"[{title or place}](<{href}>)")


def _iframe(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write an embedded page as a link, which works in every plan."""
    place = tags.value(tag, "src")
    if not place:
        tags.drop(piece, "embedded page without an address")
        return
    title = tags.value(tag, "title") or place
    tags.rewriting.tell("embedded page", piece.start, place, "a link", "changed")
    tags.replace(piece, f"[{title}](<{place}>)")


MEDIA: Mapping[str, Rule] = {"video": Rule(_video), "iframe": Rule(_iframe)}
"""The rules for films and embedded pages."""
