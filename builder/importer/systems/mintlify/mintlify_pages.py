"""Rewrite pages of Mintlify: its components and the words behind a fence's language."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping

from builder.importer.heading_ids import keep_anchors
from builder.importer.mdx_page import beside, included, rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.systems.embedded_media import MEDIA
from builder.importer.systems.file_trees import FILE_TREE
from builder.importer.systems.icon_names import icon_name
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules, admonition, renamed
from builder.markdown.commonmark.slug import slugify
from builder.markdown.mdx.scan.tags import Tag

_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_PARAMS = frozenset({"ParamField", "ResponseField"})
_PLACES = ("path", "query", "body", "header", "cookie", "name")
_WORDS = re.compile(r"\{[\d,\s-]+\}|[\w-]+=(?:\"[^\"]*\"|'[^']*'|\{[^}]*\})|\S+")
_FLAGS = frozenset({"lines", "wrap", "expandable", "icon", "focus", "twoslash", "theme"})


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Mintlify."""
    tags = rewrite_mdx(work, _RULES, _resolved)
    keep_anchors(work, _slug)
    for run in tags.tree.siblings(_PARAMS):
        tags.wrap(run, "<Params>", "</Params>")
    for run in tags.tree.runs({"Accordion"}, {"AccordionGroup"}):
        for piece in run:
            _details(tags, piece)
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)
        elif piece.tag is not None and piece.tag.name.islower() and piece.tag.name != "img":
            tags.plain_attributes(piece, piece.tag)


def _resolved(work: PageWork, source: str) -> str:
    return posixpath.normpath(source.lstrip("/")) if source.startswith("/") else beside(work, source)


def _details(tags: TagRules, piece: SourcePiece) -> None:
    if piece.tag is not None:
        tags.details(piece, tags.value(piece.tag, "title"))


def _snippet(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    file = tags.value(tag, "file")
    origin = tags.work.around.origin
    place = next(
        (f"{folder}/{file}" for folder in ("snippets", "_snippets") if origin.has(f"{folder}/{file}")), ""
    )
    if place:
        included(place).act(tags, piece, tag)
        return
    tags.drop(piece, "snippet that is not there")


def _card(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    icon = "" if tags.value(tag, "icon").startswith(("/", "http")) else icon_name(tags.value(tag, "icon"))
    given = [("title", tags.value(tag, "title")), ("icon", icon), ("href", tags.value(tag, "href"))]
    image = tags.value(tag, "img")
    shown = f"\n\n![]({tags.work.href(image, piece.start)})\n\n" if image else ""
    words = [
        html.escape(text, quote=False) for name in ("description", "cta") if (text := tags.value(tag, name))
    ]
    tags.filled(piece, "Card", [(name, text) for name, text in given if text], shown + " ".join(words))


def _tab(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.open(piece, "TabItem", [("label", tags.value(tag, "title"))])


def _param(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    place = next((name for name in _PLACES if tags.value(tag, name)), "")
    given = [("name", tags.value(tag, place)), ("type", tags.value(tag, "type"))]
    given += [("required", "\0")] if tags.has(tag, "required") else []
    given += [("default", tags.value(tag, "default"))]
    tags.open(piece, "Param", [(name, text) for name, text in given if text])


def _update(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    label, description = tags.value(tag, "label"), tags.value(tag, "description")
    date = label if re.fullmatch(r"\d{4}-\d\d-\d\d", label) else ""
    shown = description if date and description else f"{label} {description}".strip()
    given = [("label", shown), ("date", date), ("tags", tags.value(tag, "tags"))]
    tags.rewriting.extras.add("update")
    old = _slug(description or label)
    anchor = f'\n\n<a id="{old}"></a>\n\n' if old and old != slugify(shown) else ""
    if date:
        tags.rewriting.tell("day of an entry", piece.start, date, "written out", "changed")
    tags.filled(piece, "Update", [(name, text) for name, text in given if text], anchor)


def _slug(text: str) -> str:
    """Return the anchor of a text as Mintlify writes it."""
    return re.sub(r"[^\w]+", "-", re.sub(r"['’]", "", text.casefold())).strip("-")


def _frame(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write a frame; of two images for light and dark, the second is its attribute."""
    tags.rewriting.extras.add("frame")
    dark = next((one for one in tags.tree.within(piece) if _is_dark(tags, one)), None)
    has_light = any(
        one.tag is not None and one is not dark and one.tag.name == "img" for one in tags.tree.within(piece)
    )
    given = [("caption", tags.value(tag, "caption"))]
    if dark is not None and dark.tag is not None and has_light:
        given.append(("dark", tags.work.href(tags.value(dark.tag, "src"), dark.start)))
    if hint := tags.value(tag, "hint"):
        tags.rewriting.tell("hint of a frame", piece.start, hint)
    tags.open(piece, "Frame", [(name, text) for name, text in given if text])


def _is_dark(tags: TagRules, piece: SourcePiece) -> bool:
    shown = tags.value(piece.tag, "className", "class") if piece.tag is not None else ""
    return (
        piece.tag is not None and piece.tag.name == "img" and {"hidden", "dark:block"} <= set(shown.split())
    )


def _img(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Leave out the image for dark pages; the light one stands beside it."""
    if _is_dark(tags, piece):
        tags.rewriting.tell(
            "image for dark pages", piece.start, tags.source(piece), "the light one", "changed"
        )
        tags.rewriting.remove_lines(*piece.whole)
        return
    names = ("src", "alt", "width", "height", "title")
    given = [(name, tags.value(tag, name)) for name in names]
    if any(one.braced or one.name in {"className", "style", "noZoom"} for one in tag.attributes):
        tags.open(
            piece,
            "img",
            [(name, text) for name, text in given if text and (name[0] not in "wh" or text.isdigit())],
        )


def _columns(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    """Write columns; those that hold cards are a grid of these."""
    inner = {one.tag.name for one in tags.tree.within(piece) if one.tag is not None}
    if "Column" in inner:
        tags.rewriting.extras.add("columns")
        tags.rename(piece, "Columns", {"cols": "cols"}, _LOOKS)
    else:
        tags.rename(piece, "CardGrid", {"cols": "cols"}, _LOOKS)


def _visibility(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    if tags.value(tag, "for") == "agents":
        tags.drop(piece, "text for agents alone")
    else:
        tags.unwrap(piece)


def _prompt(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write a prompt as its description and its text."""
    description = tags.value(tag, "description", "title")
    tags.rewriting.tell("prompt to copy", piece.start, tags.source(piece), "its text", "changed")
    tags.rewriting.replace(piece.start, piece.end, f"{description}\n" if description else "")
    if piece.close is not None:
        tags.rewriting.remove_lines(*piece.close)


def _image_href(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    given = [("title", tags.value(tag, "title")), ("href", tags.value(tag, "href"))]
    words = html.escape(tags.value(tag, "description"), quote=False)
    tags.filled(piece, "Card", [(name, text) for name, text in given if text], words)


def _with_extra(name: str, extra: str, mapped: Mapping[str, str]) -> Rule:
    def act(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
        tags.rewriting.extras.add(extra)
        tags.rename(piece, name, mapped, _LOOKS)

    return Rule(act)


def _icon(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    icon = icon_name(tags.value(tag, "icon", "name"))
    if icon:
        tags.replace(piece, f":icon-{icon}:")
    else:
        tags.drop(piece, "icon")


def _latex(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    tags.rewriting.extras.add("math")
    tags.replace(piece, f"${tags.rewriting.inner(piece).strip()}$")


def _fence(work: PageWork, piece: SourcePiece) -> None:
    """Write a bare title as `title="..."`, and leave out words that stand for looks."""
    found = _FENCE.match(work.rewriting.text, piece.start)
    rest = found["rest"].strip() if found else ""
    if found is None or (not rest and found["lang"] != "mermaid") or 'title="' in rest:
        return
    if found["lang"] == "mermaid":
        work.rewriting.extras.add("diagrams")
        work.needs_mdx = True
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
    "Columns": Rule(_columns),
    "Column": renamed("Column", {}, _LOOKS),
    "Tile": Rule(_image_href),
    "Tiles": renamed("CardGrid", {"cols": "cols"}, _LOOKS),
    "Visibility": Rule(_visibility),
    "Prompt": Rule(_prompt),
    "img": Rule(_img),
    **FILE_TREE,
    **MEDIA,
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
    "Frame": Rule(_frame),
    "Tooltip": _with_extra("Tooltip", "tooltip", {"tip": "tip"}),
    "Badge": _with_extra("Badge", "badge", {"color": "color"}),
    "Update": Rule(_update),
    "Icon": Rule(_icon),
    "Snippet": Rule(_snippet),
    "Link": renamed("a", {"href": "href"}, _LOOKS),
    "Panel": UNWRAPPED,
    "Latex": Rule(_latex),
}
