"""Take out of style sheets and scripts what only their authors read: comments and indentation.

No minifier: names and structure stay, so that what a browser shows can be found in the source.
"""

from __future__ import annotations

import re

_CSS_PART = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|/\*.*?\*/""", re.DOTALL)
_INDENTATION = re.compile(r"\s*\n\s*")
_COMMENT_LINE = re.compile(r"\s*//")


def css(text: str) -> str:
    """A style sheet without comments, indentation and empty lines. Strings stay as they are."""
    bare = _CSS_PART.sub(lambda part: "" if part[0].startswith("/*") else part[0], text)
    return _INDENTATION.sub("\n", bare).lstrip()


def js(text: str) -> str:
    """A script without lines that are comments, indentation and empty lines.

    A script with a string over several lines is given back as it is, because there a line's beginning may
    be part of the string.
    """
    lines = text.splitlines()
    if any(line.count("`") % 2 or line.endswith("\\") for line in lines):
        return text
    kept = (line.strip() for line in lines if not _COMMENT_LINE.match(line))
    return "\n".join(line for line in kept if line) + "\n"
