"""Rewrite pages of Starlight: its components, admonitions and the words behind a fence's language."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.embeds import EMBEDDED
from builder.importer.literals import CodeValue
from builder.importer.mdx_page import beside, rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.read_literals import read_module
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules, renamed
from builder.markdown.mdx.scan.tags import Tag
from components.icons import KNOWN

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_WORDS = re.compile(
    r"\{[\d,\s-]+\}|[\w-]+=(?:\"[^\"]*\"|'[^']*'|\{[^}]*\}|/[^/]*/|\S+)|\"[^\"]*\"|/[^/]*/|\S+"
)
_LONGEST = 2000
"""Characters behind a language that are looked at."""
_VARIANTS = {"note": "blue", "tip": "purple", "success": "green", "caution": "amber", "danger": "red"}


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Starlight."""
    code = _raw_imports(work)
    rules = {**_RULES, "Code": Rule(lambda tags, piece, tag: _code(tags, piece, tag, code))}
    rewrite_mdx(work, rules, _resolved)
    rewrite_admonitions(work, {})
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)


def _aside(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.admonition(piece, tags.value(tag, "type") or "note", tags.value(tag, "title"))


def _card(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    given = [("title", tags.value(tag, "title"))]
    if tags.value(tag, "icon") in KNOWN:
        given.append(("icon", tags.value(tag, "icon")))
    tags.open(piece, "Card", [(name, text) for name, text in given if text])


def _link_card(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    title, description = tags.value(tag, "title"), tags.value(tag, "description")
    href = tags.work.href(tags.value(tag, "href"), piece.start)
    escaped = title.replace("&", "&amp;").replace('"', "&quot;")
    inner = f">{description}</Card>" if description else " />"
    tags.replace(piece, f'<Card title="{escaped}" href="{href}"{inner}')


def _link_button(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.open(piece, "a", [("href", tags.value(tag, "href"))])


def _badge(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.rewriting.extras.add("badge")
    color = _VARIANTS.get(tags.value(tag, "variant"), "")
    shown = f' color="{color}"' if color else ""
    tags.replace(piece, f"<Badge{shown}>{tags.value(tag, 'text')}</Badge>")


def _tree(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    tags.rewriting.extras.add("file-tree")
    tags.open(piece, "FileTree")


def _icon(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    name = tags.value(tag, "name")
    if name in KNOWN:
        tags.replace(piece, f":icon-{name}:")
    else:
        tags.drop(piece, "icon")


def _resolved(work: PageWork, source: str) -> str:
    """Return the file of an import: from the page, the site's folder, or by the usual names for `src`."""
    path = source.partition("?")[0]
    if path.startswith(("~/", "@/")):
        return posixpath.normpath(f"src/{path[2:]}")
    if path.startswith("/"):
        return posixpath.normpath(path.lstrip("/"))
    return beside(work, path)


def _raw_imports(work: PageWork) -> Mapping[str, str]:
    """Return the names that stand for the text of a file, each with the text."""
    text = work.rewriting.text
    if "?raw" not in text:
        return {}
    pieces = [piece for piece in work.rewriting.source.pieces if piece.sort == "statement"]
    module = read_module("\n".join(text[piece.start : piece.end] for piece in pieces))
    found: dict[str, str] = {}
    for name, (source, _) in module.imports.items():
        if source.endswith("?raw"):
            code = work.around.origin.text(_resolved(work, source))
            found |= {name: code} if code is not None else {}
    return found


def _code(tags: TagRules, piece: SourcePiece, tag: Tag, imported: Mapping[str, str]) -> None:
    language, title = tags.value(tag, "lang"), tags.value(tag, "title")
    given = tag.attribute("code")
    value = tags.literal(given) if given is not None else ""
    name = value.text.strip() if isinstance(value, CodeValue) else ""
    code = value if isinstance(value, str) else imported.get(name, "")
    if not code:
        tags.drop(piece, "code from an expression")
        return
    shown = f' title="{title}"' if title else ""
    for given in tag.attributes:
        value = tags.literal(given)
        if given.name in {"ins", "del"} and re.fullmatch(r"[\d,\s-]+", str(value)):
            shown += f" {given.name}={{{value}}}"
        elif given.name not in {"code", "lang", "title", "slot"}:
            tags.rewriting.tell(
                "mark in a code block", piece.start, tags.rewriting.text[given.start : given.value_end]
            )
    ticks = "`" * max(3, max((len(run) for run in re.findall("`+", code)), default=0) + 1)
    indent = tags.rewriting.indent(piece.start)
    lines = (f"{ticks}{language}{shown}", *code.strip("\n").split("\n"), ticks)
    tags.replace(piece, f"\n{indent}".join(lines))


def _image(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    kept = [(name, tags.value(tag, name)) for name in ("src", "alt", "width", "height")]
    if not kept[0][1]:
        tags.drop(piece, "image of an expression")
        return
    tags.open(piece, "img", [(name, text) for name, text in kept if text or name == "alt"])


def _fence(work: PageWork, piece: SourcePiece) -> None:
    """Keep lines and title of a fence; what else stands behind its language is told."""
    found = _FENCE.match(work.rewriting.text, piece.start)
    if found is None or not found["rest"].strip():
        return
    kept: list[str] = []
    for word in _WORDS.findall(found["rest"][:_LONGEST]):
        number = word.startswith("showLineNumbers") and word != "showLineNumbers=false"
        if number or re.match(r"title=|(?:ins|del)=\{[\d,\s-]+\}|\{[\d,\s-]+\}", word):
            kept.append("showLineNumbers" if number else word)
        elif marked := re.fullmatch(r"mark=(\{[\d,\s-]+\})", word):
            kept.append(marked[1])
        elif re.match(r"(?:wrap|preserveIndent|startLineNumber|frame|showLineNumbers)\b", word):
            work.rewriting.tell("look of a code block", piece.start, word)
        else:
            work.rewriting.tell("mark in a code block", piece.start, word)
    work.rewriting.replace(found.start("rest"), found.end("rest"), "".join(f" {word}" for word in kept))


_RULES: Mapping[str, Rule] = {
    "Aside": Rule(_aside, is_admonition=True),
    "Card": Rule(_card),
    "CardGrid": renamed("CardGrid", {}, frozenset({"stagger", "slot"})),
    "LinkCard": Rule(_link_card),
    "LinkButton": Rule(_link_button),
    "Tabs": renamed("Tabs", {}, frozenset({"syncKey", "slot"})),
    "TabItem": renamed("TabItem", {"label": "label"}, frozenset({"icon", "slot"})),
    "Steps": UNWRAPPED,
    "FileTree": Rule(_tree),
    "Badge": Rule(_badge),
    "Icon": Rule(_icon),
    "Image": Rule(_image),
    "Fragment": UNWRAPPED,
    "iframe": EMBEDDED,
    "style": Rule(lambda tags, piece, _: tags.drop(piece, "<style>")),
    "script": Rule(lambda tags, piece, _: tags.drop(piece, "<script>")),
}
