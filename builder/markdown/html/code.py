"""Code blocks as HTML, with what is to be said of them."""

from __future__ import annotations

from markdown_it.token import Token

from builder.code import highlight
from builder.code.rendered_fence import Fence
from builder.diagrams import is_installed
from builder.markdown.html.diagrams import Diagrams
from builder.markdown.html.formulas import Formulas
from builder.markdown.html.page_gatherer import Sheet
from builder.markdown.mdx.chunk.chunks import Place, chunk_of

_FENCES = {"math": "math", "mermaid": "diagrams"}
"""The extra for each language that is no code."""


def _extras_of(sheet: Sheet) -> frozenset[str]:
    """The extras that a page's fences may be for."""
    if sheet.source.format != "mdx" or not sheet.context.extras:
        return frozenset()
    missing = frozenset() if is_installed() else frozenset({"diagrams"})
    return sheet.context.extras - missing


class CodeHtml:
    """Renders the code of one page, plain when the page has spent what may be highlighted."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._highlighted = 0
        self._told = False
        self.formulas = Formulas(sheet)
        self._diagrams = Diagrams(sheet)
        self._extras = _extras_of(sheet)

    def fence(self, token: Token) -> Fence:
        """A fenced block."""
        if not self._closed(token):
            self._sheet.found(self.place(token), "fence-unclosed", "the code block has no closing fence")
        self._highlighted += len(token.content)
        spent = self._highlighted > highlight.MAX_PAGE
        info = token.info.strip()
        if extra := self._extras and self._extra(info):
            made = self._formula(token) if extra == "math" else None
            if made is not None:
                return made
        fence = (highlight.plain if spent else highlight.fence)(token.content, info)
        if fence.language and not spent:
            self._sheet.code[highlight.key(token.content, info)] = fence
        if fence.over_budget and fence.language and not (spent and self._told):
            self._told = self._told or spent
            where = "from here on the page's code is" if spent else "the code is too long and"
            self._sheet.found(self.place(token), "budget-exceeded", f"{where} shown without colours")
        return self._diagrams.figure(token, fence) if extra == "diagrams" else fence

    def _extra(self, info: str) -> str:
        """The extra that a fence is for, or "" for code."""
        found = _FENCES.get(info.partition(" ")[0].lower(), "")
        return found if found in self._extras else ""

    def _formula(self, token: Token) -> Fence | None:
        """The formula of a fence, or None where it is shown as code."""
        html = self.formulas.block(token)
        return Fence(html) if html else None

    def formula(self, token: Token) -> Fence:
        """A formula on lines of its own."""
        made = self._formula(token)
        return made or highlight.fence(token.content.strip("\n"), "tex")

    def indented(self, token: Token) -> Fence:
        """An indented block, which has no language."""
        return highlight.fence(token.content, "")

    def place(self, token: Token) -> Place:
        """Return the place at which a block begins."""
        chunk = chunk_of(token, self._sheet.reading.body)
        begin, end = chunk.bounds(token.map[0]) if token.map else (0, 0)
        return Place(chunk, max(begin, chunk.text.find(token.markup, begin, end)))

    def _closed(self, token: Token) -> bool:
        """Return whether the block's last line is a closing fence."""
        if not token.map:
            return True
        chunk = chunk_of(token, self._sheet.reading.body)
        begin, end = chunk.bounds(token.map[1] - 1)
        marks = chunk.text[begin:end].strip(" \t>")
        return (
            token.map[1] - token.map[0] > 1
            and marks.startswith(token.markup)
            and not marks.strip(token.markup[0])
        )
