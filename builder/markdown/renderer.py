"""Tokens as HTML, in one pass: blocks here, running text in `inlinehtml`, components from the inside out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby

from markdown_it.common.utils import escapeHtml, unescapeAll
from markdown_it.token import Token

from builder import highlight, sanitize
from builder.markdown import footnotes, gfm
from builder.markdown.headings import plain
from builder.markdown.inlinehtml import InlineHtml, Raw
from builder.markdown.page import TocEntry
from builder.markdown.sheet import ComponentPage, Sheet, Spot
from builder.markup.spots import Spot as Opening
from builder.markup.tags import Given
from components.admonition import Admonition
from components.attributes import attributes
from components.base import Child, Component
from components.callout import Callout

_CONTAINERS = {
    "blockquote_open": "<blockquote>\n",
    "blockquote_close": "</blockquote>\n",
    "bullet_list_close": "</ul>\n",
    "ordered_list_close": "</ol>\n",
    "list_item_close": "</li>\n",
    "table_open": "<table>\n",
    "table_close": "</table>\n",
    "thead_open": "<thead>\n",
    "thead_close": "</thead>\n",
    "tbody_open": "<tbody>\n",
    "tbody_close": "</tbody>\n",
    "tr_open": "<tr>\n",
    "tr_close": "</tr>\n",
    "th_close": "</th>\n",
    "td_close": "</td>\n",
    "hr": "<hr>\n",
    "footnote_block_open": footnotes.footnote_block_open(),
    "footnote_block_close": footnotes.footnote_block_close(),
    "footnote_close": footnotes.footnote_close(),
    "definition": "",
    "alert_title_close": "</p>\n",
    "alert_close": "</aside>\n",
}
_FLOWING = frozenset({"inline", "paragraph_open", "list_item_close"})


class Renderer:
    """Renders one stream of tokens onto a sheet. `nonce` signs our own HTML beside an author's, else ""."""

    def __init__(self, sheet: Sheet, tokens: Sequence[Token], nonce: str = "") -> None:
        self._sheet = sheet
        self._tokens = tokens
        self._nonce = nonce
        self._inline = InlineHtml(sheet, tokens)
        self._out: list[str] = []
        self._slots: list[str] = []
        self._highlighted = 0

    def render(self) -> str:
        """The HTML of all tokens."""
        index, count = 0, len(self._tokens)
        while index < count:
            index = self._token(index)
        if not self._nonce:
            return "".join(self._out)
        pieces = groupby(self._out, key=lambda piece: isinstance(piece, Raw))
        signed = ["".join(run) if raw else sanitize.mark("".join(run), self._nonce) for raw, run in pieces]
        return sanitize.fill(sanitize.clean("".join(signed), self._nonce), self._nonce, self._slots)

    def _token(self, index: int) -> int:
        """Append the HTML of the token at `index`; the index of the next."""
        token = self._tokens[index]
        constant = _CONTAINERS.get(token.type)
        if constant is not None:
            self._out.append(constant)
            return index + 1
        return _RULES[token.type](self, token, index)

    def _running(self, token: Token, index: int) -> int:
        self._inline.render(token.children or (), index, self._out)
        return index + 1

    def _paragraph(self, token: Token, index: int) -> int:
        """A paragraph with its text; one that only held what goes is none."""
        text = self._tokens[index + 1]
        out: list[str] = []
        self._inline.render(text.children or (), index + 1, out)
        if token.hidden:
            self._out.extend(out)
            if self._tokens[index + 3].nesting >= 0:
                self._out.append("\n")
        elif not text.content or any(piece.strip() for piece in out):
            self._out.extend(("<p>", *out, "</p>\n"))
        return index + 3

    def _heading(self, token: Token, index: int) -> int:
        text = self._tokens[index + 1]
        label, chosen = plain(text.children), str(token.meta.get("id", ""))
        spot = self._inline.spot(index + 1)
        id_ = self._sheet.heading_id(label, chosen, spot)
        if chosen:
            _without_id(spot, chosen)
        self._sheet.toc.append(TocEntry(int(token.tag[1]), id_, label))
        self._out.append(f'<{token.tag} id="{escapeHtml(id_)}">')
        self._inline.render(text.children or (), index + 1, self._out)
        self._out.append(f"</{token.tag}>\n")
        return index + 3

    def _list(self, token: Token, index: int) -> int:
        self._out.append(f"<{token.tag}{_attributes(token)}>\n")
        return index + 1

    def _item(self, token: Token, index: int) -> int:
        self._out.append(f"<li{_attributes(token)}>")
        if "checked" in token.meta:
            self._out.append(f"{gfm.task_box(checked=token.meta['checked'])} ")
        following = self._tokens[index + 1]
        if following.type not in _FLOWING or (following.type == "paragraph_open" and not following.hidden):
            self._out.append("\n")
        return index + 1

    def _cell(self, token: Token, index: int) -> int:
        self._out.append(f"<{token.tag}{_attributes(token)}>")
        return index + 1

    def _fence(self, token: Token, index: int) -> int:
        self._code(self.fence(token))
        return index + 1

    def _code_block(self, token: Token, index: int) -> int:
        self._code(highlight.fence(token.content, ""))
        return index + 1

    def _code(self, fence: highlight.Fence) -> None:
        if self._nonce:
            self._slots.append(fence.html)
            self._out.append(Raw(sanitize.slot(len(self._slots) - 1, self._nonce)))
        else:
            self._out.append(fence.html)

    def fence(self, token: Token) -> highlight.Fence:
        """A fence, plain when the page has spent what may be highlighted."""
        info = unescapeAll(token.info).strip() if token.info else ""
        self._highlighted += len(token.content)
        spent = self._highlighted > highlight.MAX_PAGE
        fence = (highlight.plain if spent else highlight.fence)(token.content, info)
        if fence.over_budget:
            self._sheet.found(self._place(token), "budget-exceeded", "too much code: it is shown without colours")
        return fence

    def _place(self, token: Token) -> Spot:
        body = self._sheet.reading.body
        chunk = token.meta.get("chunk", body)
        return chunk, chunk.bounds(token.map[0])[0] if token.map else 0

    def _html(self, token: Token, index: int) -> int:
        self._out.append(Raw(self._inline.raw(token.content, index)))
        return index + 1

    def _footnote(self, token: Token, index: int) -> int:
        self._out.append(footnotes.footnote_open(None, [token], 0, None, {}))
        return index + 1

    def _notice(self, token: Token, index: int) -> int:
        self._out.append(f"{token.content}\n")
        return index + 1

    def _alert(self, token: Token, index: int) -> int:
        """An alert is an admonition; beside raw HTML it goes without its icon."""
        if self._nonce:
            self._out.append(f"<{token.tag}{_attributes(token)}>\n")
            return index + 1
        children, end = self._children(index + 4, "alert_close")
        made = Admonition(token.meta["type"], token.meta["title"])
        self._out.append(f"{made.html(children, self._page(self._place(token)))}\n")
        return end

    def _component(self, token: Token, index: int) -> int:
        html, end = self._made(token, index)
        self._out.append(f"{html}\n")
        return end

    def _made(self, token: Token, index: int) -> tuple[str, int]:
        """A component's HTML, made of that of its children, and the index after it."""
        opening: Opening = token.meta["spot"]
        spot = opening.state.chunk, opening.place(opening.start)
        before = len(self._sheet.toc)
        children, end = self._children(index + 1, "component_close")
        component = self._resolved(token.meta["component"], opening, token.meta["link"])
        page = self._page(spot)
        html = component.html(children, page)
        self._sheet.toc[before:before] = page.entries
        if isinstance(component, Callout) and component.hex:
            self._sheet.colors[component.hex] = None
        return str(html), end

    def _page(self, spot: Spot) -> ComponentPage:
        return ComponentPage(self._sheet.context.embed_hosts, self._sheet, spot)

    def _resolved(self, component: Component, opening: Opening, link: Given | None) -> Component:
        """The component with its links as they are in HTML."""
        changes = {}
        for name in link_attributes(type(component)):
            address = getattr(component, name)
            if address:
                resolved = self._sheet.resolve(address, "link")
                at = opening.place(link.value_start) if link else opening.place(opening.start)
                self._sheet.told(resolved, address, (opening.state.chunk, at))
                changes[name] = resolved.href
        return replace(component, **changes) if changes else component

    def _children(self, index: int, closing: str) -> tuple[list[Child], int]:
        """What stands up to the token of type `closing` that ends it, and the index after that token."""
        outer, children, depth = self._out, [], 0
        self._out = run = []
        while depth or self._tokens[index].type != closing:
            token = self._tokens[index]
            child = None if depth else self._child(token, index)
            if child is None:
                depth += token.nesting if token.type not in _WHOLE else 0
                index = self._token(index)
            else:
                children.extend([*_text(run), child[0]])
                run.clear()
                index = child[1]
        children.extend(_text(run))
        self._out = outer
        return children, index + 1

    def _child(self, token: Token, index: int) -> tuple[Child, int] | None:
        """A child that is known by its kind, and the index after it; None for a part of a text."""
        if token.type == "component_open":
            html, end = self._made(token, index)
            return Child("component", html, token.meta["component"]), end
        if token.type == "fence":
            fence = self.fence(token)
            return Child("fence", fence.html, title=fence.title, language=fence.language), index + 1
        if token.type == "inline":
            out: list[str] = []
            self._inline.render(token.children or (), index, out)
            return Child("title", "".join(out)), index + 1
        return None


@cache
def link_attributes(kind: type[Component]) -> tuple[str, ...]:
    """The names of a component's attributes that are links."""
    return tuple(name for name, attribute in attributes(kind).items() if attribute.kind == "link")


def _without_id(spot: Spot, chosen: str) -> None:
    """The `{#id}` of a heading is no part of plain markdown."""
    chunk, offset = spot
    start = chunk.text.find(f"{{#{chosen}}}", offset)
    if start >= 0:
        begin = len(chunk.text[:start].rstrip(" \t")) if start - offset < 200 else start
        chunk.edit(begin, start + len(chosen) + 3)


def _text(run: Sequence[str]) -> list[Child]:
    html = "".join(run)
    return [Child("text", html)] if html.strip() else []


def _attributes(token: Token) -> str:
    """Attributes that the parser made itself."""
    return "".join(f' {name}="{value}"' for name, value in token.attrs.items()) if token.attrs else ""


_WHOLE = frozenset({"paragraph_open", "heading_open", "component_open", "alert_open"})
"""Tokens that are rendered with all up to their end."""

_RULES: Mapping[str, Callable[[Renderer, Token, int], int]] = {
    "inline": Renderer._running,
    "paragraph_open": Renderer._paragraph,
    "heading_open": Renderer._heading,
    "bullet_list_open": Renderer._list,
    "ordered_list_open": Renderer._list,
    "list_item_open": Renderer._item,
    "th_open": Renderer._cell,
    "td_open": Renderer._cell,
    "alert_title_open": Renderer._cell,
    "fence": Renderer._fence,
    "code_block": Renderer._code_block,
    "html_block": Renderer._html,
    "footnote_open": Renderer._footnote,
    "notice": Renderer._notice,
    "alert_open": Renderer._alert,
    "component_open": Renderer._component,
}
