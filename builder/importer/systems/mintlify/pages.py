"""Rewrite pages of Mintlify: its components and the words behind a fence's language."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping

from builder.importer.mdx_page import beside, included, rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import Piece
from builder.importer.tags import UNWRAPPED, Rule, Tags, admonition, renamed
from builder.markdown.mdx.scan.tags import Tag
from components.icons import KNOWN

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_PARAMS = frozenset({"ParamField", "ResponseField"})
_PLACES = ("path", "query", "body", "header", "cookie", "name")
_WORDS = re.compile(r"\{[\d,\s-]+\}|[\w-]+=(?:\"[^\"]*\"|'[^']*'|\{[^}]*\})|\S+")
_FLAGS = frozenset({"lines", "wrap", "expandable", "icon", "focus", "twoslash", "theme"})


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Mintlify."""
    tags = rewrite_mdx(work, _RULES, _resolved)
    for run in tags.runs(_PARAMS, ()):
        tags.wrap(run, "<Params>", "</Params>")
    for run in tags.runs({"Accordion"}, {"AccordionGroup"}):
        for piece in run:
            _details(tags, piece)
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)


def _resolved(work: PageWork, source: str) -> str:
    return posixpath.normpath(source.lstrip("/")) if source.startswith("/") else beside(work, source)


def _details(tags: Tags, piece: Piece) -> None:
    if piece.tag is not None:
        tags.details(piece, tags.value(piece.tag, "title"))


def _snippet(tags: Tags, piece: Piece, tag: Tag) -> None:
    file = tags.value(tag, "file")
    origin = tags.work.around.origin
    place = next(
        (f"{folder}/{file}" for folder in ("snippets", "_snippets") if origin.has(f"{folder}/{file}")), ""
    )
    if place:
        included(place).act(tags, piece, tag)
        return
    tags.drop(piece, "snippet that is not there")


def _card(tags: Tags, piece: Piece, tag: Tag) -> None:
    given = [(name, tags.value(tag, name)) for name in ("title", "href")]
    icon = tags.value(tag, "icon")
    if icon in KNOWN:
        given.insert(1, ("icon", icon))
    tags.open(piece, "Card", [(name, text) for name, text in given if text])


def _tab(tags: Tags, piece: Piece, tag: Tag) -> None:
    tags.open(piece, "TabItem", [("label", tags.value(tag, "title"))])


def _param(tags: Tags, piece: Piece, tag: Tag) -> None:
    place = next((name for name in _PLACES if tags.value(tag, name)), "")
    given = [("name", tags.value(tag, place)), ("type", tags.value(tag, "type"))]
    given += [("required", "\0")] if tags.has(tag, "required") else []
    given += [("default", tags.value(tag, "default"))]
    tags.open(piece, "Param", [(name, text) for name, text in given if text])


def _update(tags: Tags, piece: Piece, tag: Tag) -> None:
    label, description = tags.value(tag, "label"), tags.value(tag, "description")
    given = [("label", f"{label} {description}".strip()), ("tags", tags.value(tag, "tags"))]
    tags.rewriting.extras.add("update")
    tags.open(piece, "Update", [(name, text) for name, text in given if text])


def _with_extra(name: str, extra: str, mapped: Mapping[str, str]) -> Rule:
    def act(tags: Tags, piece: Piece, _: Tag) -> None:
        tags.rewriting.extras.add(extra)
        tags.rename(piece, name, mapped, _LOOKS)

    return Rule(act)


def _icon(tags: Tags, piece: Piece, tag: Tag) -> None:
    icon = tags.value(tag, "icon", "name")
    if icon in KNOWN:
        tags.replace(piece, f":icon-{icon}:")
    else:
        tags.drop(piece, "icon")


def _latex(tags: Tags, piece: Piece, _: Tag) -> None:
    tags.rewriting.extras.add("math")
    tags.replace(piece, f"${tags.rewriting.inner(piece).strip()}$")


def _fence(work: PageWork, piece: Piece) -> None:
    """Write a bare title as `title="..."`, and leave out words that stand for looks."""
    found = _FENCE.match(work.rewriting.text, piece.start)
    rest = found["rest"].strip() if found else ""
    if found is None or not rest or 'title="' in rest:
        return
    if found["lang"] == "mermaid":
        work.rewriting.replace(found.start("rest"), found.end("rest"), "")
        return
    kept, title = [], []
    for word in _WORDS.findall(rest):
        name = word.partition("=")[0]
        if word.startswith("{"):
            kept.append(word)
        elif name == "highlight":
            kept.append("{" + word.partition("=")[2].strip("\"'{}") + "}")
        elif name == "lines":
            kept.append("showLineNumbers")
        elif name not in _FLAGS:
            title.append(word)
    shown = html.unescape(" ".join(title)).replace('"', "'")
    parts = [f'title="{shown}"'] if shown else []
    work.rewriting.replace(
        found.start("rest"), found.end("rest"), "".join(f" {each}" for each in (*parts, *kept))
    )


_LOOKS = frozenset(
    {"className", "style", "icon", "iconType", "color", "size", "stroke", "shape", "horizontal"}
)
_RULES: Mapping[str, Rule] = {
    "Note": admonition("note", "title"),
    "Info": admonition("info", "title"),
    "Tip": admonition("tip", "title"),
    "Check": admonition("tip", "title"),
    "Warning": admonition("warning", "title"),
    "Danger": admonition("danger", "title"),
    "Callout": admonition("note", "title"),
    "CardGroup": renamed("CardGrid", {"cols": "cols"}, _LOOKS),
    "Columns": renamed("CardGrid", {"cols": "cols"}, _LOOKS),
    "Card": Rule(_card),
    "Tabs": renamed("Tabs", {}, frozenset({"defaultTabIndex", "sync", "borderBottom"})),
    "Tab": Rule(_tab),
    "View": Rule(_tab),
    "Steps": renamed("Steps", {}, frozenset({"titleSize"})),
    "Step": renamed(
        "Step", {"title": "title"}, frozenset({"icon", "iconType", "titleSize", "stepNumber", "id"})
    ),
    "CodeGroup": renamed("CodeGroup", {}, frozenset({"dropdown"})),
    "RequestExample": renamed("CodeGroup", {}, frozenset({"dropdown"})),
    "ResponseExample": renamed("CodeGroup", {}, frozenset({"dropdown"})),
    "AccordionGroup": UNWRAPPED,
    "Accordion": Rule(lambda tags, piece, tag: tags.details(piece, tags.value(tag, "title"))),
    "Expandable": Rule(lambda tags, piece, tag: tags.details(piece, tags.value(tag, "title") or "Show more")),
    "ParamField": Rule(_param),
    "ResponseField": Rule(_param),
    "Frame": _with_extra("Frame", "frame", {"caption": "caption"}),
    "Tooltip": _with_extra("Tooltip", "tooltip", {"tip": "tip"}),
    "Badge": _with_extra("Badge", "badge", {"color": "color"}),
    "Update": Rule(_update),
    "Icon": Rule(_icon),
    "Snippet": Rule(_snippet),
    "Link": renamed("a", {"href": "href"}, _LOOKS),
    "Panel": UNWRAPPED,
    "Latex": Rule(_latex),
}
