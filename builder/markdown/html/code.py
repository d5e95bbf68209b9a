"""Code blocks as HTML, and diagrams in the place of those in Mermaid's language, with what is to be said.

A diagram is two images, one for light pages and one for dark ones, and its source below:

<figure class="tp-diagram"><div class="tp-diagram-view" tabindex="0">
<img class="tp-diagram-light" ...><img class="tp-diagram-dark" ...></div>
<details><summary>Source of the diagram</summary> ... </details></figure>
"""

from __future__ import annotations

from html import escape

from markdown_it.token import Token
from msgspec.structs import replace

from builder import diagrams
from builder.code import highlight
from builder.code.rendered_fence import Fence
from builder.diagrams import Diagram, DiagramFault, is_installed
from builder.diagrams.diagram import LONGEST_TEXT, key, path_of
from builder.markdown.html.formulas import Formulas, place_of_line
from builder.markdown.html.page_gatherer import Sheet
from builder.markdown.mdx.chunk.chunks import Place, chunk_of
from components.words import Words

_FENCES = {"math": "math", "mermaid": "diagrams"}
"""The extra for each language that is no code."""
LONGEST_DIAGRAM = 50_000
"""Characters of one diagram."""
MOST_DIAGRAMS = 100
"""Diagrams on a page."""
MOST_SPENT = 3
"""Diagrams on a page that may take more than they should, before the others are not tried."""
WIDE = 560
"""Pixels; a diagram that is wider is scrolled on a phone, before it cannot be read."""


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


class Diagrams:
    """Renders the diagrams of one page; one that cannot be drawn stays code."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._count = 0
        self._spent = 0

    def figure(self, token: Token, code: Fence) -> Fence:
        """The diagram of a fence, around its `code`."""
        drawn = self._drawn(token.content)
        if isinstance(drawn, Diagram):
            self._sheet.diagrams[key(token.content)] = drawn
            return replace(code, html=self._html(drawn, code))
        lines = token.content.split("\n")
        number = min(max(drawn.line, 1), len(lines)) - 1
        place = place_of_line(token, self._sheet, number, lines[number], drawn.column - 1)
        if drawn.is_large:
            self._sheet.found(place, "budget-exceeded", drawn.message, "draw less in one diagram")
        else:
            message = f"the diagram is shown as code: {drawn.message}"
            self._sheet.found(place, "diagram-invalid", message, "correct the line, in Mermaid's language")
        return code

    def _drawn(self, source: str) -> Diagram | DiagramFault:
        self._count += 1
        if len(source) > LONGEST_DIAGRAM or self._count > MOST_DIAGRAMS or self._spent >= MOST_SPENT:
            return DiagramFault("the diagram is one too many on this page, or too long", is_large=True)
        drawn = diagrams.draw(source)
        self._spent += isinstance(drawn, DiagramFault) and drawn.is_spent
        return drawn

    def _html(self, drawn: Diagram, code: Fence) -> str:
        words = self._sheet.context.words
        rest = f'alt="{escape(alternative(drawn, words))}" width="{drawn.width}" height="{drawn.height}" '
        both = (("light", drawn.light), ("dark", drawn.dark))
        # A drawing with colours of its own is the same twice, and made for light pages.
        shown = both if drawn.light != drawn.dark else (("plain", drawn.light),)
        images = (
            f'<img class="tp-diagram-{name}" src="{self._sheet.context.base}/{path_of(svg)}" {rest}'
            'loading="lazy" decoding="async">'
            for name, svg in shown
        )
        wide = ' tabindex="0"' if drawn.width > WIDE else ""
        caption = f"<figcaption>{escape(code.title)}</figcaption>" if code.title else ""
        summary = escape(words.diagram_source, quote=False)
        return (
            f'<figure class="tp-diagram"><div class="tp-diagram-view"{wide}>{"".join(images)}</div>{caption}'
            f"<details><summary>{summary}</summary>\n{code.html}</details></figure>\n"
        )


def alternative(drawn: Diagram, words: Words) -> str:
    """The text of a diagram for those who do not see it: its author's, else its kind and labels."""
    if drawn.told:
        return drawn.told[: 2 * LONGEST_TEXT]
    kind = f"{words.diagram} ({drawn.kind})" if drawn.kind else words.diagram
    return f"{kind}: {drawn.labels}" if drawn.labels else kind
