"""Text without surprises: words, with code spans, links, emphasis and line ends that stand apart.

    Call `client.get()`, which is *quick*, as [the guide](../guide.md) says.

Nearly all text of a page is of this kind. There one look tells where each part ends, so that nothing must be
tried, remembered and put right later. What is made of it is the same as the rules make; at the first part
that may be something else they go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from builder.markdown.commonmark.autolinks import next_start
from builder.markdown.commonmark.budget import TOKEN, Meter
from builder.markdown.commonmark.states import quick

RULES = frozenset({"newline", "backticks", "emphasis", "link"})
"""The rules whose work is done here."""

DEAREST = 5
"""Steps of the budget that a character may take at most."""

_MARKED = r"(?P<run>\*\*?|__?)(?=[A-Za-z0-9])(?P<marked>[^{stops}]++)(?<=[A-Za-z0-9])(?P=run)"
_PARTS = (
    r"(?P<text>[^{stops}]++)",
    r"(?P<code>`(?P<span>[^`]++)`(?!`))",
    r"(?P<link>\[(?!\^)(?P<label>[^{stops}]++)\]\((?P<address>[A-Za-z0-9/#?=._~:@%+,;-]++)\))",
    rf"(?P<mark>(?<![^ \n(]){_MARKED}(?=[ \n.,;:)?!]|\Z))",
    r"(?P<line>(?<! )\n(?![ \t]))",
)
_SHOWN = {"text": "text", "link": "label", "mark": "marked"}
"""Where a part may hold the address of a page, which would be a link."""

_STEPS = {"text": 1, "code": 1 + TOKEN, "line": 1 + TOKEN, "link": 3 + TOKEN}
"""What the rules would have taken of the budget."""

Part = re.Match[str]


class Simple:
    """Reads text whose rules begin with `stops`."""

    def __init__(self, stops: str) -> None:
        self._part = re.compile("|".join(_PARTS).replace("{stops}", re.escape(stops)))

    def read(
        self, src: str, places: Sequence[int], md: MarkdownIt, of_page: Meter, tokens: list[Token]
    ) -> int:
        """Append the tokens of the beginning of `src` that is simple, and return its end.

        At `places` web addresses may begin. Text that may be too much for the page is left to the rules.
        """
        pos, end, match = 0, len(src), self._part.match
        if of_page.left <= DEAREST * end:
            return 0
        while pos < end:
            part = match(src, pos)
            if part is None or (places and _has_address(part, places)):
                break
            kind = part.lastgroup or ""
            _MAKE[kind](part, md, tokens)
            of_page.left -= _STEPS.get(kind) or 3 + 2 * (TOKEN + len(part["run"]))
            pos = part.end()
        return pos


def _has_address(part: Part, places: Sequence[int]) -> bool:
    shown = _SHOWN.get(part.lastgroup or "")
    if shown is None:
        return False
    start, end = part.span(shown)
    return next_start(places, start - 1, end) < end


def _text(part: Part, _: MarkdownIt, tokens: list[Token]) -> None:
    tokens.append(quick("text", "", 0, 0, part[0]))


def _code(part: Part, _: MarkdownIt, tokens: list[Token]) -> None:
    content = part["span"].replace("\n", " ")
    if content[0] == content[-1] == " " and content.strip(" "):
        content = content[1:-1]
    token = quick("code_inline", "code", 0, 0, content)
    token.markup = "`"
    tokens.append(token)


def _link(part: Part, md: MarkdownIt, tokens: list[Token]) -> None:
    found = md.helpers.parseLinkDestination(part.string, part.start("address"), part.end())
    opening = quick("link_open", "a", 1, 0)
    opening.attrs = {"href": md.normalizeLink(found.str)}
    tokens += opening, quick("text", "", 0, 1, part["label"]), quick("link_close", "a", -1, 0)


def _mark(part: Part, _: MarkdownIt, tokens: list[Token]) -> None:
    run = part["run"]
    name = "strong" if len(run) == 2 else "em"
    opening, closing = quick(f"{name}_open", name, 1, 0), quick(f"{name}_close", name, -1, 0)
    opening.markup = closing.markup = run
    tokens += opening, quick("text", "", 0, 1, part["marked"]), closing


def _line(_: Part, __: MarkdownIt, tokens: list[Token]) -> None:
    tokens.append(quick("softbreak", "br", 0, 0))


_MAKE: dict[str, Callable[[Part, MarkdownIt, list[Token]], None]] = {
    "text": _text,
    "code": _code,
    "link": _link,
    "mark": _mark,
    "line": _line,
}
