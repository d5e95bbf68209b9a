"""Rewrite pages of Fumadocs: its components, includes and anchors of headings."""

from __future__ import annotations

import html
import posixpath
import re
import textwrap
from collections.abc import Mapping

from builder.importer.mdx_page import rewrite_mdx
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.systems.embedded_media import MEDIA
from builder.importer.systems.file_trees import FILE_TREE
from builder.importer.systems.fumadocs.fumadocs_fences import rewrite_fences
from builder.importer.systems.icon_names import icon_name
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules, renamed
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.mdx.tag_hints import kind_of

_ANCHOR = re.compile(
    r"^(?P<begin>[ ]{0,3}#{1,6}[ \t][^\n]{0,500}?)(?P<signs>(?:[ \t]{0,9}\[(?:!toc|toc|step|!step)\]){0,3})"
    r"(?:[ \t]{0,9}\[#(?P<id>[^\]\s]{1,200})\])?"
    r"(?P<more>(?:[ \t]{0,9}\[(?:!toc|toc|step|!step)\]){0,3})[ \t]{0,9}$",
    re.MULTILINE,
)
_METHODS = frozenset({"get", "put", "post", "delete", "patch", "head", "options", "trace"})
_NEAR = 4000
"""Characters before a tab in which its label is looked for."""
_REGION = re.compile(r"#(?P<end>end)?region[ \t]*(?P<name>[\w.-]*)")


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Fumadocs."""
    rewrite_mdx(work, _RULES)
    rewrite_fences(work)
    work.rewriting.each(_ANCHOR, lambda found: _anchor(work, found))


def _anchor(work: PageWork, found: re.Match[str]) -> None:
    """Write the id of a heading as it is here; signs for the table of contents go."""
    signs = f"{found['signs']}{found['more']}".strip()
    if not signs and not found["id"]:
        return
    if "toc" in signs:
        now = "it is in the table of contents"
        work.rewriting.tell("heading's sign for the table of contents", found.start(), signs, now, "changed")
    id_ = f" {{#{found['id']}}}" if found["id"] else ""
    work.rewriting.replace(found.end("begin"), found.end(), id_)


def _callout(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    kinds = {"warn": "warning", "error": "danger", "success": "tip", "idea": "tip"}
    given = tags.value(tag, "type")
    kind = kinds.get(given) or kind_of(given) or "info"
    tags.admonition(piece, kind, tags.value(tag, "title"))


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
    """Write tabs; those that hold code alone are written by their code."""
    inner = {one.tag.name for one in tags.tree.within(piece) if one.tag is not None}
    if not inner & {"Tab", "TabsContent"} and "tab=" in tags.rewriting.inner(piece):
        tags.unwrap(piece)
        return
    tags.open(piece, "Tabs", [("labels", tags.value(tag, "items"))] if tags.value(tag, "items") else [])


def _tab(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    label = tags.value(tag, "title") or tags.value(tag, "value")
    tags.open(piece, "TabItem", [("label", label)] if label else [])


def _tab_list(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    """Remove the list of labels: each tab has its own."""
    tags.rewriting.remove_lines(*piece.whole)


def _tab_content(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write a tab whose label stands in a list before it."""
    value = tags.value(tag, "value")
    label = next(
        (label for name, label in _labels(tags.rewriting.text[: piece.start]) if name == value), value
    )
    tags.open(piece, "TabItem", [("label", label)] if label else [])


def _labels(text: str) -> list[tuple[str, str]]:
    """Return the labels that stand shortly before the end of a text, the nearest first."""
    found = re.finditer(r"<\w*Trigger\b[^<>]*\bvalue=\"([^\"]*)\"[^<>]*>([^<>{}]*)</", text[-_NEAR:])
    return [(one[1], " ".join(one[2].split())) for one in found][::-1]


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

    kind = text("type") or text("typeDescription")
    shown = f' type="{kind}"' if kind else ""
    shown += " required" if given.get("required") is True else ""
    shown += f' default="{text("default")}"' if text("default") else ""
    more = "*Deprecated.* " if given.get("deprecated") is True else ""
    return f'<Param name="{html.escape(name, quote=True)}"{shown}>\n{more}{text("description")}\n</Param>'


def _code(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.replace(piece, _coded(tags.value(tag, "lang"), tags.value(tag, "code").strip("\n")))


def _steps(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write boxes of steps as they are called here."""
    classes = set(tags.value(tag, "className", "class").split())
    if "fd-steps" in classes:
        tags.open(piece, "Steps")
    elif "fd-step" in classes:
        tags.open(piece, "Step")


def _operations(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write a page that a description of an API makes as its requests."""
    given = tag.attribute("operations")
    listed = tags.literal(given) if given is not None else None
    requests = [
        f'<Endpoint method="{str(each["method"]).upper()}" path="{html.escape(str(each.get("path")))}" />'
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and str(each.get("method")).lower() in _METHODS
    ]
    old = tags.source(piece)
    tags.rewriting.tell(
        "operation of OpenAPI", piece.start, old, "the request", "changed" if requests else "lost"
    )
    tags.replace(piece, "\n\n".join(requests))


def _type_of_program(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    tags.drop(piece, "table of a program's types")


def _include(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Put in a file: markdown as a part, all else as code."""
    work, given = tags.work, tags.rewriting.inner(piece).strip()
    path, _, region = given.partition("#")
    folder = "" if tags.has(tag, "cwd") else posixpath.dirname(work.page.file)
    file = posixpath.normpath(posixpath.join(folder, path))
    text = work.around.origin.text(file) if path else None
    if text is None:
        tags.drop(piece, "include of a file that is not there")
    elif file.endswith((".md", ".mdx")):
        if region:
            tags.rewriting.tell("part of an included page", piece.start, given, "the whole page", "changed")
        tags.replace(piece, f'<Include src="{html.escape(work.part(file), quote=True)}" />')
    else:
        language = tags.value(tag, "lang") or posixpath.splitext(file)[1].lstrip(".")
        meta = tags.value(tag, "meta")
        tags.replace(piece, _coded(f"{language} {meta}".strip(), _region(text, region)))


def _region(text: str, name: str) -> str:
    """Return the lines between the comments that name a part."""
    if not name:
        return text.strip("\n")
    kept, is_in = list[str](), False
    for line in text.split("\n"):
        found = _REGION.search(line)
        if found and (found["name"] == name or found["end"]):
            is_in = not found["end"]
        elif is_in:
            kept.append(line)
    return textwrap.dedent("\n".join(kept)).strip("\n")


def _coded(words: str, code: str) -> str:
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
    return f"{ticks}{words}\n{code}\n{ticks}"


def _diagram(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    chart = tags.value(tag, "chart")
    if not chart:
        tags.drop(piece, "diagram that is no data")
        return
    tags.rewriting.extras.add("diagrams")
    tags.replace(piece, _coded("mermaid", chart.strip("\n")))


_TRIGGER = Rule(lambda _tags, _piece, _tag: None)
"""Leaves a label alone, which goes with the list that it is in."""
_IMAGE = renamed(
    "img",
    {"src": "src", "alt": "alt", "width": "width", "height": "height", "title": "title"},
    frozenset({"className", "priority", "zoomInProps", "sizes", "fill", "loading", "quality", "placeholder"}),
)
_RULES: Mapping[str, Rule] = {
    "Callout": Rule(_callout, is_admonition=True),
    "CalloutContainer": Rule(_callout, is_admonition=True),
    "CalloutTitle": UNWRAPPED,
    "CalloutDescription": UNWRAPPED,
    "Cards": renamed("CardGrid", {}, frozenset({"className"})),
    "Card": Rule(_card),
    "Tabs": Rule(_tabs),
    "Tab": Rule(_tab),
    "TabsList": Rule(_tab_list),
    "TabsContent": Rule(_tab_content),
    "TabsTrigger": _TRIGGER,
    "CodeBlockTabsTrigger": _TRIGGER,
    "CodeBlockTabs": renamed("Tabs", {}, frozenset({"defaultValue", "groupId", "persist"})),
    "CodeBlockTabsList": Rule(_tab_list),
    "CodeBlockTab": Rule(_tab_content),
    "CodeBlock": UNWRAPPED,
    "Pre": UNWRAPPED,
    "Steps": renamed("Steps", {}),
    "Step": renamed("Step", {}),
    "Accordions": UNWRAPPED,
    "Accordion": Rule(_details, is_admonition=False),
    **FILE_TREE,
    **MEDIA,
    "TypeTable": Rule(_types),
    "AutoTypeTable": Rule(_type_of_program),
    "auto-type-table": Rule(_type_of_program),
    "DynamicCodeBlock": Rule(_code),
    "Mermaid": Rule(_diagram),
    "InlineTOC": Rule(lambda tags, piece, _: tags.replace(piece, "")),
    "APIPage": Rule(_operations),
    "include": Rule(_include),
    "Banner": UNWRAPPED,
    "div": Rule(_steps),
    "Link": renamed("a", {"href": "href"}, frozenset({"className", "target", "rel", "prefetch", "external"})),
    "Image": _IMAGE,
    "ImageZoom": _IMAGE,
}
