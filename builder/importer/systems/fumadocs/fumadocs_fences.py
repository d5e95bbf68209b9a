"""Rewrite code of Fumadocs: the words behind its language, code in tabs, commands of npm, signs of Twoslash.

    ```ts title="a.ts" tab="A" lineNumbers=4 twoslash {1,3}

Blocks with a `tab` that follow one another are one group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.systems.docusaurus.code_blocks import manager_blocks

_FENCE = re.compile(r"[ \t>]*(?P<sign>`{3,}|~{3,})[ \t]*(?P<lang>[\w#+.-]*)(?P<rest>[^\n]*)")
_TAB = re.compile(r"\btab=(?:\"([^\"]*)\"|'([^']*)')")
_TITLE = re.compile(r"\btitle=(?:\"([^\"]*)\"|'([^']*)')")
_LINES = re.compile(r"\{[\d,\s-]+\}")
_NUMBERS = re.compile(r"\blineNumbers(?:=(?:\{)?(?P<first>\d+))?")
_ICON = re.compile(r"<[A-Z]\w*[ ]*/>[ ]*")
_QUERY = re.compile(r"^[ \t>]*//[ \t]*\^[?|^][^\n]*\n", re.MULTILINE)
_CUT = re.compile(
    r"^[ \t>]*//[ \t]*-{3,}[ \t]*cut(?P<after>-after)?(?:-before|-start|-end)?[ \t]*-{3,}[^\n]*\n",
    re.MULTILINE,
)


def rewrite_fences(work: PageWork) -> None:
    """Rewrite all code of a page."""
    fences = [piece for piece in work.rewriting.source.pieces if piece.sort == "fence"]
    for piece in fences:
        _fence(work, piece)
    for run in _runs(work, fences):
        work.needs_mdx = True
        indent = work.rewriting.indent(run[0].start)
        work.rewriting.insert(_line(work, run[0].start), f"{indent}<CodeGroup>\n")
        end = run[-1].end - work.rewriting.text[: run[-1].end].endswith("\n")
        work.rewriting.insert(end, f"\n{indent}</CodeGroup>")


def _line(work: PageWork, at: int) -> int:
    return work.rewriting.text.rfind("\n", 0, at) + 1


def _runs(work: PageWork, fences: Sequence[SourcePiece]) -> Iterator[list[SourcePiece]]:
    """Yield blocks with a tab that follow one another."""
    run: list[SourcePiece] = []
    for piece in fences:
        found = _FENCE.match(work.rewriting.text, piece.start)
        is_near = bool(run) and not work.rewriting.text[run[-1].end : piece.start].strip()
        if run and not is_near:
            yield run
            run = []
        if found and _TAB.search(found["rest"]):
            run.append(piece)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _fence(work: PageWork, piece: SourcePiece) -> None:
    found = _FENCE.match(work.rewriting.text, piece.start)
    if found is None:
        return
    if found["lang"] == "npm" and not _TAB.search(found["rest"]):
        _managers(work, piece, found)
        return
    if found["lang"] == "mermaid":
        work.needs_mdx = True
        work.rewriting.extras.add("diagrams")
    if found["lang"] == "math":
        _formula(work, piece, found)
        return
    if "twoslash" in found["rest"]:
        _twoslash(work, piece, found.end())
    shown = "".join(f" {one}" for one in _parts(found["rest"]) if one)
    language = found["lang"] or ("text" if shown else "")
    if found["rest"].strip():
        work.rewriting.replace(found.start("lang"), found.end("rest"), f"{language}{shown}")


def _parts(rest: str) -> Iterator[str]:
    """Yield the words that are kept."""
    tab, title = _TAB.search(rest), _TITLE.search(rest)
    shown = _ICON.sub("", tab[1] or tab[2] or "") if tab else ""
    name = (title[1] or title[2] or "") if title else ""
    both = f"{shown}: {name}" if shown and name and shown != name else shown or name
    yield f'title="{both.replace(chr(34), chr(39))}"' if both else ""
    lines, numbers = _LINES.search(rest), _NUMBERS.search(rest)
    yield lines[0] if lines else ""
    yield "showLineNumbers" if numbers else ""


def _managers(work: PageWork, piece: SourcePiece, found: re.Match[str]) -> None:
    """Write commands of npm for each package manager."""
    work.needs_mdx = True
    text, start = work.rewriting.text, _line(work, piece.start)
    indent = work.rewriting.indent(piece.start)
    lines = text[found.end() : piece.end].strip("\n").split("\n")[:-1]
    blocks = "\n\n".join(manager_blocks(lines, indent, "bash"))
    end = piece.end - text[: piece.end].endswith("\n")
    work.rewriting.replace(start, end, f"{indent}<CodeGroup>\n{blocks}\n{indent}</CodeGroup>")


def _formula(work: PageWork, piece: SourcePiece, found: re.Match[str]) -> None:
    """Write a formula between its own signs."""
    work.needs_mdx = True
    work.rewriting.extras.add("math")
    text = work.rewriting.text
    inner = text[found.end() : piece.end].strip("\n").split("\n")[:-1]
    indent = work.rewriting.indent(piece.start)
    end = piece.end - text[: piece.end].endswith("\n")
    work.rewriting.replace(piece.start, end, "\n".join(("$$", *inner, f"{indent}$$")))


def _twoslash(work: PageWork, piece: SourcePiece, start: int) -> None:
    """Leave out what Twoslash does not show, and its questions."""
    rewriting, at = work.rewriting, start + 1
    for found in _CUT.finditer(rewriting.text, start, piece.end):
        begin = found.start() if found["after"] else at
        hidden = rewriting.text[begin : found.end()].strip()
        rewriting.tell("lines that Twoslash hides", begin, hidden, "", "changed")
        rewriting.replace(begin, found.end(), "")
        at = found.end()
    for found in _QUERY.finditer(rewriting.text, at, piece.end):
        rewriting.tell("question of Twoslash", found.start(), found[0].strip())
        rewriting.replace(found.start(), found.end(), "")
