"""Find the ends of comments and their like, and of elements that go with their content.

    comment      = "<!--" ... "-->" | "<!-->" | "<!--->"
    instruction  = "<?" ... "?>"
    section      = "<![CDATA[" ... "]]>"
    declaration  = "<!" letter ... ">"
    expression   = "{" ... "}"               a comment when it holds nothing but those of JavaScript

What has no end is text. It is looked for only once, so that many beginnings take linear time.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct, field

from builder.markdown.mdx.scan.tags import Tag

_SPECIAL = re.compile(r"<!--(-?>)?|<!\[CDATA\[|<\?|<!(?=[A-Za-z])")
_TERMINATORS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>", "<!": ">"}
_COMMENT = re.compile(r"\{\s*+(?:/\*(?:[^*]++|\*(?!/))*\*/\s*+)+\}")

Dropped = tuple[str, str, str]
"""Code, message and hint about what goes."""

_COMMENT_DROPPED: Dropped = "comment-dropped", "a comment was left out", ""
_HINTS = (
    (re.compile(r"\{\{[<%#/^>&]|\{%"), "write what it stands for"),
    (re.compile(r"\{\{"), "declare the value under `variables` in `site.yml`, and write `%{name}`"),
    (
        re.compile(r"\{\s*#[\w.-]+\s*\}"),
        'only a heading can have `{#id}`; elsewhere write `<a id="..."></a>`',
    ),
    (re.compile(r"\{\s*(?:[.:]|[\w-]+=[^=>])"), "lists of attributes are not known here"),
    (re.compile(r"\{(?:--|\+\+|==|>>|~~)"), "write `<del>` and `<ins>`, or `{/* ... */}`"),
    (
        re.compile(r"\{(?:!>?|\*) *[\w./]"),
        'write `<Include src="..."/>` (`extras: [includes]`), or put the text here',
    ),
)
_HINT = "write the value itself; `\\{` shows a brace"


class Ends(Struct):
    """The ends in one text; `_none_after` keeps from where on there is none."""

    text: str
    _none_after: dict[str, int] = field(default_factory=dict)

    def special(self, start: int) -> int:
        """The offset after the comment or its like that begins at `start`, or -1 when none does."""
        found = _SPECIAL.match(self.text, start)
        if found is None:
            return -1
        if found[1]:
            return found.end()
        terminator = _TERMINATORS[found[0]]
        return self._find(terminator, re.escape(terminator), found.end())

    def dropped(self, start: int) -> Dropped:
        """Return the note on the comment or its like at `start`."""
        if self.text.startswith("<!-", start):
            return _COMMENT_DROPPED
        return "html-dropped", "an instruction for other programs was left out", ""

    def stripped(self, start: int, end: int) -> Dropped:
        """Return the note on the expression from `start` to `end`."""
        if _COMMENT.fullmatch(self.text, start, end):
            return _COMMENT_DROPPED
        hint = next((hint for pattern, hint in _HINTS if pattern.match(self.text, start, end)), _HINT)
        return "expression-stripped", f"the expression `{_shown(self.text[start:end])}` was left out", hint

    def hidden(self, tag: Tag) -> int:
        """The offset after all of the element that `tag` begins, or -1 when it has no end."""
        name = tag.name.lower()
        return self._find(name, rf"</{re.escape(name)}\s*>", tag.end)

    def _find(self, key: str, pattern: str, start: int) -> int:
        if start >= self._none_after.get(key, start + 1):
            return -1
        found = _compiled(pattern).search(self.text, start)
        if found is None:
            self._none_after[key] = start
            return -1
        return found.end()


def _shown(text: str) -> str:
    """The beginning of an expression, on one line."""
    line = " ".join(text[:200].split()).replace("`", "'")
    return line if len(line) <= 60 else f"{line[:59]}…"


@lru_cache(64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
