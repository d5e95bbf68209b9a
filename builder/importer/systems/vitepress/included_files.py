"""Put in what pages of VitePress name in other files: parts, lines and regions of pages, code.

https://vitepress.dev/guide/markdown#import-code-snippets and #markdown-file-inclusion.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Sequence

from builder.importer.page_work import PageWork
from builder.importer.source_page import LONGEST_PAGE, page_of
from builder.importer.source_tree import SourceTree

INCLUDE = re.compile(r"<!--[ ]*@include:[ ]*(?P<file>[^\s{#]+)(?P<rest>[^\n<]*?)-->")
CODE = re.compile(
    r"^(?P<indent>[ \t>]*)<<<[ \t]*(?P<file>[^\s{#\[]+)(?P<region>#[\w*-]+)?(?P<lines>\{[^}\n]*\})?"
    r"(?P<title>[ \t]*\[[^\]\n]*\])?[ \t]*$",
    re.MULTILINE,
)
_RANGE = re.compile(r"\{(\d{0,7})(?:(,)(\d{0,7}))?\}")
_SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")
_RELATIVE = re.compile(r"\]\((?![a-z]+:|[/#])|(?:src|href)=[\"'](?![a-z]+:|[/#])")
_MOST_NESTED = 5


def slugged(text: str) -> str:
    """Return the anchor of a heading as VitePress makes it."""
    plain = re.sub("[\u0300-\u036f\0-\x1f]", "", unicodedata.normalize("NFKD", text))
    found = re.sub(r"^(?=\d)", "_", _SPECIAL.sub("-", plain).strip("-")).lower()
    return unicodedata.normalize("NFC", found)


def include(work: PageWork, found: re.Match[str]) -> None:
    """Make a part of the file that a comment includes."""
    file = _place(found["file"], work.page.file, work.around.site.roots[0])
    if not work.around.origin.has(file):
        work.rewriting.tell("include of a file that is not there", found.start(), found[0])
        return
    work.rewriting.replace(found.start(), found.end(), f'<Include src="{work.part(file)}" />')


def _place(given: str, page: str, root: str) -> str:
    """Return the file that a page names; with `@` it is named from the folder of the pages."""
    if given.startswith("@"):
        return posixpath.normpath(posixpath.join(root, given.removeprefix("@").lstrip("/")))
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), given.lstrip("/")))


def with_lines(origin: SourceTree, page: str, body: str, root: str) -> str:
    """Return the body of a page with the lines and regions of other files that it asks for.

    A whole file is a part, unless it has links, which count from the page, not from the file.
    """

    def put(found: re.Match[str]) -> str:
        file = _place(found["file"], page, root)
        text = origin.text(file)
        if text is None:
            return found[0]
        if not found["rest"].strip():
            is_near = posixpath.dirname(file) == posixpath.dirname(page)
            return found[0] if is_near or not _RELATIVE.search(text) else page_of(file, text).body.strip("\n")
        return "\n".join(_asked(text.split("\n"), found["rest"])).strip("\n") or found[0]

    for _ in range(_MOST_NESTED if "@include" in body else 0):
        further = INCLUDE.sub(put, body)
        if further == body or len(further) > LONGEST_PAGE:
            break
        body = further
    return body


def _asked(lines: list[str], rest: str) -> list[str]:
    """Return the lines of a file for which an include asks, none where it asks for what is not there."""
    asked, region = _RANGE.search(rest), re.search(r"#([\w-]+)", rest)
    if region:
        lines = _region(lines, region[1]) or _section(lines, region[1])
    if asked:
        first = int(asked[1] or 1)
        last = int(asked[3] or 0) if asked[2] else first
        lines = lines[max(first, 1) - 1 : last or None]
    return lines if region or asked else []


def _section(lines: list[str], id_: str) -> list[str]:
    """Return the part of a page below the heading with an id."""
    for number, line in enumerate(lines):
        heading = re.match(r"(#{1,6})[ \t]", line)
        if heading and (line.rstrip().endswith(f"{{#{id_}}}") or slugged(line.lstrip("#")) == id_):
            level = len(heading[1])
            end = (at for at in range(number + 1, len(lines)) if re.match(rf"#{{1,{level}}}[ \t]", lines[at]))
            return lines[number : next(end, len(lines))]
    return []


def code_from_file(work: PageWork, found: re.Match[str], groups: Sequence[tuple[int, int]]) -> None:
    """Put in the code of a file."""
    file = _place(found["file"], work.page.file, work.around.site.roots[0])
    text = work.around.origin.text(file)
    if text is None:
        work.rewriting.tell("code from a file that is not there", found.start(), found[0])
        return
    language = file.rpartition(".")[2]
    lines = text.rstrip("\n").split("\n")
    if found["region"]:
        lines = _region(lines, found["region"][1:])
    is_variant = any(start < found.start() < end for start, end in groups)
    title = (found["title"] or "").strip(" \t[]") or (posixpath.basename(file) if is_variant else "")
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
