"""Rewrite pages of GitBook: its blocks, and what its editor writes as HTML.

https://gitbook.com/docs/creating-content/formatting/markdown
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Mapping

from builder.importer.page_work import PageWork
from builder.importer.systems.gitbook.gitbook_blocks import BlockText, GitBookBlock
from builder.importer.systems.gitbook.gitbook_requests import REQUESTS
from builder.importer.systems.gitbook.gitbook_signs import PAGE_LINK, entitle, rewrite_signs
from builder.importer.systems.gitbook.gitbook_tables import icons, rewrite_tables
from builder.markdown.mdx.tag_hints import kind_of
from components.embed_hosts import DEFAULT_HOSTS, address, permits

_STYLES = {"info": "info", "success": "tip", "warning": "warning", "danger": "danger"}
_FIRST_HEADING = re.compile(r"\s*#{1,6}[ \t]+(?P<text>[^\n]*)")
_HEADING_ID = re.compile(r"<a [^<>]*id=\"([^\"<>]+)\"")
_SIGNS = re.compile(r"<[^<>\n]*>|[*`]|[ \t]+$")
_FENCE_HEAD = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*[^\s`]*")
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
    rewrite_signs(text)


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
        for found in PAGE_LINK.finditer(inner):
            entitle(text, found, block.end)
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
