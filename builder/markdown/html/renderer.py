"""Tokens as HTML, in one pass: blocks here, running text in `inline`, code in `code`, and components,
from the inside out, in `assembly`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from builder.code.rendered_fence import Fence
from builder.html import sanitize
from builder.markdown.commonmark import gfm, headings
from builder.markdown.commonmark.footnote_html import RENDERERS as FOOTNOTES
from builder.markdown.commonmark.headings import plain
from builder.markdown.commonmark.toc import TocEntry
from builder.markdown.html import assembly
from builder.markdown.html.code import CodeHtml
from builder.markdown.html.inline import InlineHtml, RawHtml
from builder.markdown.html.page_gatherer import HeadingPlace, Sheet
from builder.markdown.mdx.chunk.chunks import Chunk, Place, chunk_of
from components.admonition import Admonition

_CONSTANTS = {
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
    "dl_open": "<dl>\n",
    "dl_close": "</dl>\n",
    "dt_open": "<dt>",
    "dt_close": "</dt>\n",
    "dd_open": "<dd>",
    "dd_close": "</dd>\n",
    "footnote_block_open": FOOTNOTES["footnote_block_open"](),
    "footnote_block_close": FOOTNOTES["footnote_block_close"](),
    "footnote_close": FOOTNOTES["footnote_close"](),
    "alert_close": "</aside>\n",
    "definition": "",
}
_FLOWING = frozenset({"inline", "paragraph_open", "list_item_close"})


class Renderer:
    """Renders one stream of tokens onto a sheet. `nonce` signs our own HTML beside an author's, else ""."""

    def __init__(self, sheet: Sheet, tokens: Sequence[Token], nonce: str = "") -> None:
        self.sheet = sheet
        self.tokens = tokens
        self.code = CodeHtml(sheet)
        self.inline = InlineHtml(sheet, tokens, self.code.formulas)
        self.nonce = nonce
        self._out: list[str] = []
        self._slots: list[str] = []

    def render(self) -> str:
        """The HTML of all tokens."""
        index, count = 0, len(self.tokens)
        while index < count:
            index = self.token(index)
        return self._clean() if self.nonce else "".join(self._out)

    def token(self, index: int) -> int:
        """Append the HTML of the token at `index`, and of all up to its end when it is read as a whole.

        Returns the index of the next token.
        """
        token = self.tokens[index]
        constant = _CONSTANTS.get(token.type)
        if constant is not None:
            self._out.append(constant)
            return index + 1
        return _RULES[token.type](self, token, index)

    def divert(self, out: list[str]) -> list[str]:
        """Let what is appended go to `out`; returns where it went before."""
        before, self._out = self._out, out
        return before

    def _clean(self) -> str:
        """The page beside an author's HTML: ours is signed, then all passes the gate, code comes after it."""
        pieces = groupby(self._out, key=lambda piece: isinstance(piece, RawHtml))
        signed = ["".join(run) if raw else sanitize.mark("".join(run), self.nonce) for raw, run in pieces]
        return sanitize.fill(sanitize.clean("".join(signed), self.nonce), self.nonce, self._slots)

    def _paragraph(self, token: Token, index: int) -> int:
        """A paragraph with its text; one that only held what goes is none."""
        text = self.tokens[index + 1]
        out: list[str] = []
        self.inline.render(text.children or (), index + 1, out)
        if token.hidden:
            self._out.extend(out)
            if self.tokens[index + 3].nesting >= 0:
                self._out.append("\n")
        elif not text.content or any(piece.strip() for piece in out):
            self._out.extend(("<p>", *out, "</p>\n"))
        return index + 3

    def _heading(self, token: Token, index: int) -> int:
        text = self.tokens[index + 1]
        label, chosen = plain(text.children), str(token.meta.get("id", ""))
        place = self.inline.place(index + 1) if chosen else Place(self.sheet.reading.body, 0)
        id_ = self.sheet.heading_id(label, chosen, place)
        if chosen and token.map:
            _without_id(place.chunk, chosen, token.map)
        entry = TocEntry(int(token.tag[1]), id_, label)
        self.sheet.toc.append(entry)
        if token.map:
            chunk = chunk_of(text, self.sheet.reading.body)
            self.sheet.headings.append(HeadingPlace(entry, chunk, token.map[0], token))
        self._out.append(f'<{token.tag} id="{escapeHtml(id_)}">')
        self.inline.render(text.children or (), index + 1, self._out)
        self._out.append(f"</{token.tag}>\n")
        return index + 3

    def _item(self, token: Token, index: int) -> int:
        self._out.append(f"<li{_attributes(token)}>")
        if "checked" in token.meta:
            self._out.append(f"{gfm.task_box(self.sheet.context.words, checked=token.meta['checked'])} ")
        following = self.tokens[index + 1]
        if following.type not in _FLOWING or (following.type == "paragraph_open" and not following.hidden):
            self._out.append("\n")
        return index + 1

    def _running(self, token: Token, index: int) -> int:
        self.inline.render(token.children or (), index, self._out)
        return index + 1

    def _list(self, token: Token, index: int) -> int:
        self._out.append(f"<{token.tag}{_attributes(token)}>\n")
        return index + 1

    def _cell(self, token: Token, index: int) -> int:
        self._out.append(f"<{token.tag}{_attributes(token)}>")
        return index + 1

    def _fence(self, token: Token, index: int) -> int:
        self._code(self.code.fence(token))
        return index + 1

    def _formula(self, token: Token, index: int) -> int:
        self._code(self.code.formula(token))
        return index + 1

    def _code_block(self, token: Token, index: int) -> int:
        self._code(self.code.indented(token))
        return index + 1

    def _code(self, fence: Fence) -> None:
        if self.nonce:
            self._slot(fence.html)
        else:
            self._out.append(fence.html)

    def _slot(self, html: str) -> None:
        """Append HTML that does not pass the gate."""
        self._slots.append(html)
        self._out.append(RawHtml(sanitize.slot(len(self._slots) - 1, self.nonce)))

    def _html(self, token: Token, index: int) -> int:
        self._out.append(RawHtml(self.inline.raw(token.content, index)))
        return index + 1

    def _footnote(self, token: Token, index: int) -> int:
        self._out.append(FOOTNOTES["footnote_open"](None, [token], 0, None, {}))
        return index + 1

    def _notice(self, token: Token, index: int) -> int:
        self._out.append(f"{token.content}\n")
        return index + 1

    def _alert(self, token: Token, index: int) -> int:
        """An alert is an admonition; beside raw HTML its icon is kept out of the gate, as code is."""
        if not self.nonce:
            html, end = assembly.alert(self, token, index)
            self._out.append(f"{html}\n")
            return end
        frame, words = Admonition(token.meta["type"]), self.sheet.context.words
        self._out.append(str(frame.opening(words)))
        self._slot(str(frame.head(words)))
        return index + assembly.ALERT_CONTENT

    def _component(self, token: Token, index: int) -> int:
        html, end = assembly.component(self, token, index)
        self._out.append(f"{html}\n")
        return end


def _without_id(chunk: Chunk, chosen: str, lines: Sequence[int]) -> None:
    """The `{#id}` of a heading is no part of plain markdown."""
    begin, end = chunk.bounds(lines[0])[0], chunk.bounds(lines[1] - 1)[1]
    source = chunk.text[begin:end]
    if span := headings.chosen_id(source, chosen):
        kept = source[: span[0]].rstrip(" \t")
        chunk.edit(begin + len(kept), begin + span[1])


def _attributes(token: Token) -> str:
    """Attributes that the parser made itself."""
    return "".join(f' {name}="{value}"' for name, value in token.attrs.items()) if token.attrs else ""


_RULES: Mapping[str, Callable[[Renderer, Token, int], int]] = {
    "inline": Renderer._running,
    "paragraph_open": Renderer._paragraph,
    "heading_open": Renderer._heading,
    "bullet_list_open": Renderer._list,
    "ordered_list_open": Renderer._list,
    "list_item_open": Renderer._item,
    "th_open": Renderer._cell,
    "td_open": Renderer._cell,
    "fence": Renderer._fence,
    "code_block": Renderer._code_block,
    "math_block": Renderer._formula,
    "html_block": Renderer._html,
    "footnote_open": Renderer._footnote,
    "notice": Renderer._notice,
    "alert_open": Renderer._alert,
    "component_open": Renderer._component,
}
