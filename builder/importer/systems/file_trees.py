"""Trees of files, which several systems write as tags within tags: lists here."""

from __future__ import annotations

from collections.abc import Mapping

from builder.importer.pieces import SourcePiece
from builder.importer.tag_rules import Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag

_FOLDERS = frozenset({"Folder", "Tree.Folder"})


def _tree(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    tags.rewriting.extras.add("file-tree")
    tags.open(piece, "FileTree")


def _entry(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write a file or folder as an item, as deep as the folders round it."""
    text = tags.rewriting.text
    depth = sum(
        1
        for each in tags.rewriting.source.pieces
        if each.tag is not None and each.tag.name in _FOLDERS and each.close
        if each.start < piece.start < each.close[0]
    )
    slash = "/" if tag.name in _FOLDERS else ""
    begin = text.rfind("\n", 0, piece.start) + 1
    start = begin if not text[begin : piece.start].strip() else piece.start
    lead = "" if start == begin else "\n"
    tags.rewriting.replace(start, piece.end, f"{lead}{'  ' * depth}- `{tags.value(tag, 'name')}{slash}`")
    if piece.close is not None:
        tags.rewriting.remove_lines(*piece.close)


FILE_TREE: Mapping[str, Rule] = {
    "Files": Rule(_tree),
    "Folder": Rule(_entry),
    "File": Rule(_entry),
    "Tree": Rule(_tree),
    "Tree.Folder": Rule(_entry),
    "Tree.File": Rule(_entry),
}
"""The rules for all names of trees."""
