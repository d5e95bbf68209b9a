r"""Convert TeX to MathML with `math-core`, in bounds that no text can break.

math-core reads what stands within something else by calling itself, so a text made for it would end the whole
process: how deep a formula goes is counted before. A command that a formula defines may stand for many
levels, so with definitions the bound is lower.

    x^2          in a line
    \tag{1} x    on a line of its own: what wants a number gets the environment that has numbers
"""

from __future__ import annotations

import re

from math_core import LatexError, LatexToMathML
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.math.mathml import Unknown, checked

LONGEST = 10_000
"""Characters of one formula."""
DEEPEST = 150
"""Groups, environments, and commands that may wait for an argument, within each other. At 375 a stack of 1 MB
is used up."""
_DEEPEST_DEFINED = 10
"""The same in a formula that defines commands, and how often these may be used in it."""

_MACROS = {"substack": r"\begin{array}{c}#1\end{array}"}
_TOKEN = lazy(r"\\begin\b|\\left\b|\\end\b|\\right\b|\\[A-Za-z]+|\\.|[{}]|\s+|[^\\{}\s]", re.DOTALL)
_WAITS = re.compile(r"\\[A-Za-z]|[\^_]")
"""What may have all that follows as its argument."""
_OPENS, _CLOSES = frozenset({"{", r"\begin", r"\left"}), frozenset({"}", r"\end", r"\right"})
_DEFINES = lazy(r"\\(?:(?:re)?new|provide)command\b|\\[gex]?def\b|\\let\b|\\DeclareMathOperator\b")
_NUMBERED = lazy(r"\\(?:tag|label|nonumber|notag)\b")
_SPLIT = lazy(r"(\\(?:begin|end))\{split\}")
_FAULT = re.compile(r"(\d+): (.*)", re.DOTALL)


class Formula(Struct, frozen=True):
    """A formula as MathML: one element `math`, safe to put into a page."""

    html: str


class TexFault(Struct, frozen=True):
    """The reason why a formula is not shown, and its offset in the TeX."""

    message: str
    at: int = 0


class Converter:
    """Converts the formulas of one page, in the order of the page: equations are numbered through it."""

    def __init__(self) -> None:
        self._plain = LatexToMathML(fancy_error=False, allow_unreliable_rendering=True, macros=_MACROS)
        self._defining = LatexToMathML(
            fancy_error=False,
            allow_unreliable_rendering=True,
            macros=_MACROS,
            max_expansions=_DEEPEST_DEFINED,
        )

    def convert(self, tex: str, *, display: bool) -> Formula | TexFault:
        """The formula; `display` is one on lines of its own. Total."""
        defines = _DEFINES.search(tex) is not None
        fault = too_much(tex, _DEEPEST_DEFINED if defines else DEEPEST)
        if fault is not None:
            return fault
        converter = self._defining if defines else self._plain
        try:
            markup = converter.convert_with_global_state(_usual(tex, display=display), displaystyle=display)
        except LatexError as error:
            return _fault(str(error), tex)
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # a fault of the library, which no handler expects
                raise
            return TexFault("it cannot be converted")
        try:
            return Formula(checked(markup, tex))
        except Unknown as unknown:
            return TexFault(str(unknown))


def too_much(tex: str, deepest: int) -> TexFault | None:
    """The fault of a formula that is too long or too deep, else None."""
    if len(tex) > LONGEST:
        return TexFault(f"the formula has more than {LONGEST:,} characters")
    around: list[int] = []
    within = waiting = 0
    for found in _TOKEN.finditer(tex):
        mark = found[0]
        if mark in _OPENS:
            around.append(waiting)
            within, waiting = within + waiting + 1, 0
        elif mark in _CLOSES and around:
            waiting = around.pop()
            within -= waiting + 1
        elif _WAITS.match(mark):
            waiting += 1
        elif not mark.isspace():
            waiting = 0
        if within + waiting > deepest:
            return TexFault(f"the formula has more than {deepest} levels", found.start())
    return None


def _usual(tex: str, *, display: bool) -> str:
    """The TeX in the words that math-core knows."""
    tex = _SPLIT.sub(r"\1{aligned}", tex)
    if display and r"\begin" not in tex and _NUMBERED.search(tex):
        return rf"\begin{{equation}}{tex}\end{{equation}}"
    return tex


def _fault(said: str, tex: str) -> TexFault:
    """Read a message of math-core, which begins with an offset."""
    found = _FAULT.fullmatch(said)
    if found is None:
        return TexFault(said)
    message = found[2].removesuffix(".").replace('"', "`")
    return TexFault(message[:1].lower() + message[1:], min(int(found[1]), len(tex)))
