"""Rewrite pages of Docusaurus: tabs, admonitions, code blocks, images, imports of parts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.mdx_page import beside, rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import Piece
from builder.importer.tags import UNWRAPPED, Rule, Tags, admonition, renamed
from builder.markdown.mdx.scan.tags import Tag

_KINDS = {"important": "info", "success": "tip", "secondary": "note"}
_HARMLESS = frozenset(
    {
        "className",
        "groupId",
        "queryString",
        "lazy",
        "attributes",
        "default",
        "defaultValue",
        "values",
        "mdxType",
    }
)
_MAGIC = re.compile(r"^[ \t]*(?://|#|/\*|<!--|\{/\*)[ \t]*highlight-", re.MULTILINE)


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Docusaurus."""
    rewrite_mdx(work, _RULES, _resolved)
    rewrite_admonitions(work, _KINDS)


def _resolved(work: PageWork, source: str) -> str:
    return (
        posixpath.normpath(source.removeprefix("@site/"))
        if source.startswith("@site/")
        else beside(work, source)
    )


def _tab_item(tags: Tags, piece: Piece, tag: Tag) -> None:
    label = tags.value(tag, "label") or tags.value(tag, "value")
    tags.open(piece, "TabItem", [("label", label)])


def _tabs(tags: Tags, piece: Piece, tag: Tag) -> None:
    labels: dict[str, str] = {}
    given = tag.attribute("values")
    values = tags.literal(given) if given is not None else []
    for each in values if isinstance(values, list) else []:
        if isinstance(each, dict) and isinstance(each.get("label"), str):
            labels[str(each.get("value"))] = each["label"]
    items = [
        tags.value(one.tag, "value") for one in tags.within(piece) if one.tag and one.tag.name == "TabItem"
    ]
    named = [labels[item].replace(",", "\\,") for item in items if item in labels]
    tags.open(piece, "Tabs", [("labels", ",".join(named))] if named and len(named) == len(items) else [])


def _link(tags: Tags, piece: Piece, tag: Tag) -> None:
    tags.open(piece, "a", [("href", tags.value(tag, "to", "href"))])


def _image(tags: Tags, piece: Piece, tag: Tag) -> None:
    """Write an image whose address is an expression with the path that it stands for."""
    if any(one.braced for one in tag.attributes):
        kept = [
            (one.name, tags.text(one))
            for one in tag.attributes
            if one.name in {"src", "alt", "width", "height", "title"}
        ]
        tags.open(piece, "img", [(name, text) for name, text in kept if text is not None])


def _themed(tags: Tags, piece: Piece, tag: Tag) -> None:
    given = tag.attribute("sources")
    sources = tags.literal(given) if given is not None else None
    light = sources.get("light") if isinstance(sources, dict) else ""
    tags.open(
        piece,
        "img",
        [
            ("src", light if isinstance(light, str) else getattr(light, "arguments", ("",))[0]),
            ("alt", tags.value(tag, "alt")),
        ],
    )


_RULES: Mapping[str, Rule] = {
    "Tabs": Rule(_tabs),
    "TabItem": Rule(_tab_item),
    "Link": Rule(_link),
    "img": Rule(_image),
    "ThemedImage": Rule(_themed),
    "Admonition": Rule(
        lambda tags, piece, tag: tags.admonition(
            piece,
            _KINDS.get(tags.value(tag, "type"), tags.value(tag, "type") or "note"),
            tags.value(tag, "title"),
        ),
        is_admonition=True,
    ),
    "React.Fragment": UNWRAPPED,
    "Details": renamed("details"),
    "Note": admonition("note"),
}
