"""Pass over escapes, code, comments and expressions where tags are looked for in a text."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.mdx.math_rules import formula_at
from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.ends import Ends

_MARK = r"\\.|`+|~{3,}|<!--|</?[A-Za-z]|\{|:{3,}"
MARK = lazy(_MARK)
"""Where something may begin: what is passed over, a tag, or an admonition."""
MARK_OR_FORMULA = lazy(rf"{_MARK}|\$+")
"""The same where there are formulas."""

_PREFIX = lazy(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
_PART_END = lazy(
    r"\n(?=[ \t>]*(?:\n|\Z|#|`{3}|~{3}|:{3}|</?[A-Z]|[-*+][ \t]|\d{1,9}[.)][ \t]))|\n(?=[ \t]*>)"
)
"""Where a code span cannot go on."""

_FORMULA_BLOCK = lazy(r"\$\$(?:[^$\n]++|\$(?!\$)|\n(?![ \t>]*\n))*\$\$[ \t]*(?=\n|\Z)")

_EMPTY_LINE = lazy(r"\n[ \t>]*\n")


class Skips:
    """One look at a text, from its beginning to its end."""

    __slots__ = ("_empty", "_line", "_part", "_ticks", "braces", "ends", "mark", "text")

    def __init__(self, braces: Braces, *, math: bool = False) -> None:
        self.mark = MARK_OR_FORMULA if math else MARK
        self._part = 0
        self.text = braces.text
        self.braces = braces
        self.ends = Ends(braces.text)
        self._ticks: _Ticks | None = None
        self._line = 0, 0, -1
        self._empty = 0, -1, -1

    def after(self, found: re.Match[str]) -> int:
        """The offset after what the `MARK` begins, or -1 where a tag or an admonition may begin."""
        first = found[0][0]
        if first == "\\":
            return found.end()
        if first in "`~":
            return self._code(found)
        if first == "{":
            return self._expression(found.start())
        if first == "$":
            return self._formula(found)
        if found[0] == "<!--":
            return max(self.ends.special(found.start()), found.end())
        return -1

    def at_line_start(self, pos: int) -> bool:
        """Return whether only blanks and the marks of quotes and lists stand before the mark at `pos`.

        The beginning of a line is read once, however many marks stand in it.
        """
        begin, content, end = self._line
        if not begin <= pos <= end:
            begin = self.text.rfind("\n", 0, pos) + 1
            end = self.text.find("\n", pos)
            end = len(self.text) if end < 0 else end
            prefix = _PREFIX.match(self.text, begin, end)
            content = prefix.end() if prefix else begin
            self._line = begin, content, end
        return pos == content

    def _has_empty_line(self, start: int, end: int) -> bool:
        """Return whether an empty line is between two offsets; all braces before it look for it once."""
        begin, line, after = self._empty
        if not begin <= start <= line:
            found = _EMPTY_LINE.search(self.text, start)
            line, after = found.span() if found else (len(self.text), len(self.text) + 1)
            self._empty = start, line, after
        return after <= end

    def _expression(self, start: int) -> int:
        """After the braces, when they can be an expression: within a line of text they hold no empty line."""
        end = self.braces.end(start)
        if end < 0:
            return start + 1
        if self._has_empty_line(start, end) and not self.at_line_start(start):
            return start + 1
        return end

    def _formula(self, found: re.Match[str]) -> int:
        """After a formula, or after the dollars alone when they begin none."""
        start = found.start()
        if start >= self._part:
            end = _PART_END.search(self.text, start)
            self._part = end.start() if end else len(self.text)
        if len(found[0]) > 1 and self.at_line_start(start):
            block = _FORMULA_BLOCK.match(self.text, start)
            if block:
                return block.end()
        formula = formula_at(self.text, start, self._part)
        return formula.end if formula else found.end()

    def _code(self, found: re.Match[str]) -> int:
        """After a fence or a code span, or after the marks alone when they begin none."""
        text, marks = self.text, found[0]
        if len(marks) >= 3 and self.at_line_start(found.start()):
            line_end = text.find("\n", found.end())
            line_end = len(text) if line_end < 0 else line_end
            if marks[0] == "~" or "`" not in text[found.end() : line_end]:
                return _fence_end(text, found, line_end)
        if marks[0] == "~":
            return found.end()
        if self._ticks is None or found.start() >= self._ticks.end:
            self._ticks = _Ticks.of(text, found.start())
        return self._ticks.after(found.start(), len(marks))


def _fence_end(text: str, found: re.Match[str], line_end: int) -> int:
    prefix = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    column = len(prefix.expandtabs(4)) if prefix.strip(" \t>") else 0
    end = _fence_close(found[0][0], len(found[0]), ">" in prefix, column).search(text, line_end)
    return end.end() if end else len(text)


@lru_cache(256)
def _fence_close(char: str, length: int, quoted: bool, column: int) -> re.Pattern[str]:
    """The line that closes a fence, or the first that cannot belong to the quote or list item it is in."""
    outside = r"|\n(?![ \t]*>)" if quoted else rf"|\n(?=[ ]{{0,{column - 1}}}[^\s])" if column else ""
    return re.compile(rf"\n[ \t>]*{char}{{{length},}}[ \t]*(?=\n|\Z){outside}")


class _Ticks(Struct):
    """The runs of backticks in one part of the text, which no code span leaves."""

    end: int
    runs: dict[int, list[int]]

    @staticmethod
    def of(text: str, start: int) -> _Ticks:
        found = _PART_END.search(text, start)
        end = found.start() if found else len(text)
        runs: dict[int, list[int]] = {}
        for run in re.finditer("`+", text[start:end]):
            runs.setdefault(len(run[0]), []).append(start + run.start())
        for starts in runs.values():
            starts.reverse()
        return _Ticks(end, runs)

    def after(self, start: int, length: int) -> int:
        """The offset after the code span that the run at `start` begins, or after the run."""
        starts = self.runs.get(length, [])
        while starts and starts[-1] <= start:
            starts.pop()
        return (starts[-1] if starts else start) + length
