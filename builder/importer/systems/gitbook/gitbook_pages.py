"""Rewrite pages of GitBook: its blocks, and what its editor writes as HTML.

https://gitbook.com/docs/creating-content/formatting/markdown
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence

from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.source_links import parts_of
from builder.importer.systems.gitbook.gitbook_blocks import BlockText, GitBookBlock
from builder.importer.systems.gitbook.gitbook_requests import REQUESTS
from builder.importer.systems.gitbook.gitbook_tables import icons, rewrite_tables
from builder.markdown.mdx.tag_hints import kind_of
from components.embed_hosts import DEFAULT_HOSTS, address, permits

_STYLES = {"info": "info", "success": "tip", "warning": "warning", "danger": "danger"}
_FIRST_HEADING = re.compile(r"\s*#{1,6}[ \t]+(?P<text>[^\n]*)")
_HEADING_ID = re.compile(r"<a [^<>]*id=\"([^\"<>]+)\"")
_SIGNS = re.compile(r"<[^<>\n]*>|[*`]|[ \t]+$")
_FENCE_HEAD = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*[^\s`]*")
_ANCHORED = re.compile(
    r"^(?P<begin>[ ]{0,3}#{1,6}[ \t][^\n]*?)[ \t]*<a (?:href=\"#[^\"<>]*\"[ ]*)?id=\"(?P<id>[^\"<>\s]+)\""
    r"(?:[ ]*href=\"#[^\"<>]*\")?[ ]*></a>[ \t]*$",
    re.MULTILINE,
)
_EXPRESSION = re.compile(
    r"<code class=\"expression\">(?P<shown>[^<>\n]*)</code>|"
    r"\{\{[ ]*(?P<name>(?:space|page|site|book)\.[\w.-]+)[ ]*\}\}"
)
_MENTION = re.compile(r"(?<=[)>\w/#.-])[ ]+\"mention\"(?=\))")
_PAGE_LINK = re.compile(r"\[(?P<label>[^\[\]\n]*)\]\((?P<href>[^()\s]+)")
_TITLE = re.compile(r"^#[ \t]+(?P<text>[^\n]+)$|^title:[ \t]*(?P<given>[^\n]+)$", re.MULTILINE)
_COLOUR = re.compile(r"<mark\b[^<>]*\bstyle=\"(?P<style>[^\"<>]*)\"[^<>]*>")
_MATH = re.compile(r"\$\$(?P<tex>(?:[^$\n]|\$(?!\$)|\n(?!\n)){1,3000}?)\$\$")
_LONGEST = 10_000
_NEAR = 50
"""Blocks that are looked at for another one."""
_BROKEN = re.compile(r"^(?:broken-reference|/broken/)")

Act = Callable[[BlockText, GitBookBlock], None]


def rewrite(work: PageWork) -> None:
    """Rewrite all blocks of a page, then tables and other HTML."""
    text = BlockText.of(work)
    for block in text.blocks:
        if not block.is_done:
            _rewrite(text, block)
    rewrite_tables(work)
    for start, end, name in icons(work):
        if not text.in_code(start):
            work.needs_mdx = work.needs_mdx or bool(name)
            work.rewriting.replace(start, end, f":icon-{name}:" if name else "")
    _signs(text)


def _rewrite(text: BlockText, block: GitBookBlock) -> None:
    act = _ACTS.get(block.name)
    if block.is_end:
        text.drop(block)  # its begin is missing
    elif act is not None:
        act(text, block)
    else:
        text.work.rewriting.tell(f"block {block.name}", block.start, text.text[block.start : block.end])
        text.drop(block)


def _hint(text: BlockText, block: GitBookBlock) -> None:
    style = block.value("style") or "info"
    kind = _STYLES.get(style) or kind_of(style) or "info"
    within = text.blocks[block.number + 1 : block.partner.number if block.partner is not None else 0]
    colons = "::::" if any(each.name == "hint" for each in within[:_NEAR]) else ":::"
    title = block.value("title")
    text.pair(block, f"{colons}{kind}{f' {title}' if title else ''}", colons)


def _tab(text: BlockText, block: GitBookBlock) -> None:
    label = html.escape(block.value("title") or "Tab", quote=True)
    text.pair(block, f'<TabItem label="{label}">\n', "\n</TabItem>")


def _step(text: BlockText, block: GitBookBlock) -> None:
    """Write a step; the heading at its begin is its title."""
    title, anchor, end = _heading(text, block)
    if not title:
        text.pair(block, "<Step>\n", "\n</Step>")
        return
    text.pair(block, f'<Step title="{title}">{anchor}', "\n</Step>")
    text.work.rewriting.replace(block.end, end, "")


def _heading(text: BlockText, block: GitBookBlock) -> tuple[str, str, int]:
    """Return the heading that a block begins with as an attribute, the anchor in it, and its end."""
    found = _FIRST_HEADING.match(text.text, block.end)
    if found is None or (block.partner is not None and found.end() > block.partner.start):
        return "", "", block.end
    title = html.escape(html.unescape(_SIGNS.sub("", found["text"])).strip(), quote=True)
    id_ = _HEADING_ID.search(found["text"])
    return title, f'\n\n<a id="{id_[1]}"></a>' if id_ else "", found.end()


def _update(text: BlockText, block: GitBookBlock) -> None:
    """Write an entry of a changelog; the heading at its begin is its label."""
    text.work.rewriting.extras.add("update")
    title, anchor, end = _heading(text, block)
    day, tags = block.value("date")[:10], block.value("tags")
    given = {"label": title or day, "date": day, "tags": html.escape(tags.replace(",", ", "), quote=True)}
    shown = "".join(f' {name}="{value}"' for name, value in given.items() if value)
    text.pair(block, f"<Update{shown}>{anchor}" if title else f"<Update{shown}>\n", "\n</Update>")
    if title:
        text.work.rewriting.replace(block.end, end, "")


def _columns(text: BlockText, block: GitBookBlock) -> None:
    text.work.rewriting.extras.add("columns")
    text.pair(block, "<Columns>\n", "\n</Columns>")


def _code(text: BlockText, block: GitBookBlock) -> None:
    """Give the code within a block its title and line numbers."""
    fence = text.first_fence(block)
    text.drop(block)
    head = _FENCE_HEAD.match(text.text, fence.start) if fence is not None else None
    if head is None:
        return
    title = block.value("title").replace('"', "'")
    parts = [f'title="{title}"'] if title else []
    parts += ["showLineNumbers"] if block.value("lineNumbers") == "true" else []
    language = "" if re.search(r"[`~][ \t]*[^\s`~]+$", head[0]) or not parts else "text"
    text.work.rewriting.insert(head.end(), f"{language}{''.join(f' {each}' for each in parts)}")


def _embed(text: BlockText, block: GitBookBlock) -> None:
    """Write what is shown from another site, or a link to it."""
    url = html.unescape(block.value("url"))
    place = address(url)
    if place is not None and permits(place.netloc, DEFAULT_HOSTS):
        title = _plain(text.inner(block)) or "Embedded content"
        text.whole(block, f'<Embed src="{html.escape(url)}" title="{html.escape(title, quote=True)}" />')
        text.work.needs_mdx = True
        return
    text.work.rewriting.tell("embedded page", block.start, url, "a link", "changed")
    _reference(text, block)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text).split())


def _reference(text: BlockText, block: GitBookBlock) -> None:
    """Write a reference, a file or an embedded page as a link, unless text within links already."""
    place = html.unescape(block.value("url", "src", "page"))
    inner = text.inner(block)
    if _BROKEN.match(place):
        text.work.rewriting.tell("reference that was broken", block.start, place)
        text.work.rewriting.replace(block.start, block.end, "")
        if block.partner is not None:
            text.whole(block, _plain(inner))
        return
    if "](" in inner or not place:
        text.drop(block)
        for found in _PAGE_LINK.finditer(inner):
            _entitle(text, found, block.end)
        return
    href = text.work.href(place, block.start)
    caption = _plain(inner) or block.value("caption")
    label = caption or posixpath.basename(place.rstrip("/")) if block.name == "file" else caption or place
    target = f"<{href}>" if " " in href or "(" in href else href
    text.whole(block, f"[{label}]({target})")


def _include(text: BlockText, block: GitBookBlock) -> None:
    folder = posixpath.dirname(text.work.page.file)
    file = block.quoted.lstrip("/") if block.quoted.startswith("/") else posixpath.join(folder, block.quoted)
    file = posixpath.normpath(file)
    if not block.quoted or not text.work.around.origin.has(file):
        work, old = text.work, text.text[block.start : block.end]
        work.rewriting.tell("include of a file that is not there", block.start, old)
        text.drop(block)
        return
    text.replace(block, f'<Include src="{html.escape(text.work.part(file), quote=True)}" />')


def _condition(text: BlockText, block: GitBookBlock) -> None:
    """Keep what only some readers saw."""
    old, now = text.text[block.start : block.end], "all readers see it"
    text.work.rewriting.tell("text for some readers", block.start, old, now, "changed")
    text.drop(block)


def _prompt(text: BlockText, block: GitBookBlock) -> None:
    description = block.value("description")
    text.pair(block, f"{description}\n" if description else "", "")


def _signs(text: BlockText) -> None:
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
    link = _PAGE_LINK.match(text.text, begin) if begin >= 0 else None
    if link is not None:
        _entitle(text, link, 0)


def _entitle(text: BlockText, link: re.Match[str], offset: int) -> None:
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
    elif piece.tag.name == "figure":
        _figure(work, piece, piece.close, after)
    elif piece.tag.name == "picture":
        for inner in after:
            if inner.tag is not None and inner.tag.name == "source" and inner.start < piece.close[0]:
                rewriting.tell("image for dark pages", inner.start, rewriting.text[inner.start : inner.end])
                rewriting.replace(inner.start, inner.end, "")
        rewriting.replace(piece.start, piece.end, "")
        rewriting.replace(*piece.close, "")


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


_ACTS: Mapping[str, Act] = {
    **REQUESTS,
    "hint": _hint,
    "tabs": lambda text, block: text.pair(block, "<Tabs>\n", "\n</Tabs>"),
    "tab": _tab,
    "stepper": lambda text, block: text.pair(block, "<Steps>\n", "\n</Steps>"),
    "step": _step,
    "columns": _columns,
    "column": lambda text, block: text.pair(block, "<Column>\n", "\n</Column>"),
    "updates": lambda text, block: text.drop(block),
    "update": _update,
    "code": _code,
    "embed": _embed,
    "content-ref": _reference,
    "page-ref": _reference,
    "file": _reference,
    "include": _include,
    "if": _condition,
    "prompt": _prompt,
    "raw": lambda text, block: text.drop(block),
}
