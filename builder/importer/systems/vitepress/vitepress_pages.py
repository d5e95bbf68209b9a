"""Rewrite pages of VitePress: containers, code groups, includes, code from files, Vue's own."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.embeds import EMBEDDED
from builder.importer.heading_ids import keep_anchors
from builder.importer.literals import Call, CodeValue, Literal
from builder.importer.mdx_page import value_of
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.read_literals import read_module, read_value
from builder.importer.source_page import SourcePage, read_page
from builder.importer.systems.emoji_codes import rewrite_emoji
from builder.importer.systems.vitepress.included_files import CODE, INCLUDE, code_from_file, include, slugged
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag
from components.registry import COMPONENTS

_CONTAINER = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<colons>:{3,})[ \t]*(?P<name>details|code-group|raw|v-pre)\b[ \t]*"
    r"(?P<title>[^\n]*)$",
    re.MULTILINE,
)
_END = re.compile(r"^[ \t>]*(?P<colons>:{3,})[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_VALUE = re.compile(r"\{\{(?P<code>[^{}\n]*)\}\}")
_LOOK = re.compile(r"(?<=[)\]*`])\{(?:[.#:]?[\w-]+(?:=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s{}]*))?[ \t]*)+\}")
_CLASS = re.compile(
    r"^[ ]{0,3}#{1,6}[ \t][^\n{}]*?(?P<class>[ \t]*\{[ \t]*\.[\w. -]+\})[ \t]*$", re.MULTILINE
)
_TOC = re.compile(r"^\[\[toc\]\][ \t]*$\n?", re.MULTILINE | re.IGNORECASE)
_MARK = re.compile(
    r"(?<![ \t])[ \t]*(?://|#|<!--|/\*|--)[ \t]*"
    r"\[!code (?P<kind>focus|warning|error|hl)(?::\d{1,6})?\][ \t]*(?:-->|\*/)?"
)
_MOST_SIGNS = 8
"""Characters of an icon that is written as text."""
_LONGEST = 2000
"""Characters behind a language that are looked at."""
_SCRIPT = frozenset({"script", "style", "template"})


def rewrite(work: PageWork) -> None:
    """Rewrite a page of VitePress."""
    rewriting = work.rewriting
    keep_anchors(work, slugged)
    groups = _containers(work)
    rewrite_admonitions(work, {})
    for found in INCLUDE.finditer(rewriting.text):
        include(work, found)
    rewriting.each(CODE, lambda found: code_from_file(work, found, groups))
    rewriting.each(_TOC, lambda found: rewriting.replace(found.start(), found.end(), ""))
    _values(work)
    rewriting.each(_LOOK, lambda found: rewriting.replace(found.start(), found.end(), ""))
    rewriting.each(_CLASS, lambda found: rewriting.replace(*found.span("class"), ""))
    rewrite_emoji(work)
    extras = work.around.site.settings.get("extras")
    if isinstance(extras, list) and "math" in extras and "$" in rewriting.text:
        work.needs_mdx = True
    for piece in rewriting.source.pieces:
        if piece.sort == "fence":
            _fence(work, piece)
        elif piece.tag is not None and piece.tag.name in _SCRIPT and piece.tag.kind == "open":
            rewriting.tell(f"<{piece.tag.name}>", piece.start, rewriting.text[slice(*piece.whole)])
            rewriting.remove_lines(*piece.whole)
    TagRules(work, _RULES, {}).rewrite(COMPONENTS)


def _values(work: PageWork) -> None:
    """Put in what is between two braces, as far as it is data; what only a program knows is told."""
    rewriting = work.rewriting
    if "{{" not in rewriting.text:
        return
    values, verbatim = _defined(work), list(_verbatim(work))

    def put(found: re.Match[str]) -> None:
        if any(start <= found.start() < end for start, end in verbatim):
            return
        value = _value(found["code"].strip(), values)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            rewriting.replace(found.start(), found.end(), str(value))
        else:
            rewriting.tell("value of Vue", found.start(), found[0])

    rewriting.each(_VALUE, put)


def _value(code: str, values: Mapping[str, Literal]) -> Literal:
    value = read_value(code)
    return value_of(values, code) if isinstance(value, CodeValue) else value


def _defined(work: PageWork) -> Mapping[str, Literal]:
    """Return the values that the page's scripts and its frontmatter define, and those of its address."""
    text, file = work.rewriting.text, work.page.file.partition("#")[0]
    scripts = [
        text[piece.tag.end : piece.end].rpartition("</")[0]
        for piece in work.rewriting.source.pieces
        if piece.tag is not None and piece.tag.name == "script" and piece.tag.kind == "open"
    ]
    module = read_module("\n".join(scripts))
    found = {name: _unwrapped(value) for name, value in module.names.items()}
    source = read_page(work.around.origin, file) if "frontmatter" in text else None
    fields: Mapping[str, object] = source.fields if source else {}
    return {**found, "$frontmatter": dict(fields), "frontmatter": dict(fields)}


def _unwrapped(value: Literal) -> Literal:
    """Return what `ref(value)` holds."""
    return (
        value.arguments[0] if isinstance(value, Call) and value.name == "ref" and value.arguments else value
    )


def _verbatim(work: PageWork) -> Iterator[tuple[int, int]]:
    """Yield the parts of a page in which braces are text."""
    for piece in work.rewriting.source.pieces:
        if piece.tag is not None and piece.close is not None and piece.tag.attribute("v-pre") is not None:
            yield piece.whole
    for found in re.finditer(r"^:::+[ ]*v-pre\b(?:[^:]|:(?!::))*", work.rewriting.text, re.MULTILINE):
        yield found.span()


def _containers(work: PageWork) -> Sequence[tuple[int, int]]:
    """Rewrite containers that are no admonitions, each with the nearest line behind it that ends one.

    Returns where the groups of code are.
    """
    groups: list[tuple[int, int]] = []
    text, rewriting = work.rewriting.text, work.rewriting
    code = [piece for piece in rewriting.source.pieces if piece.sort == "fence"]
    starts = [piece.start for piece in code]
    found = [*_CONTAINER.finditer(text), *_END.finditer(text)]
    ends: dict[str, list[re.Match[str]]] = {}
    for mark in sorted(found, key=lambda one: one.start(), reverse=True):
        before = bisect_right(starts, mark.start()) - 1
        if before >= 0 and mark.start() < code[before].end:
            continue
        waiting = ends.setdefault(mark["colons"], [])
        if mark.re is _END:
            waiting.append(mark)
        elif waiting:
            end = waiting.pop()
            begin, close = _signs(mark)
            work.needs_mdx = True
            rewriting.replace(mark.start(), mark.end(), f"{mark['indent']}{begin}")
            rewriting.replace(end.start(), end.end(), f"{mark['indent']}{close}")
            groups += [(mark.start(), end.end())] if mark["name"] == "code-group" else []
    return groups


def _signs(found: re.Match[str]) -> tuple[str, str]:
    if found["name"] == "details":
        title = re.sub(r"\s*\{open\}\s*$", "", found["title"]).strip() or "Details"
        return f"<details>\n{found['indent']}<summary>{title}</summary>\n", "</details>"
    return ("<CodeGroup>", "</CodeGroup>") if found["name"] == "code-group" else ("", "")


def _fence(work: PageWork, piece: SourcePiece) -> None:
    """Write `[file]` as a title, and `:line-numbers` as it is written here."""
    found = _FENCE.match(work.rewriting.text, piece.start)
    rest = found["rest"][:_LONGEST] if found else ""
    _focused(work, piece)
    if found and found["lang"] == "mermaid":
        work.needs_mdx = True
        work.rewriting.extras.add("diagrams")
    if found and found["lang"].endswith("-vue"):
        work.rewriting.replace(*found.span("lang"), found["lang"].removesuffix("-vue"))
    if found is None or not rest.strip():
        return
    lines = re.search(r"\{[\d,\s-]+\}", rest)
    title = re.search(r"\[([^\]]+)\]", rest)
    parts = [lines[0]] if lines else []
    parts += (
        ["showLineNumbers"]
        if re.search(r":line-numbers(?!=)|:line-numbers=\d", rest) and ":no-line" not in rest
        else []
    )
    parts += [f'title="{title[1]}"'] if title else re.findall(r'title="[^"]*"', rest)
    work.rewriting.replace(found.start("rest"), found.end("rest"), "".join(f" {each}" for each in parts))


def _focused(work: PageWork, piece: SourcePiece) -> None:
    """Write marks that mean only a look as a highlight, or leave them out."""
    for mark in _MARK.finditer(work.rewriting.text, piece.start, piece.end):
        if mark["kind"] == "focus":
            work.rewriting.tell("mark in a code block", mark.start(), mark[0].strip())
            work.rewriting.replace(*mark.span(), "")
        else:
            work.rewriting.replace(*mark.span("kind"), "highlight")


def _badge(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
    tags.rewriting.extras.add("badge")
    colors = {"info": "gray", "tip": "green", "warning": "amber", "danger": "red"}
    text = tags.value(tag, "text") or tags.rewriting.inner(piece).strip()
    tags.replace(piece, f'<Badge color="{colors.get(tags.value(tag, "type"), "green")}">{text}</Badge>')


_RULES: Mapping[str, Rule] = {
    "Badge": Rule(_badge),
    "iframe": EMBEDDED,
    "ClientOnly": UNWRAPPED,
    "Content": Rule(lambda tags, piece, _: tags.drop(piece, "component Content")),
}


def with_home(source: SourcePage) -> str:
    """Return the body of a page, with the words and links of a home page's fields above it."""
    hero, features = source.fields.get("hero"), source.fields.get("features")
    lines: list[str] = []
    if isinstance(hero, dict):
        name = " ".join(str(hero[one]) for one in ("name", "text") if hero.get(one))
        lines += [f"# {' '.join(name.split())}", ""] if name else []
        lines += [*_image(hero.get("image"), name)]
        lines += [str(hero["tagline"]), ""] if hero.get("tagline") else []
        lines += [*_actions(hero.get("actions"))]
    lines += _features(features)
    return "\n".join((*lines, source.body)) if lines else source.body


def _features(listed: object) -> Iterator[str]:
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict) and each.get("title"):
            title, link = " ".join(str(each["title"]).split()), each.get("link")
            icon = each.get("icon")
            if isinstance(icon, str) and "<" not in icon and len(icon) <= _MOST_SIGNS:
                title = f"{icon} {title}"
            yield from (f"## [{title}](<{link}>)" if isinstance(link, str) else f"## {title}", "")
            yield from (str(each.get("details") or ""), "")
            if isinstance(each.get("linkText"), str) and isinstance(link, str):
                yield from (f"[{each['linkText']}](<{link}>)", "")


def _image(image: object, name: str) -> Iterator[str]:
    """Yield the image of a home page, the one for light pages."""
    about = image if isinstance(image, dict) else {"src": image}
    src = about.get("light") or about.get("src")
    if isinstance(src, str) and src:
        yield from (f"![{str(about.get('alt') or name).replace(']', '')}](<{src}>)", "")


def _actions(listed: object) -> Sequence[str]:
    found = [
        f"[{each['text']}](<{each['link']}>)"
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and each.get("text") and each.get("link")
    ]
    return [" ".join(found), ""] if found else []
