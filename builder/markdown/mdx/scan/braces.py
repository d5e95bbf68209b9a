"""Find the end of a `{`: balanced braces of JavaScript, with its strings, templates and comments.

    braces    = "{" { part } "}"
    part      = braces | string | template | comment | any other character
    string    = '"' ... '"' | "'" ... "'"          on one line; else the quote is a character like others
    template  = "`" { character | "\\" character | "$" braces } "`"
    comment   = "/*" ... "*/" | "//" to the end of a line that closes no brace

An apostrophe after a letter (`don't`) opens no string: JavaScript has none there, text within tags has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field

from builder.lazy_regex import lazy

_MARK = lazy(r"""[{}`]|(?<!\w)["']|/\*|(?<![:\w])//""")
_TEMPLATE_MARK = lazy(r"\\.|`|\$\{", re.DOTALL)
QUOTED = {
    '"': re.compile(r'(?:[^"\\\n]++|\\.)*(")?'),
    "'": re.compile(r"(?:[^'\\\n]++|\\.)*(')?"),
    "/*": re.compile(r"(?:[^*]++|\*(?!/))*(\*/)?"),
    "//": re.compile(r"[^\n}]*+(\n)?"),
}
"""The rest of a string or comment; without group 1 it is none."""

_WORK = 3
_FREE = 1_000
"""The text may be looked through three times and a bit; more only ever happens in texts made for it."""


class Braces(Struct):
    """The braces of one text; each is looked for once, so that asking for all of them takes linear time."""

    text: str
    _ends: dict[int, int] = field(default_factory=dict)
    _work: int = 0

    def end(self, start: int) -> int:
        """The offset after the `}` that closes the `{` at `start`, or -1 when none does."""
        if start not in self._ends:
            if self._work > _WORK * len(self.text) + _FREE:
                return -1
            self._scan(start)
        return self._ends[start]

    def _scan(self, start: int) -> None:
        """Read from `start` to its end, and keep what is learnt of the braces within."""
        text, pos = self.text, start + 1
        open_ = [start]
        hopeless: dict[str, int] = {}
        while open_:
            within = _TEMPLATE_MARK if text[open_[-1]] == "`" else _MARK
            found = within.search(text, pos)
            if found is None:
                pos = len(text)
                break
            mark, pos = found[0], found.end()
            if mark in QUOTED:
                pos = skip_quoted(text, mark, pos, hopeless)
            elif mark == "}" or (mark == "`" and within is _TEMPLATE_MARK):
                self._ends[open_.pop()] = pos
            elif mark in {"{", "`", "${"}:
                open_.append(pos - 1)
        self._ends.update(dict.fromkeys(open_, -1))
        self._work += pos - start


def skip_quoted(
    text: str,
    mark: str,
    pos: int,
    hopeless: dict[str, int],
    quoted: Mapping[str, re.Pattern[str]] = QUOTED,
) -> int:
    """The offset after the string or comment that `mark` begins, or `pos` when it begins none.

    `hopeless` remembers how far there is no end for each mark: what is looked for once is not looked for
    again from within.
    """
    if pos <= hopeless.get(mark, -1):
        return pos
    found = quoted[mark].match(text, pos)
    if found and found[1]:
        return found.end()
    hopeless[mark] = found.end() if found else pos
    return pos
