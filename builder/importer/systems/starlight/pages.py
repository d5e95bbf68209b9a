"""Rewrite pages of Starlight: its components, admonitions and the words behind a fence's language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.mdx_page import rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import Piece
from builder.importer.tags import UNWRAPPED, Rule, Tags, renamed
from builder.markdown.mdx.scan.tags import Tag
from components.icons import KNOWN

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_WORDS = re.compile(
    r"\{[\d,\s-]+\}|[\w-]+=(?:\"[^\"]*\"|'[^']*'|\{[^}]*\}|/[^/]*/|\S+)|\"[^\"]*\"|/[^/]*/|\S+"
)
_VARIANTS = {"note": "blue", "tip": "purple", "success": "green", "caution": "amber", "danger": "red"}


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Starlight."""
    rewrite_mdx(work, _RULES)
    rewrite_admonitions(work, {})
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)


def _aside(tags: Tags, piece: Piece, tag: Tag) -> None:
    tags.admonition(piece, tags.value(tag, "type") or "note", tags.value(tag, "title"))


def _card(tags: Tags, piece: Piece, tag: Tag) -> None:
    given = [("title", tags.value(tag, "title"))]
    if tags.value(tag, "icon") in KNOWN:
        given.append(("icon", tags.value(tag, "icon")))
    tags.open(piece, "Card", [(name, text) for name, text in given if text])


def _link_card(tags: Tags, piece: Piece, tag: Tag) -> None:
    title, description = tags.value(tag, "title"), tags.value(tag, "description")
    href = tags.work.href(tags.value(tag, "href"), piece.start)
    escaped = title.replace("&", "&amp;").replace('"', "&quot;")
    inner = f">{description}</Card>" if description else " />"
    tags.replace(piece, f'<Card title="{escaped}" href="{href}"{inner}')


def _link_button(tags: Tags, piece: Piece, tag: Tag) -> None:
    tags.open(piece, "a", [("href", tags.value(tag, "href"))])


def _badge(tags: Tags, piece: Piece, tag: Tag) -> None:
    tags.rewriting.extras.add("badge")
    color = _VARIANTS.get(tags.value(tag, "variant"), "")
    shown = f' color="{color}"' if color else ""
    tags.replace(piece, f"<Badge{shown}>{tags.value(tag, 'text')}</Badge>")


def _tree(tags: Tags, piece: Piece, _: Tag) -> None:
    tags.rewriting.extras.add("file-tree")
    tags.open(piece, "FileTree")


def _icon(tags: Tags, piece: Piece, tag: Tag) -> None:
    name = tags.value(tag, "name")
    if name in KNOWN:
        tags.replace(piece, f":icon-{name}:")
    else:
        tags.drop(piece, "icon")


def _code(tags: Tags, piece: Piece, tag: Tag) -> None:
    code, language, title = (tags.value(tag, name) for name in ("code", "lang", "title"))
    if not code:
        tags.drop(piece, "code from an expression")
        return
    shown = f' title="{title}"' if title else ""
    tags.replace(piece, f"```{language}{shown}\n{code}\n```")


def _image(tags: Tags, piece: Piece, tag: Tag) -> None:
    kept = [(name, tags.value(tag, name)) for name in ("src", "alt", "width", "height")]
    tags.open(piece, "img", [(name, text) for name, text in kept if text or name == "alt"])


def _fence(work: PageWork, piece: Piece) -> None:
    """Keep lines and title of a fence; what else stands behind its language is told."""
    found = _FENCE.match(work.rewriting.text, piece.start)
    if found is None or not found["rest"].strip():
        return
    kept: list[str] = []
    for word in _WORDS.findall(found["rest"]):
        if word.startswith(("{", "title=", "showLineNumbers")) and word != "showLineNumbers=false":
            kept.append(word)
        else:
            work.rewriting.tell("mark in a code block", piece.start, word)
    work.rewriting.replace(found.start("rest"), found.end("rest"), "".join(f" {word}" for word in kept))


_RULES: Mapping[str, Rule] = {
    "Aside": Rule(_aside, is_admonition=True),
    "Card": Rule(_card),
    "CardGrid": renamed("CardGrid", {}, frozenset({"stagger"})),
    "LinkCard": Rule(_link_card),
    "LinkButton": Rule(_link_button),
    "Tabs": renamed("Tabs", {}, frozenset({"syncKey"})),
    "TabItem": renamed("TabItem", {"label": "label"}, frozenset({"icon"})),
    "Steps": UNWRAPPED,
    "FileTree": Rule(_tree),
    "Badge": Rule(_badge),
    "Icon": Rule(_icon),
    "Code": Rule(_code),
    "Image": Rule(_image),
    "Fragment": UNWRAPPED,
}
