"""Rewrite pages of VitePress: containers, code groups, includes, code from files, Vue's own."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.embeds import EMBEDDED
from builder.importer.heading_ids import keep_anchors
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.source_page import SourcePage
from builder.importer.systems.emoji_codes import rewrite_emoji
from builder.importer.systems.vitepress.included_files import CODE, INCLUDE, code_from_file, include, slugged
from builder.importer.systems.vitepress.vue_marks import leave_hidden, rewrite_values
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag
from components.registry import COMPONENTS

_CONTAINER = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<colons>:{3,})[ \t]*(?P<name>details|code-group|raw|v-pre|tabs)\b[ \t]*"
    r"(?P<title>[^\n]*)$",
    re.MULTILINE,
)
_END = re.compile(r"^[ \t>]*(?P<colons>:{3,})[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_LOOK = re.compile(r"(?<=[)\]*`])\{(?:[.#:]?[\w-]+(?:=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s{}]*))?[ \t]*)+\}")
_CLASS = re.compile(
    r"^[ ]{0,3}#{1,6}[ \t][^\n{}]*?(?P<class>[ \t]*\{[ \t]*\.[\w. -]+\})[ \t]*$", re.MULTILINE
)
_NOTE = re.compile(r"\s*// (?:@\w+\b[^\n]*|[ ]*\^(?:\?|\|)[^\n]*|---cut[\w-]*---\s*)")
_TAB = re.compile(r"^[ \t]*==[ \t]+(?P<label>[^\n=][^\n]*)$", re.MULTILINE)
_TOC = re.compile(r"^\[\[toc\]\][ \t]*$\n?", re.MULTILINE | re.IGNORECASE)
_TITLED = re.compile(
    r"^(?P<quote>[ \t]{0,3}>[ \t]?)\[!(?:TIP|NOTE|IMPORTANT|WARNING|CAUTION)\](?P<title>[ \t]+(?=\S)[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
"""An alert with a title of its own."""
_MARK = re.compile(
    r"(?<![ \t])[ \t]*(?://|#|<!--|/\*|--)[ \t]*"
    r"\[!code (?P<kind>focus|warning|error|hl)(?::\d{1,6})?\][ \t]*(?:-->|\*/)?"
)
_MOST_SIGNS = 8
"""Characters of an icon that is written as text."""
_WORD = re.compile(
    r"^[ \t]*(?://|#|<!--|/\*)[ \t]*\[!code word:[^\]\n]{1,100}\][ \t]*(?:-->|\*/)?[ \t]*\n", re.MULTILINE
)
_LONGEST = 2000
"""Characters behind a language that are looked at."""
_SCRIPT = frozenset({"script", "style", "template"})


def rewrite(work: PageWork) -> None:
    """Rewrite a page of VitePress."""
    rewriting = work.rewriting
    keep_anchors(work, slugged)
    groups = _containers(work)
    rewrite_admonitions(work, dict.fromkeys(("details", "code-group", "raw", "v-pre", "tabs"), ""))
    for found in INCLUDE.finditer(rewriting.text):
        include(work, found)
    rewriting.each(CODE, lambda found: code_from_file(work, found, groups))
    rewriting.each(_TOC, lambda found: rewriting.replace(found.start(), found.end(), ""))
    rewriting.each(_TITLED, lambda found: _title(work, found))
    rewrite_values(work)
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
            leave_hidden(work, piece, piece.tag)
    TagRules(work, _RULES, {}).rewrite(COMPONENTS)


def _title(work: PageWork, found: re.Match[str]) -> None:
    """Write the title of an alert as the first line of its text: here alerts have none of their own."""
    quote, (start, end) = found["quote"], found.span("title")
    work.rewriting.insert(start, f"\n{quote}**")
    work.rewriting.replace(start, start + len(found["title"]) - len(found["title"].lstrip()), "")
    work.rewriting.insert(end, f"**\n{quote.rstrip()}")


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
            if mark["name"] == "tabs":
                _tabs(work, mark.end(), end.start(), mark["indent"])
            groups += [(mark.start(), end.end())] if mark["name"] == "code-group" else []
    return groups


def _tabs(work: PageWork, start: int, end: int, indent: str) -> None:
    """Write the lines that begin tabs, as the plugin for them has these, as tags."""
    marks = [one for one in _TAB.finditer(work.rewriting.text, start, end) if not _in_code(work, one.start())]
    for number, found in enumerate(marks):
        before = f"{indent}</TabItem>\n" if number else ""
        label = html.escape(found["label"].strip())
        work.rewriting.replace(*found.span(), f'{before}{indent}<TabItem label="{label}">\n')
    if marks:
        work.rewriting.insert(end, f"{indent}</TabItem>\n")


def _in_code(work: PageWork, at: int) -> bool:
    return any(one.start <= at < one.end for one in work.rewriting.source.pieces if one.sort == "fence")


def _signs(found: re.Match[str]) -> tuple[str, str]:
    if found["name"] == "details":
        title = re.sub(r"\s*\{open\}\s*$", "", found["title"]).strip() or "Details"
        return f"<details>\n{found['indent']}<summary>{title}</summary>\n", "</details>"
    if found["name"] == "tabs":
        return "<Tabs>", "</Tabs>"
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
    if re.search(r"\btwoslash\b", rest):
        _without_notes(work, piece)
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
    for mark in _WORD.finditer(work.rewriting.text, piece.start, piece.end):
        work.rewriting.tell(
            "mark in a code block", mark.start(), mark[0].strip(), "the code as it is", "changed"
        )
        work.rewriting.replace(*mark.span(), "")
    for mark in _MARK.finditer(work.rewriting.text, piece.start, piece.end):
        if mark["kind"] == "focus":
            work.rewriting.tell(
                "mark in a code block", mark.start(), mark[0].strip(), "the code as it is", "changed"
            )
            work.rewriting.replace(*mark.span(), "")
        else:
            work.rewriting.replace(*mark.span("kind"), "highlight")


def _without_notes(work: PageWork, piece: SourcePiece) -> None:
    """Leave out the lines with which Twoslash is told what to do, and the code that it hides."""
    at, text = piece.start, work.rewriting.text
    lines = text[piece.start : piece.end].split("\n")
    cut = max(
        (n for n, line in enumerate(lines) if re.fullmatch(r"\s*// ---cut(?:-before)?---\s*", line)),
        default=0,
    )
    work.rewriting.tell("types in a code block", piece.start, lines[0].strip(), "the code alone", "changed")
    for number, line in enumerate(lines):
        if 0 < number <= cut or _NOTE.fullmatch(line):
            work.rewriting.replace(at, min(at + len(line) + 1, piece.end), "")
        at += len(line) + 1


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


def with_home(source: SourcePage, has: Callable[[str], bool]) -> str:
    """Return the body of a page, with the words and links of a home page's fields above it.

    `has` says of a path with a slash at its begin that the site has such a file.
    """
    hero, features = source.fields.get("hero"), source.fields.get("features")
    lines: list[str] = []
    if isinstance(hero, dict):
        name = " ".join(str(hero[one]) for one in ("name", "text") if hero.get(one))
        lines += [f"# {' '.join(name.split())}", ""] if name else []
        src, alt = hero_image(hero)
        lines += [f"![{alt or name}](<{src}>)", ""] if has(src) else []
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


def hero_image(hero: Mapping[str, object]) -> tuple[str, str]:
    """Return the path of a home page's image, the one for light pages, and its text."""
    image = hero.get("image")
    about = image if isinstance(image, dict) else {"src": image}
    src = about.get("light") or about.get("src")
    return src if isinstance(src, str) else "", str(about.get("alt") or "").replace("]", "")


def _actions(listed: object) -> Sequence[str]:
    found = [
        f"[{each['text']}](<{each['link']}>)"
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and each.get("text") and each.get("link")
    ]
    return [" ".join(found), ""] if found else []
