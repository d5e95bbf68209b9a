"""Rewrite pages of Fumadocs: its components and the words behind a fence's language."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from builder.importer.mdx_page import rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.systems.embedded_media import MEDIA
from builder.importer.systems.file_trees import FILE_TREE
from builder.importer.systems.icon_names import icon_name
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules, renamed
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.mdx.tag_hints import kind_of

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_TAB = re.compile(r"\btab=\"([^\"]*)\"")
_TITLE = re.compile(r"\btitle=\"[^\"]*\"")
_LINES = re.compile(r"\{[\d,\s-]+\}")


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Fumadocs."""
    rewrite_mdx(work, _RULES)
    fences = [piece for piece in work.rewriting.source.pieces if piece.sort == "fence"]
    for piece in fences:
        _fence(work, piece)


def _callout(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    kinds = {"warn": "warning", "error": "danger", "success": "tip", "idea": "tip"}
    given = tags.value(tag, "type")
    tags.admonition(piece, kinds.get(given) or kind_of(given) or "note", tags.value(tag, "title"))


def _card(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    icon = tag.attribute("icon")
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", tags.jsx_name(icon)) if icon is not None else ""
    given = [
        ("title", tags.value(tag, "title")),
        ("icon", icon_name(name)),
        ("href", tags.value(tag, "href")),
    ]
    words = html.escape(tags.value(tag, "description"), quote=False)
    tags.filled(piece, "Card", [(name, text) for name, text in given if text], words)


def _tabs(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.open(piece, "Tabs", [("labels", tags.value(tag, "items"))] if tags.value(tag, "items") else [])


def _tab(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    label = tags.value(tag, "title") or tags.value(tag, "value")
    tags.open(piece, "TabItem", [("label", label)] if label else [])


def _details(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.details(piece, tags.value(tag, "title"))


def _types(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write a table of types as parameters."""
    given = tag.attribute("type")
    found = tags.literal(given) if given is not None else None
    if not isinstance(found, dict):
        tags.drop(piece, "table of types that is no data")
        return
    rows = [_type(name, each) for name, each in found.items() if isinstance(each, dict)]
    tags.replace(piece, "\n\n".join(("<Params>", *rows, "</Params>")))


def _type(name: str, given: Mapping[str, object]) -> str:
    def text(key: str) -> str:
        value = given.get(key)
        return html.escape(str(value), quote=True) if isinstance(value, str | int | float) else ""

    shown = f' type="{text("type")}"' if text("type") else ""
    shown += " required" if given.get("required") is True else ""
    shown += f' default="{text("default")}"' if text("default") else ""
    return f'<Param name="{html.escape(name, quote=True)}"{shown}>\n{text("description")}\n</Param>'


def _code(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    code = tags.value(tag, "code").strip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
    tags.replace(piece, f"{ticks}{tags.value(tag, 'lang')}\n{code}\n{ticks}")


def _steps(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write boxes of steps as they are called here."""
    classes = set(tags.value(tag, "className", "class").split())
    if "fd-steps" in classes:
        tags.open(piece, "Steps")
    elif "fd-step" in classes:
        tags.open(piece, "Step")


def _fence(work: PageWork, piece: SourcePiece) -> None:
    found = _FENCE.match(work.rewriting.text, piece.start)
    rest = found["rest"] if found else ""
    if found is None or not rest.strip():
        return
    tab, title, lines = _TAB.search(rest), _TITLE.search(rest), _LINES.search(rest)
    parts = [f'title="{tab[1]}"' if tab else title[0] if title else "", lines[0] if lines else ""]
    parts.append("showLineNumbers" if "lineNumbers" in rest else "")
    work.rewriting.replace(found.start("rest"), found.end("rest"), "".join(f" {one}" for one in parts if one))


_RULES: Mapping[str, Rule] = {
    "Callout": Rule(_callout, is_admonition=True),
    "Cards": renamed("CardGrid", {}, frozenset({"className"})),
    "Card": Rule(_card),
    "Tabs": Rule(_tabs),
    "Tab": Rule(_tab),
    "Steps": renamed("Steps", {}),
    "Step": renamed("Step", {}),
    "Accordions": UNWRAPPED,
    "Accordion": Rule(_details, is_admonition=False),
    **FILE_TREE,
    **MEDIA,
    "TypeTable": Rule(_types),
    "DynamicCodeBlock": Rule(_code),
    "InlineTOC": Rule(lambda tags, piece, _: tags.replace(piece, "")),
    "Banner": UNWRAPPED,
    "div": Rule(_steps),
    "ImageZoom": renamed(
        "img",
        {"src": "src", "alt": "alt", "width": "width", "height": "height"},
        frozenset({"className", "priority"}),
    ),
}
