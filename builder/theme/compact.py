"""Take out of style sheets and scripts what only their authors read: comments, indentation, space.

No minifier: names and structure stay, so that what a browser shows can be found in the source.
"""

from __future__ import annotations

import re

from builder.lazy_regex import lazy

_CSS_PART = lazy(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|/\*.*?\*/""", re.DOTALL)
_CSS_SPACE = lazy(r'("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|\s*([{},>])\s*|([:;(])\s+|\s+(?=(\)))|\s*\n\s*')
_CSS_NEEDLESS = lazy(r'("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|;(?=\})|(?<=[\s:,(-])0(?=\.\d)')
_COMMENT_LINE = lazy(r"\s*//")
_KEPT = (
    r'"(?:[^"\\]|\\.)*"|`[^`]*`'
    r"|(?:(?<=[(\[!])|(?<=[,=:&|?>] ))/(?![/*])(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/[a-z]*"
)
"""Strings, and expressions where nothing can be divided."""
_SPACED = lazy(
    rf"({_KEPT})|(?<![\w$.])const(?= [\w$\[{{])"
    r"|(?<![\w$+-]) +| +(?![\w$+-])|(?<=[\w$]) +(?=[+-])|(?<=[+-]) +(?=[\w$])"
)
_CLEAR = lazy(f"{_KEPT}| / ")
_UNCLEAR, _NESTED = lazy("[/']"), lazy(r"\$\{[^}]*`")
_LOOP = lazy(r"(?:for|while|if|else)\b.*\);")
"""What may end with a statement that does nothing."""


def css(text: str) -> str:
    """A style sheet without comments and without space that separates nothing. Strings stay."""
    bare = _CSS_PART.sub(lambda part: "" if part[0].startswith("/*") else part[0], text)
    tight = _CSS_SPACE.sub(
        lambda part: part[1] or part[2] or part[3] or ("" if part[4] else " "), bare.strip()
    )
    return _CSS_NEEDLESS.sub(lambda part: part[1] or "", tight)


def js(text: str) -> str:
    """A script without lines that are comments, indentation, empty lines and space that parts no words.

    What is constant is only said to those who read the source: `let` is the shorter word.

    A line that cannot end there is joined with the next; the last statement of a block needs no semicolon.

    A script with a string over several lines is given back as it is, because there a line's beginning may
    be part of the string.
    """
    lines = text.splitlines()
    if any(line.count("`") % 2 or line.endswith("\\") for line in lines):
        return text
    tight = (_tight(line.strip()) for line in lines if not _COMMENT_LINE.match(line))
    kept = [line for line in tight if line]
    return "".join(map(_ended, kept, [*kept[1:], ""]))


def _ended(line: str, following: str) -> str:
    """A line with its end, where the next line is not to follow at once: a comment ends with its line."""
    closed = following.startswith("}")
    if "//" in line or not following or not (line.endswith((";", "{", ",")) or closed):
        return f"{line}\n"
    return line.removesuffix(";") if closed and not _LOOP.fullmatch(line) else line


def _tight(line: str) -> str:
    """A line without space that parts no words, unless it may have an expression or text not known here.

    A slash within a string is known, and so is one with a space on either side, which divides.
    """
    if _NESTED.search(line) or _UNCLEAR.search(_CLEAR.sub("", line)):
        return line
    return _SPACED.sub(lambda part: part[1] or ("let" if part[0] == "const" else ""), line)
