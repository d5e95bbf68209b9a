"""Diagrams as HTML: two images, one for light pages and one for dark ones, and their source below.

<figure class="tp-diagram"><div class="tp-diagram-view" tabindex="0">
<img class="tp-diagram-light" ...><img class="tp-diagram-dark" ...></div>
<details><summary>Source of the diagram</summary> ... </details></figure>
"""

from __future__ import annotations

from html import escape

from markdown_it.token import Token
from msgspec.structs import replace

from builder import diagrams
from builder.code.rendered_fence import Fence
from builder.diagrams import Diagram, DiagramFault
from builder.diagrams.diagram import LONGEST_TEXT, key, path_of
from builder.markdown.html.formulas import place_of_line
from builder.markdown.html.page_gatherer import Sheet
from components.words import Words

LONGEST = 50_000
"""Characters of one diagram."""
MOST = 100
"""Diagrams on a page."""
MOST_SPENT = 3
"""Diagrams on a page that may take more than they should, before the others are not tried."""


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
        if len(source) > LONGEST or self._count > MOST or self._spent >= MOST_SPENT:
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


WIDE = 560
"""Pixels; a diagram that is wider is scrolled on a phone, before it cannot be read."""


def alternative(drawn: Diagram, words: Words) -> str:
    """The text of a diagram for those who do not see it: its author's, else its kind and labels."""
    if drawn.told:
        return drawn.told[: 2 * LONGEST_TEXT]
    kind = f"{words.diagram} ({drawn.kind})" if drawn.kind else words.diagram
    return f"{kind}: {drawn.labels}" if drawn.labels else kind
