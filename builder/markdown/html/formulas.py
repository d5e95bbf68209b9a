"""Formulas as HTML, with what is to be said of them: MathML, or the TeX as code where there is none."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from markdown_it.token import Token

from builder.markdown.html.page_gatherer import Sheet
from builder.markdown.mdx.chunk.chunks import Place, chunk_of

if TYPE_CHECKING:
    from builder.math import Converter, TexFault

CODE = "math-invalid"
MOST, LEAST = 200_000, 40
"""Characters of all formulas on a page, and how many one counts for at least."""


class Formulas:
    """Renders the formulas of one page, in their order; past the budget they are shown as TeX."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._converter: Converter | None = None
        self._left = MOST

    def inline(self, token: Token, place: Place) -> str:
        """A formula in running text; `place` is that of its TeX."""
        display = token.markup == "$$"
        made = self._made(token.content, place, display=display)
        if isinstance(made, str):
            return f'<span class="tp-math" tabindex="0">{made}</span>' if display else made
        self._tell(made, Place(place.chunk, place.offset + made.at))
        return f"<code>{escape(token.markup + token.content + token.markup, quote=False)}</code>"

    def block(self, token: Token) -> str:
        """A formula on lines of its own, or in a fence; empty where there is none."""
        made = self._made(token.content, place_within(token, self._sheet, 0), display=True)
        if isinstance(made, str):
            return f'<div class="tp-math" tabindex="0">{made}</div>\n'
        self._tell(made, place_within(token, self._sheet, made.at))
        return ""

    def _made(self, tex: str, place: Place, *, display: bool) -> str | TexFault:
        """The formula as MathML, or what is wrong with it."""
        from builder.math import Converter, TexFault  # noqa: PLC0415 - most pages have no formula

        before, self._left = self._left, self._left - max(LEAST, len(tex))
        if self._left < 0:
            if before >= 0:
                message = "the page's formulas are too long; from here on they are shown as TeX"
                self._sheet.found(place, "budget-exceeded", message)
            return TexFault("")
        self._converter = self._converter or Converter()
        made = self._converter.convert(tex, display=display)
        return made if isinstance(made, TexFault) else made.html

    def _tell(self, fault: TexFault, place: Place) -> None:
        if fault.message:
            message = f"the formula is shown as TeX: {fault.message}"
            self._sheet.found(place, CODE, message, "write it with commands that are known")


def place_within(token: Token, sheet: Sheet, offset: int) -> Place:
    """Return the place of an offset in the content of a block that fills lines, such as a fence."""
    lines = token.content[:offset].split("\n")
    whole = token.content.split("\n")[len(lines) - 1]
    return place_of_line(token, sheet, len(lines) - 1, whole, len(lines[-1]))


def place_of_line(token: Token, sheet: Sheet, number: int, text: str, column: int) -> Place:
    """Return the place of a column, from 0, in a line of a block's content, whose text is known."""
    chunk = chunk_of(token, sheet.reading.body)
    first, end = token.map or (0, 1)
    opening = 1 if token.type == "fence" else 0
    begin, stop = chunk.bounds(min(first + opening + number, end - 1))
    found = chunk.text.find(text, begin, stop) if text.strip() else -1
    return Place(chunk, min(found + column, stop) if found >= 0 else begin)
