"""Rewrite pages of GitBook: its blocks `{% name %}`, which hold markdown.

https://gitbook.com/docs/creating-content/formatting/markdown
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

from builder.importer.page_work import PageWork
from builder.markdown.mdx.tag_hints import kind_of

_BLOCK = re.compile(r"\{%[ ]*(?P<end>end)?(?P<name>[\w-]+)[ ]*(?P<rest>[^%\n]*?)[ ]*%\}")
_GIVEN = re.compile(r"(?P<name>[\w-]+)=(?:\"(?P<quoted>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>\S+))")
_QUOTED = re.compile(r"^\"(?P<text>[^\"]*)\"")
_STYLES = {"info": "info", "success": "tip", "warning": "warning", "danger": "danger"}
_FIRST_HEADING = re.compile(r"\s*#{1,6}[ \t]+(?P<text>[^\n]*)")
_HEADING_ID = re.compile(r"<a [^<>]*id=\"([^\"<>]+)\"")
_SIGNS = re.compile(r"<[^<>\n]*>|[*`]|[ \t]+$")
_FIRST_FENCE = re.compile(r"\s*(?P<indent>[ \t]*)(?:`{3,}|~{3,})[ \t]*(?P<lang>[^\s`]*)")


class _Pair(NamedTuple):
    """The texts for the two ends of a block."""

    begin: str
    end: str


def rewrite(work: PageWork) -> None:
    """Rewrite all blocks of a page."""
    code = [piece for piece in work.rewriting.source.pieces if piece.sort in {"fence", "code"}]
    for found in _BLOCK.finditer(work.rewriting.text):
        if any(piece.start <= found.start() < piece.end for piece in code):
            continue
        if found["end"]:
            _ended(work, found)
        else:
            _opened(work, found)


def _opened(work: PageWork, found: re.Match[str]) -> None:
    given = {
        one["name"]: one["quoted"] or one["single"] or one["bare"] or ""
        for one in _GIVEN.finditer(found["rest"])
    }
    name = found["name"]
    if name == "code":
        _code(work, found, given)
    elif name in {"embed", "content-ref", "file"}:
        _reference(work, found, given)
    elif name == "include":
        _include(work, found)
    elif name == "step":
        _step(work, found)
    elif name in _PAIRS:
        work.needs_mdx = True
        work.rewriting.replace(found.start(), found.end(), _begin(work, name, given))
    else:
        work.rewriting.tell(f"block {name}", found.start(), found[0])
        work.rewriting.remove_lines(found.start(), found.end())


def _step(work: PageWork, found: re.Match[str]) -> None:
    """Open a step; the heading at its begin is its title."""
    work.needs_mdx = True
    heading = _FIRST_HEADING.match(work.rewriting.text, found.end())
    if heading is None:
        work.rewriting.replace(found.start(), found.end(), "<Step>\n")
        return
    title = html.escape(_SIGNS.sub("", heading["text"]), quote=True)
    id_ = _HEADING_ID.search(heading["text"])
    anchor = f'\n\n<a id="{id_[1]}"></a>' if id_ else ""
    work.rewriting.replace(found.start(), heading.end(), f'<Step title="{title}">{anchor}')


def _begin(work: PageWork, name: str, given: Mapping[str, str]) -> str:
    if name == "hint":
        style = given.get("style", "info")
        return f":::{_STYLES.get(style) or kind_of(style) or 'info'}"
    if name == "tab":
        return f'<TabItem label="{html.escape(given.get("title", ""))}">\n'
    if name == "columns":
        work.rewriting.extras.add("columns")
    return f"{_PAIRS[name].begin}\n" if _PAIRS[name].begin else ""


def _ended(work: PageWork, found: re.Match[str]) -> None:
    name = found["name"]
    if name in _PAIRS:
        shown = _PAIRS[name].end
        work.rewriting.replace(found.start(), found.end(), shown if name == "hint" else f"\n{shown}")
    elif name in {"code", "embed", "content-ref", "file"}:
        work.rewriting.remove_lines(found.start(), found.end())


def _code(work: PageWork, found: re.Match[str], given: Mapping[str, str]) -> None:
    """Give the fence within a block of code its title and line numbers."""
    text = work.rewriting.text
    fence = _FIRST_FENCE.match(text, found.end())
    work.rewriting.remove_lines(found.start(), found.end())
    if fence is None:
        return
    parts = [f'title="{given["title"]}"'] if given.get("title") else []
    parts += ["showLineNumbers"] if given.get("lineNumbers") == "true" else []
    work.rewriting.insert(fence.end(), "".join(f" {each}" for each in parts))


def _reference(work: PageWork, found: re.Match[str], given: Mapping[str, str]) -> None:
    """Write a reference, a file or an embedded page as a link, unless text within links to it already."""
    place = given.get("url") or given.get("src") or ""
    text = work.rewriting.text
    end = re.compile(rf"\{{%[ ]*end{found['name']}[ ]*%\}}").search(text, found.end())
    following = re.compile(r"\{%[ ]*(?:embed|content-ref|file)\b").search(text, found.end())
    inner = (
        text[found.end() : end.start()]
        if end and (following is None or end.start() < following.start())
        else ""
    )
    if "](" in inner:
        work.rewriting.remove_lines(found.start(), found.end())
        return
    href = work.href(place, found.start())
    label = posixpath.basename(place.rstrip("/")) if found["name"] == "file" else place
    work.rewriting.replace(
        found.start(), found.end(), f"[{label}](<{href}>)" if " " in href else f"[{label}]({href})"
    )


def _include(work: PageWork, found: re.Match[str]) -> None:
    quoted = _QUOTED.match(found["rest"])
    file = (
        posixpath.normpath(posixpath.join(posixpath.dirname(work.page.file), quoted["text"]))
        if quoted
        else ""
    )
    if not work.around.origin.has(file):
        work.rewriting.tell("include of a file that is not there", found.start(), found[0])
        work.rewriting.remove_lines(found.start(), found.end())
        return
    work.rewriting.replace(found.start(), found.end(), f'<Include src="{work.part(file)}" />')


_PAIRS: Mapping[str, _Pair] = {
    "hint": _Pair("", ":::"),
    "tabs": _Pair("<Tabs>", "</Tabs>"),
    "tab": _Pair("", "</TabItem>"),
    "stepper": _Pair("<Steps>", "</Steps>"),
    "step": _Pair("", "</Step>"),
    "columns": _Pair("<Columns>", "</Columns>"),
    "column": _Pair("<Column>", "</Column>"),
    "updates": _Pair("", ""),
}
