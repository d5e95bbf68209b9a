"""Rewrite what stands between the blocks of GitBook: anchors, values, mentions, figures, marks, formulas.

## Title <a href="#x" id="x"></a>      <code class="expression">space.vars.x</code>
[page.md](page.md "mention")           <figure><img ...><figcaption>...</figcaption></figure>
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Sequence

from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.source_links import parts_of
from builder.importer.systems.gitbook.gitbook_blocks import BlockText

_ANCHORED = re.compile(
    r"^(?P<begin>[ ]{0,3}#{1,6}[ \t][^\n]{0,500}?)[ \t]{0,9}"
    r"<a (?:href=\"#[^\"<>]*\"[ ]*)?id=\"(?P<id>[^\"<>\s]+)\""
    r"(?:[ ]*href=\"#[^\"<>]*\")?[ ]*></a>[ \t]*$",
    re.MULTILINE,
)
_EXPRESSION = re.compile(
    r"<code class=\"expression\">(?P<shown>[^<>\n]*)</code>|"
    r"\{\{[ ]*(?P<name>(?:space|page|site|book)\.[\w.-]+)[ ]*\}\}"
)
_MENTION = re.compile(r"(?<=[)>\w/#.-])[ ]+\"mention\"(?=\))")
PAGE_LINK = re.compile(r"\[(?P<label>[^\[\]\n]*)\]\((?P<href>[^()\s]+)")
_TITLE = re.compile(r"^#[ \t]+(?P<text>[^\n]+)$|^title:[ \t]*(?P<given>[^\n]+)$", re.MULTILINE)
_COLOUR = re.compile(r"<mark\b[^<>]*\bstyle=\"(?P<style>[^\"<>]*)\"[^<>]*>")
_MATH = re.compile(r"\$\$(?P<tex>(?:[^$\n]|\$(?!\$)|\n(?!\n)){1,3000}?)\$\$")
_LONGEST = 10_000
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`", "del": "~~", "s": "~~"}
_NEAR = 50
_SIGNS = re.compile(r"<[^<>\n]*>|[*`]|[ \t]+$")


def rewrite_signs(text: BlockText) -> None:
    """Rewrite what stands between blocks: anchors of headings, values, mentions, colours, formulas."""
    work, rewriting = text.work, text.work.rewriting
    for found in _ANCHORED.finditer(rewriting.text):
        if not text.in_code(found.start()):
            rewriting.replace(found.end("begin"), found.end(), f" {{#{found['id']}}}")
    for found in _EXPRESSION.finditer(rewriting.text):
        if not text.in_code(found.start()):
            _value(work, found)
    rewriting.each(_MENTION, lambda found: _mention(text, found))
    for number, piece in enumerate(rewriting.source.pieces):
        if piece.tag is not None and piece.close is not None:
            _element(work, piece, rewriting.source.pieces[number + 1 : number + _NEAR])
    rewriting.each(_MATH, lambda found: _formula(work, found))


def _mention(text: BlockText, found: re.Match[str]) -> None:
    """Write a mention as a link with the title of its page."""
    text.work.rewriting.replace(found.start(), found.end(), "")
    begin = text.text.rfind("[", max(0, found.start() - 300), found.start())
    link = PAGE_LINK.match(text.text, begin) if begin >= 0 else None
    if link is not None:
        entitle(text, link, 0)


def entitle(text: BlockText, link: re.Match[str], offset: int) -> None:
    """Give a link that names a file the title of its page, which readers saw."""
    label, page = link["label"], text.work.page
    path, _ = parts_of(link["href"])
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page.file), path))
    places = (file, f"{file}/README.md")
    shown = next((read for one in places if (read := text.work.around.origin.text(one)) is not None), None)
    title = _TITLE.search(shown[:_LONGEST]) if shown else None
    if title and label.strip("./") in {posixpath.basename(path.rstrip("/")), path.strip("./")}:
        words = _SIGNS.sub("", title["text"] or title["given"]).strip("\"' ")
        start = link.start("label") + offset
        text.work.rewriting.replace(start, start + len(label), words.replace("[", "(").replace("]", ")"))


def _value(work: PageWork, found: re.Match[str]) -> None:
    """Write the value of a variable in its place."""
    name = (found["shown"] or found["name"] or "").strip()
    given = work.around.site.values.get(name.removeprefix("space.vars."))
    if given is not None and name.startswith("space.vars."):
        work.rewriting.tell("variable", found.start(), name, given, "changed")
        work.rewriting.replace(found.start(), found.end(), given)
        return
    work.rewriting.tell("expression", found.start(), found[0])
    work.rewriting.replace(found.start(), found.end(), f"`{name}`")


def _element(work: PageWork, piece: SourcePiece, after: Sequence[SourcePiece]) -> None:
    """Write coloured text as text, and a picture of two as the light one."""
    rewriting = work.rewriting
    opening = rewriting.text[piece.start : piece.end]
    if piece.tag is None or piece.close is None:
        return
    if piece.tag.name == "mark" and (colour := _COLOUR.match(opening)):
        if "background" not in colour["style"]:
            rewriting.tell("coloured text", piece.start, opening, "text", "changed")
            rewriting.replace(piece.start, piece.end, "")
            rewriting.replace(*piece.close, "")
    elif piece.tag.name in _MARKS and work.placed is not None and work.placed.format == "mdx":
        _marked(work, piece, piece.close, _MARKS[piece.tag.name])
    elif piece.tag.name == "figure":
        _figure(work, piece, piece.close, after)
    elif piece.tag.name == "picture":
        for inner in after:
            if inner.tag is not None and inner.tag.name == "source" and inner.start < piece.close[0]:
                rewriting.tell("image for dark pages", inner.start, rewriting.text[inner.start : inner.end])
                rewriting.replace(inner.start, inner.end, "")
        rewriting.replace(piece.start, piece.end, "")
        rewriting.replace(*piece.close, "")


def _marked(work: PageWork, piece: SourcePiece, close: tuple[int, int], sign: str) -> None:
    """Write an element of a line with the sign that markdown has for it: pages of mdx keep no such tags."""
    inner = work.rewriting.text[piece.end : close[0]]
    if not inner.strip() or inner != inner.strip() or "\n" in inner:
        return
    if sign == "`":
        if "`" not in inner and "<" not in inner:
            work.rewriting.replace(piece.start, close[1], f"`{html.unescape(inner)}`")
        return
    work.rewriting.replace(piece.start, piece.end, sign)
    work.rewriting.replace(*close, sign)


def _figure(work: PageWork, piece: SourcePiece, close: tuple[int, int], after: Sequence[SourcePiece]) -> None:
    """Write a figure as a frame with its caption, or as what is in it."""
    text = work.rewriting.text
    caption = next((one for one in after if one.tag and one.tag.name == "figcaption" and one.close), None)
    if caption is None or caption.close is None or caption.start >= close[0]:
        caption = None
    words = _plain_html(text[caption.end : caption.close[0]]) if caption and caption.close else ""
    if caption is not None:
        work.rewriting.replace(*caption.whole, "")
    if not words or text[text.rfind("\n", 0, piece.start) + 1 : piece.start].strip(" >\t"):
        shown = f" {words}" if words else ""
        work.rewriting.replace(piece.start, piece.end, "")
        work.rewriting.replace(*close, shown)
        return
    work.needs_mdx = True
    work.rewriting.extras.add("frame")
    indent = work.rewriting.indent(piece.start)
    begin = f'<Frame caption="{html.escape(words, quote=False).replace(chr(34), "&quot;")}">\n{indent}'
    work.rewriting.replace(piece.start, piece.end, begin)
    work.rewriting.replace(*close, f"\n{indent}</Frame>")


def _plain_html(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", "", text)).split())


def _formula(work: PageWork, found: re.Match[str]) -> None:
    """Write a formula: in a line with one sign, on lines of its own with two."""
    work.needs_mdx = True
    work.rewriting.extras.add("math")
    text = work.rewriting.text
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip(" >")
    after = text[found.end() :].partition("\n")[0].strip()
    if before or after:
        tex = " ".join(found["tex"].split())
        work.rewriting.replace(found.start(), found.end(), f"${tex}$")
