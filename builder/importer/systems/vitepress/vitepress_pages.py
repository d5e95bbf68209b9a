"""Rewrite pages of VitePress: containers, code groups, includes, code from files, Vue's own."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.admonition_lines import rewrite_admonitions
from builder.importer.embeds import EMBEDDED
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.source_page import SourcePage
from builder.importer.tag_rules import UNWRAPPED, Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag
from components.registry import COMPONENTS

_CONTAINER = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<colons>:{3,})[ \t]*(?P<name>details|code-group|raw|v-pre)\b[ \t]*"
    r"(?P<title>[^\n]*)$",
    re.MULTILINE,
)
_END = re.compile(r"^[ \t>]*(?P<colons>:{3,})[ \t]*$", re.MULTILINE)
_INCLUDE = re.compile(r"<!--[ ]*@include:[ ]*(?P<file>[^\s{#]+)(?P<rest>[^\n<]*?)-->")
_CODE = re.compile(
    r"^(?P<indent>[ \t>]*)<<<[ \t]*(?P<file>[^\s{#\[]+)(?P<region>#[\w*-]+)?(?P<lines>\{[^}\n]*\})?"
    r"(?P<title>[ \t]*\[[^\]\n]*\])?[ \t]*$",
    re.MULTILINE,
)
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_VALUE = re.compile(r"\{\{[^{}\n]*\}\}")
_TOC = re.compile(r"^\[\[toc\]\][ \t]*$\n?", re.MULTILINE | re.IGNORECASE)
_RANGE = re.compile(r"\{(\d{0,7})(?:(,)(\d{0,7}))?\}")
_MARK = re.compile(
    r"(?<![ \t])[ \t]*(?://|#|<!--|/\*|--)[ \t]*"
    r"\[!code (?P<kind>focus|warning|error|hl)(?::\d{1,6})?\][ \t]*(?:-->|\*/)?"
)
_LONGEST = 2000
"""Characters behind a language that are looked at."""
_SCRIPT = frozenset({"script", "style", "template"})


def rewrite(work: PageWork) -> None:
    """Rewrite a page of VitePress."""
    rewriting = work.rewriting
    _containers(work)
    rewrite_admonitions(work, {})
    for found in _INCLUDE.finditer(rewriting.text):
        _include(work, found)
    rewriting.each(_CODE, lambda found: _from_file(work, found))
    rewriting.each(_TOC, lambda found: rewriting.replace(found.start(), found.end(), ""))
    rewriting.each(_VALUE, lambda found: _value(work, found))
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


def _value(work: PageWork, found: re.Match[str]) -> None:
    """Put in a field of the page's own frontmatter; what only a program knows is told."""
    name = found[0].strip("{} ").removeprefix("$frontmatter.")
    value = work.page.fields.get(name)
    if "$frontmatter." in found[0] and isinstance(value, str | int | float):
        work.rewriting.replace(found.start(), found.end(), str(value))
    else:
        work.rewriting.tell("value of Vue", found.start(), found[0])


def _containers(work: PageWork) -> None:
    """Rewrite containers that are no admonitions, each with the nearest line behind it that ends one."""
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


def _signs(found: re.Match[str]) -> tuple[str, str]:
    if found["name"] == "details":
        title = re.sub(r"\s*\{open\}\s*$", "", found["title"]).strip() or "Details"
        return f"<details>\n{found['indent']}<summary>{title}</summary>\n", "</details>"
    return ("<CodeGroup>", "</CodeGroup>") if found["name"] == "code-group" else ("", "")


def _include(work: PageWork, found: re.Match[str]) -> None:
    """Make a part of the file that a comment includes."""
    given = found["file"]
    base = "" if given.startswith("@") else posixpath.dirname(work.page.file)
    root = work.around.site.roots[0]
    file = posixpath.normpath(
        posixpath.join(root if given.startswith("@") else base, given.removeprefix("@/").removeprefix("@"))
    )
    if not work.around.origin.has(file):
        work.rewriting.tell("include of a file that is not there", found.start(), found[0])
        return
    if found["rest"].strip():
        _lines_included(work, found, file)
        return
    work.rewriting.replace(found.start(), found.end(), f'<Include src="{work.part(file)}" />')


def _lines_included(work: PageWork, found: re.Match[str], file: str) -> None:
    """Put in the lines or the region of a file that a comment asks for."""
    lines = (work.around.origin.text(file) or "").split("\n")
    asked = _RANGE.search(found["rest"])
    region = re.search(r"#([\w-]+)", found["rest"])
    if region:
        lines = _region(lines, region[1]) or _section(lines, region[1])
    if asked:
        first = int(asked[1] or 1)
        last = int(asked[3] or 0) if asked[2] else first
        lines = lines[max(first, 1) - 1 : last or None]
    if not (region or asked) or not lines:
        work.rewriting.tell("include", found.start(), found[0])
        return
    work.rewriting.replace(found.start(), found.end(), "\n".join(lines).strip("\n"))


def _section(lines: list[str], id_: str) -> list[str]:
    """Return the part of a page below the heading with an id."""
    for number, line in enumerate(lines):
        heading = re.match(r"(#{1,6})[ \t]", line)
        if heading and (line.rstrip().endswith(f"{{#{id_}}}") or _slug(line) == id_):
            level = len(heading[1])
            end = (at for at in range(number + 1, len(lines)) if re.match(rf"#{{1,{level}}}[ \t]", lines[at]))
            return lines[number : next(end, len(lines))]
    return []


def _slug(heading: str) -> str:
    return "-".join(re.findall(r"\w+", heading.lower()))


def _from_file(work: PageWork, found: re.Match[str]) -> None:
    """Put in the code of a file."""
    given = found["file"]
    root = work.around.site.roots[0]
    base = root if given.startswith("@") else posixpath.dirname(work.page.file)
    file = posixpath.normpath(posixpath.join(base, given.removeprefix("@/")))
    text = work.around.origin.text(file)
    if text is None:
        work.rewriting.tell("code from a file that is not there", found.start(), found[0])
        return
    language = file.rpartition(".")[2]
    lines = text.rstrip("\n").split("\n")
    if found["region"]:
        lines = _region(lines, found["region"][1:])
    title = (found["title"] or "").strip(" \t[]")
    asked = (found["lines"] or "").strip("{}")
    named = re.search(r"([A-Za-z][\w+#-]*)(?::[\w-]+)?[ ]*$", asked)
    marked = re.match(r"[\d,\s-]+", asked)
    language = named[1] if named else language
    numbers = "showLineNumbers" if ":line-numbers" in asked else ""
    lit = f"{{{marked[0].strip()}}}" if marked and marked[0].strip() else ""
    parts = [language, lit, numbers, f'title="{title}"' if title else ""]
    info = " ".join(filter(None, parts))
    ticks = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    body = "\n".join(f"{found['indent']}{line}" for line in (f"{ticks}{info}", *lines, ticks))
    work.rewriting.replace(found.start(), found.end(), body)


def _region(lines: list[str], name: str) -> list[str]:
    kept, inside = [], False
    for line in lines:
        mark = re.search(r"#(end)?region\b\s*(\S*)", line)
        if mark and (mark[2] == name or (mark[1] and inside)):
            inside = not mark[1]
        elif inside and not mark:
            kept.append(line)
    return kept


def _fence(work: PageWork, piece: SourcePiece) -> None:
    """Write `[file]` as a title, and `:line-numbers` as it is written here."""
    found = _FENCE.match(work.rewriting.text, piece.start)
    rest = found["rest"][:_LONGEST] if found else ""
    _focused(work, piece)
    if found and found["lang"] == "mermaid":
        work.needs_mdx = True
        work.rewriting.extras.add("diagrams")
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
        lines += [str(hero["tagline"]), ""] if hero.get("tagline") else []
        lines += [*_actions(hero.get("actions"))]
    lines += _features(features)
    return "\n".join((*lines, source.body)) if lines else source.body


def _features(listed: object) -> Iterator[str]:
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict) and each.get("title"):
            title, link = " ".join(str(each["title"]).split()), each.get("link")
            yield from (f"## [{title}](<{link}>)" if isinstance(link, str) else f"## {title}", "")
            yield from (str(each.get("details") or ""), "")
            if isinstance(each.get("linkText"), str) and isinstance(link, str):
                yield from (f"[{each['linkText']}](<{link}>)", "")


def _actions(listed: object) -> Sequence[str]:
    found = [
        f"[{each['text']}](<{each['link']}>)"
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and each.get("text") and each.get("link")
    ]
    return [" ".join(found), ""] if found else []
