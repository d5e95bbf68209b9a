"""Rewrite pages of Docusaurus: tabs, admonitions, code blocks, images, imports of parts."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping, Sequence

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.embeds import EMBEDDED
from builder.importer.literals import Call
from builder.importer.mdx_page import BOXES, beside, page_module, rewrite_mdx
from builder.importer.old_site import NavEntry
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.read_literals import read_value
from builder.importer.systems.docusaurus.code_blocks import group_tabs, rewrite_fence
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag

_DEEPEST = 40
_KINDS = {"important": "info", "success": "tip", "secondary": "note"}
_TOLD = ("head", "Head", "DocCard")
_HEADING = re.compile(
    r"^#{1,6}[^\n]*?[ \t](?P<id>\{/\*[ \t]*(?P<name>#[\w.-]+)[ \t]*\*/\})[ \t]*$", re.MULTILINE
)
_RAW = re.compile(r"^!!?(?:raw-loader|file-loader)!")


def rewrite(work: PageWork) -> None:
    """Rewrite a page of Docusaurus."""
    _heading_ids(work)
    raw = _raw_imports(work)
    if raw:
        work.needs_mdx = True
    rewrite_mdx(
        work,
        {**_RULES, "CodeBlock": Rule(lambda tags, piece, tag: _code_block(tags, piece, tag, raw))},
        _resolved,
    )
    rewrite_admonitions(work, _KINDS)
    for piece in work.rewriting.source.pieces:
        if piece.sort == "fence":
            rewrite_fence(work, piece)
    group_tabs(work)
    extras = work.around.site.settings.get("extras")
    if isinstance(extras, list) and "math" in extras and "$" in work.rewriting.text:
        work.needs_mdx = True


def _heading_ids(work: PageWork) -> None:
    """Write the ids of headings that stand in comments as they are written here."""
    starts = {piece.start for piece in work.rewriting.source.pieces}
    for found in _HEADING.finditer(work.rewriting.text):
        if found.start("id") in starts:
            work.rewriting.replace(*found.span("id"), f"{{{found['name']}}}")


def _resolved(work: PageWork, source: str) -> str:
    source = _RAW.sub("", source)
    if source.startswith("@site/"):
        return posixpath.normpath(source.removeprefix("@site/"))
    return beside(work, source)


def _raw_imports(work: PageWork) -> Mapping[str, str]:
    """Return the names that stand for the text of a file, each with the file."""
    if "raw-loader" not in work.rewriting.text:
        return {}
    module = page_module(work)
    return {
        name: _resolved(work, source) for name, (source, _) in module.imports.items() if _RAW.match(source)
    }


def _code_block(tags: TagRules, piece: SourcePiece, tag: Tag, raw: Mapping[str, str]) -> None:
    """Write a block whose code is a text or a file as a fence; the code of an expression is told."""
    inner = tags.rewriting.inner(piece).strip()
    file = raw.get(inner[1:-1].strip(), "") if inner.startswith("{") else ""
    value = (
        tags.work.around.origin.text(file) if file else read_value(inner[1:-1]) if inner[:1] == "{" else inner
    )
    if not isinstance(value, str):
        tags.drop(piece, "code from an expression")
        return
    language, title = tags.value(tag, "language"), tags.value(tag, "title").replace('"', "&quot;")
    lines = value.strip("\n").split("\n")
    shown = f'{language} title="{title}"' if title else language
    shown += " showLineNumbers" if tags.has(tag, "showLineNumbers") else ""
    ticks = "`" * max(3, max((len(run) for run in re.findall("`+", value)), default=0) + 1)
    indent = tags.rewriting.indent(piece.start)
    code = "\n".join((f"{ticks}{shown}", *(f"{indent}{line}".rstrip() for line in lines), f"{indent}{ticks}"))
    is_alone = not tags.rewriting.text[: piece.start].rpartition("\n")[2].strip()
    tags.replace(piece, code if is_alone else f"\n\n{code}\n\n")


def _contents(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    """Leave out the list of headings, which each page has beside its text."""
    now = "the list of headings beside the text"
    tags.rewriting.tell("list of headings", piece.start, tags.source(piece), now, "changed")
    tags.rewriting.remove_lines(*piece.whole)


def _doc_cards(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    """List what the sidebar has below the page."""
    site = tags.work.around.site
    entry = next(
        (found for part in site.navigation if (found := _entry_of(part.entries, tags.work.page.file, 0))),
        None,
    )
    pages = {page.file: page for page in site.pages}
    lines: list[str] = []
    for item in entry.items if entry else ():
        page = pages.get(item.page)
        label = (
            item.label or str(page.fields.get("title") or posixpath.basename(page.name))
            if page
            else item.label
        )
        href = tags.work.href(page.address, piece.start) if page else item.href
        if label:
            lines.append(f"- [{label}](<{href}>)" if href else f"- {label}")
    tags.rewriting.tell("cards of pages", piece.start, tags.source(piece), "a list of links", "changed")
    tags.replace(piece, "\n".join(lines))


def _entry_of(entries: Sequence[NavEntry], file: str, depth: int) -> NavEntry | None:
    for entry in entries if depth < _DEEPEST else ():
        found = entry if entry.page == file and entry.items else _entry_of(entry.items, file, depth + 1)
        if found is not None:
            return found
    return None


def _video(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write the component for videos that most sites use as `Embed`."""
    given = (
        ("src", f"https://www.youtube.com/watch?v={tags.value(tag, 'id')}"),
        ("title", tags.value(tag, "title")),
    )
    shown = " ".join(f'{name}="{html.escape(text)}"' for name, text in given if text)
    tags.replace(piece, f"<Embed {shown} />")


def _details(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.details(piece, tags.value(tag, "summary", "title") or "Details")


def _tab_item(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    label = tags.value(tag, "label") or tags.value(tag, "value")
    tags.open(piece, "TabItem", [("label", label)])


def _tabs(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    labels: dict[str, str] = {}
    given = tag.attribute("values")
    values = tags.literal(given) if given is not None else []
    for each in values if isinstance(values, list) else []:
        if isinstance(each, dict) and isinstance(each.get("label"), str):
            labels[str(each.get("value"))] = each["label"]
    items = [
        tags.value(one.tag, "value")
        for one in tags.tree.within(piece)
        if one.tag and one.tag.name == "TabItem"
    ]
    named = [labels[item].replace(",", "\\,") for item in items if item in labels]
    tags.open(piece, "Tabs", [("labels", ",".join(named))] if named and len(named) == len(items) else [])


def _link(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.open(piece, "a", [("href", tags.value(tag, "to", "href"))])


def _image(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write an image whose address is an expression with the path that it stands for."""
    if any(one.braced for one in tag.attributes):
        kept = [
            (one.name, tags.text(one))
            for one in tag.attributes
            if one.name in {"src", "alt", "width", "height", "title"}
        ]
        tags.open(piece, "img", [(name, text) for name, text in kept if text is not None])


def _themed(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    """Write a pair of images for light and dark pages as the light one, in a frame that knows the other."""
    given = tag.attribute("sources")
    sources = tags.literal(given) if given is not None else None
    light, dark = (
        _place(tags, sources.get(name)) if isinstance(sources, dict) else "" for name in ("light", "dark")
    )
    if not light:
        tags.drop(piece, "image of an expression")
        return
    if dark and tags.rewriting.is_alone(piece) and piece.close is None:
        tags.work.needs_mdx = True
        tags.rewriting.extras.add("frame")
        here, there = (tags.work.href(place, piece.start) for place in (light, dark))
        alt = tags.value(tag, "alt").replace("]", "")
        indent = tags.rewriting.indent(piece.start)
        lines = (f'<Frame dark="{there}" zoom="false">', f"  ![{alt}](<{here}>)", "</Frame>")
        tags.replace(piece, f"\n{indent}".join(lines))
        return
    if dark:
        tags.rewriting.tell("image for dark pages", piece.start, dark, light, "changed")
    tags.open(piece, "img", [("src", light), ("alt", tags.value(tag, "alt"))])


def _place(tags: TagRules, value: object) -> str:
    """Return the path that a text, a name, or a call such as `useBaseUrl("/x.png")` stands for."""
    if isinstance(value, Call):
        value = value.arguments[0] if value.arguments else ""
    found = tags.values.get(getattr(value, "text", "").strip(), value)
    return found if isinstance(found, str) else ""


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
    "iframe": EMBEDDED,
    "LiteYouTubeEmbed": Rule(_video),
    "React.Fragment": UNWRAPPED,
    "Fragment": UNWRAPPED,
    **dict.fromkeys(BOXES, UNWRAPPED),
    "BrowserOnly": UNWRAPPED,
    "Translate": UNWRAPPED,
    "MDXContent": UNWRAPPED,
    "Details": Rule(_details),
    "DocCardList": Rule(_doc_cards),
    "TOCInline": Rule(_contents),
    **{name: Rule(lambda tags, piece, tag: tags.drop(piece, f"<{tag.name}>")) for name in _TOLD},
}
